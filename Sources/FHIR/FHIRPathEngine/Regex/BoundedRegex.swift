/// An untrusted regular expression: matching it always ends.
///
/// ```swift
/// let code = try BoundedRegex("[A-Z]{2}[0-9]+")
/// try code.matchesWhole("AB12")            // true
/// try BoundedRegex("(a+)+$").isFound(in: String(repeating: "a", count: 5000) + "b")      // false, at once
/// ```
/// The syntax is what JavaScript, Java and XML Schema have in common, with lookaround and backreferences. A
/// pattern without those two takes time in proportion to its length times the text's; with them, at most
/// ``maximumSteps``.
public struct BoundedRegex: Sendable {
    /// How a pattern matches.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Upper and lower case are the same.
        public static let ignoresCase = Options(rawValue: 1)
        /// `.` matches line breaks too.
        public static let dotMatchesNewlines = Options(rawValue: 2)
        /// `^` and `$` match at line breaks too.
        public static let anchorsMatchLines = Options(rawValue: 4)
    }

    /// The most steps that one match, or one replacement of all matches, may take.
    public static let maximumSteps = 5_000_000
    /// The most instructions of a compiled pattern.
    public static let maximumInstructions = 50_000

    private let program: RegexProgram
    private let options: Options
    private let names: [String: Int]

    /// Reads a pattern.
    ///
    /// - Throws: ``BoundedRegexError/malformed(reason:offset:)`` or ``BoundedRegexError/tooLarge``.
    public init(_ pattern: String, options: Options = []) throws(BoundedRegexError) {
        var parser = RegexParser(pattern, options: options)
        let syntax = try parser.pattern()
        program = try RegexProgram(syntax, captures: parser.captures)
        self.options = parser.options
        names = parser.names
    }

    /// Whether the pattern matches the whole text.
    ///
    /// - Throws: ``BoundedRegexError/tooManySteps``.
    public func matchesWhole(_ text: String) throws(BoundedRegexError) -> Bool {
        var machine = RegexMachine(program, options: options, text: Array(text.unicodeScalars))
        return try machine.match(at: 0, isWhole: true) != nil
    }

    /// Whether the pattern matches somewhere in the text.
    ///
    /// - Throws: ``BoundedRegexError/tooManySteps``.
    public func isFound(in text: String) throws(BoundedRegexError) -> Bool {
        var machine = RegexMachine(program, options: options, text: Array(text.unicodeScalars))
        for start in 0...machine.text.count where try machine.match(at: start, isWhole: false) != nil {
            return true
        }
        return false
    }

    /// The text with each match replaced. In the template `$1` and `${name}` are groups, `$0` the match, and
    /// `\$` a dollar sign.
    ///
    /// - Parameter limit: How long the result may be, in Unicode scalars.
    /// - Throws: ``BoundedRegexError/tooManySteps`` or ``BoundedRegexError/tooLong(limit:)``.
    public func replacingMatches(
        in text: String,
        with template: String,
        limit: Int = .max
    ) throws(BoundedRegexError) -> String {
        let scalars = Array(text.unicodeScalars)
        var machine = RegexMachine(program, options: options, text: scalars)
        let parts = templateParts(template)
        var result: [Unicode.Scalar] = []
        var steps = 0
        var position = 0
        while position <= scalars.count {
            guard let end = try machine.match(at: position, isWhole: false) else {
                if position < scalars.count { result.append(scalars[position]) }
                position += 1
                continue
            }
            steps += parts.count
            guard steps <= Self.maximumSteps else { throw .tooManySteps }
            for part in parts {
                let inserted = self.scalars(of: part, machine.slots, in: scalars)
                guard inserted.count <= limit - result.count else { throw .tooLong(limit: limit) }
                result += inserted
            }
            machine.forget()
            if end == position {
                if position < scalars.count { result.append(scalars[position]) }
                position += 1
            } else {
                position = end
            }
        }
        return String(String.UnicodeScalarView(result))
    }

    /// A part of a template: text, or what a group matched.
    private enum TemplatePart {
        case text([Unicode.Scalar])
        case group(Int)
    }

    private func templateParts(_ template: String) -> [TemplatePart] {
        var parts: [TemplatePart] = []
        var text: [Unicode.Scalar] = []
        func group(_ index: Int) {
            parts += [.text(text), .group(index)]
            text = []
        }
        var rest = Substring(template).unicodeScalars
        // A name is looked for as far as the template is, and not again when it has no end.
        let lastEnd = rest.lastIndex(of: "}") ?? rest.startIndex
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.popFirst() {
                text.append(next)
            } else if scalar == "$", let first = rest.first, ("0"..."9").contains(first) {
                rest.removeFirst()
                group(Int(first.value - 0x30))
            } else if scalar == "$", rest.first == "{", rest.startIndex < lastEnd,
                let end = rest.firstIndex(of: "}")
            {
                let name = String(rest[rest.index(after: rest.startIndex)..<end])
                group(names[name] ?? Int(name) ?? -1)
                rest = rest[rest.index(after: end)...]
            } else {
                text.append(scalar)
            }
        }
        return parts + [.text(text)]
    }

    private func scalars(
        of part: TemplatePart,
        _ slots: [Int],
        in text: [Unicode.Scalar]
    ) -> ArraySlice<Unicode.Scalar> {
        switch part {
        case .text(let text): return text[...]
        case .group(let index):
            guard index >= 0, index < slots.count / 2, slots[index * 2] >= 0,
                slots[index * 2 + 1] >= slots[index * 2]
            else { return [] }
            return text[slots[index * 2]..<slots[index * 2 + 1]]
        }
    }
}
