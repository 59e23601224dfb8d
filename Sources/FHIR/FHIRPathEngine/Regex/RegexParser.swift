/// Reads patterns of the syntax that XML Schema, JavaScript and Java share: the patterns of questionnaires
/// are written for any of these.
struct RegexParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private(set) var captures = 0
    private(set) var names: [String: Int] = [:]
    private(set) var options: BoundedRegex.Options

    private static let maximumDepth = 100
    private static let maximumRepetitions = 10_000

    init(_ pattern: String, options: BoundedRegex.Options) {
        scalars = Array(pattern.unicodeScalars)
        self.options = options
    }

    mutating func pattern() throws(BoundedRegexError) -> RegexSyntax {
        // Options at the beginning hold for the whole: (?i), (?s), (?m).
        if peek == "(", peek(1) == "?", let end = scalars.firstIndex(of: ")"), end > 2,
            scalars[2..<end].allSatisfy({ "ismxu".unicodeScalars.contains($0) })
        {
            if scalars[2..<end].contains("x") { throw malformed("comments in patterns are not supported") }
            if scalars[2..<end].contains("i") { options.insert(.ignoresCase) }
            if scalars[2..<end].contains("s") { options.insert(.dotMatchesNewlines) }
            if scalars[2..<end].contains("m") { options.insert(.anchorsMatchLines) }
            position = end + 1
        }
        let syntax = try alternatives()
        guard position == scalars.count else { throw malformed("“)” has no “(”") }
        return syntax
    }

    private mutating func alternatives() throws(BoundedRegexError) -> RegexSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw malformed("groups are nested too deep") }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(BoundedRegexError) -> RegexSyntax {
        var parts: [RegexSyntax] = []
        while let scalar = peek, scalar != "|", scalar != ")" { parts.append(try repeated()) }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func repeated() throws(BoundedRegexError) -> RegexSyntax {
        var part = try atom()
        while let (least, most) = try quantifier() {
            if take("+") { throw malformed("possessive quantifiers are not supported", at: position - 1) }
            part = .repetition(part, least: least, most: most, isLazy: take("?"))
        }
        return part
    }

    private mutating func quantifier() throws(BoundedRegexError) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard peek == "{" else { return nil }
        let start = position
        position += 1
        // A brace that begins no quantifier stands for itself.
        guard let least = try number() else {
            position = start
            return nil
        }
        var most: Int? = least
        if take(",") { most = try number() }
        guard take("}") else {
            position = start
            return nil
        }
        if let most, most < least { throw malformed("a repetition ends before it begins", at: start) }
        return (least, most)
    }

    private mutating func number() throws(BoundedRegexError) -> Int? {
        let start = position
        var value = 0
        while let scalar = peek, ("0"..."9").contains(scalar) {
            value = value * 10 + Int(scalar.value - 0x30)
            guard value <= Self.maximumRepetitions else {
                throw malformed(
                    "more than \(Self.maximumRepetitions) repetitions are not supported",
                    at: start
                )
            }
            position += 1
        }
        return position > start ? value : nil
    }

    private mutating func atom() throws(BoundedRegexError) -> RegexSyntax {
        guard let scalar = peek else { return .empty }
        let start = position
        position += 1
        switch scalar {
        case "(": return try group(start)
        case "[": return .set(try characterSet())
        case ".": return .any
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "\\": return try escape()
        case "*", "+", "?": throw malformed("“\(scalar)” repeats nothing", at: start)
        case "{":
            // As text, unless it would be a quantifier.
            position = start
            if try quantifier() != nil { throw malformed("a repetition repeats nothing", at: start) }
            position = start + 1
            return .scalar(scalar)
        default: return .scalar(scalar)
        }
    }

    private mutating func group(_ start: Int) throws(BoundedRegexError) -> RegexSyntax {
        var syntax: RegexSyntax
        if take("?") {
            if take(":") {
                syntax = try alternatives()
            } else if take("=") {
                syntax = .lookaround(try alternatives(), isBehind: false, isNegative: false)
            } else if take("!") {
                syntax = .lookaround(try alternatives(), isBehind: false, isNegative: true)
            } else if take("<") {
                if take("=") {
                    syntax = .lookaround(try alternatives(), isBehind: true, isNegative: false)
                } else if take("!") {
                    syntax = .lookaround(try alternatives(), isBehind: true, isNegative: true)
                } else {
                    let name = try groupName()
                    captures += 1
                    let index = captures
                    names[name] = index
                    syntax = .capture(index, try alternatives())
                }
            } else {
                throw malformed("this kind of group is not supported", at: start)
            }
        } else {
            captures += 1
            let index = captures
            syntax = .capture(index, try alternatives())
        }
        guard take(")") else { throw malformed("“)” is missing", at: start) }
        return syntax
    }

    private mutating func groupName() throws(BoundedRegexError) -> String {
        var name = ""
        while let scalar = peek, scalar != ">" {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(">"), !name.isEmpty else { throw malformed("a group's name ends with “>”") }
        return name
    }

    // MARK: Escapes and sets

    private mutating func escape() throws(BoundedRegexError) -> RegexSyntax {
        guard let scalar = peek else { throw malformed("the pattern ends in a backslash") }
        switch scalar {
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.noWordBoundary)
        case "A": return assertion(.textStart)
        case "z", "Z": return assertion(.textEnd)
        case "1"..."9":
            position += 1
            return .backreference(Int(scalar.value - 0x30))
        case "k" where peek(1) == "<":
            position += 2
            let name = try groupName()
            guard let index = names[name] else { throw malformed("there is no group “\(name)” before") }
            return .backreference(index)
        default: break
        }
        if let (kind, isInverted) = try characterClass() {
            return .set(CharacterSet(classes: [(kind, isInverted)]))
        }
        return .scalar(try escapedScalar())
    }

    private mutating func assertion(_ assertion: RegexSyntax.Assertion) -> RegexSyntax {
        position += 1
        return .assertion(assertion)
    }

    /// `\d`, `\W`, `\p{L}` and the like, after the backslash.
    private mutating func characterClass() throws(BoundedRegexError) -> (CharacterSet.Class, Bool)? {
        guard let scalar = peek else { return nil }
        let classes: [Unicode.Scalar: (CharacterSet.Class, Bool)] = [
            "d": (.digit, false), "D": (.digit, true), "w": (.word, false), "W": (.word, true),
            "s": (.space, false), "S": (.space, true),
        ]
        if let found = classes[scalar] {
            position += 1
            return found
        }
        guard scalar == "p" || scalar == "P", peek(1) == "{" else { return nil }
        let start = position
        position += 2
        var name = ""
        while let next = peek, next != "}" {
            name.unicodeScalars.append(next)
            position += 1
        }
        guard take("}"), let property = CharacterSet.Property(rawValue: Self.shortNames[name] ?? name) else {
            throw malformed("the property “\(name)” is not supported", at: start)
        }
        return (.property(property), scalar == "P")
    }

    private static let shortNames = [
        "Letter": "L", "Alpha": "L", "IsAlphabetic": "L", "Lower": "Ll", "Upper": "Lu", "Digit": "Nd",
        "Punct": "P",
        "Number": "N",
    ]

    private mutating func escapedScalar() throws(BoundedRegexError) -> Unicode.Scalar {
        guard let scalar = peek else { throw malformed("the pattern ends in a backslash") }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "f": return "\u{0C}"
        case "v": return "\u{0B}"
        case "0": return "\0"
        case "x": return try hexadecimal(2)
        case "u": return try hexadecimal(4)
        default:
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            guard !isLetter else {
                throw malformed("the escape “\\\(scalar)” is not supported", at: position - 2)
            }
            return scalar
        }
    }

    private mutating func hexadecimal(_ digits: Int) throws(BoundedRegexError) -> Unicode.Scalar {
        guard position + digits <= scalars.count else {
            throw malformed("\(digits) hexadecimal digits are expected")
        }
        let text = String(String.UnicodeScalarView(scalars[position..<position + digits]))
        guard let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw malformed("\(digits) hexadecimal digits are expected")
        }
        position += digits
        return scalar
    }

    private mutating func characterSet() throws(BoundedRegexError) -> CharacterSet {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw malformed("sets are nested too deep") }
        let start = position - 1
        var set = CharacterSet()
        set.isInverted = take("^")
        var isFirst = true
        while true {
            guard let scalar = peek else { throw malformed("“]” is missing", at: start) }
            if scalar == "]", !isFirst {
                position += 1
                return set
            }
            isFirst = false
            if scalar == "&", peek(1) == "&" {
                position += 2
                guard take("[") else { throw malformed("after && a set is expected") }
                set.intersections.append(try characterSet())
            } else if scalar == "[" {
                position += 1
                set.sets.append(try characterSet())
            } else if scalar == "\\", let found = try setClass() {
                set.classes.append(found)
            } else {
                try range(into: &set)
            }
        }
    }

    private mutating func setClass() throws(BoundedRegexError) -> (CharacterSet.Class, Bool)? {
        position += 1
        if let found = try characterClass() { return found }
        position -= 1
        return nil
    }

    private mutating func range(into set: inout CharacterSet) throws(BoundedRegexError) {
        let start = position
        let first = try setScalar()
        guard peek == "-", let next = peek(1), next != "]" else {
            set.ranges.append(first.value...first.value)
            return
        }
        position += 1
        if next == "[" || (next == "\\" && "dDwWsSpP".unicodeScalars.contains(peek(1) ?? " ")) {
            // `[a-\d]`: the hyphen stands for itself.
            set.ranges.append(first.value...first.value)
            set.ranges.append(0x2D...0x2D)
            return
        }
        let last = try setScalar()
        guard first <= last else { throw malformed("a range ends before it begins", at: start) }
        set.ranges.append(first.value...last.value)
    }

    private mutating func setScalar() throws(BoundedRegexError) -> Unicode.Scalar {
        guard let scalar = peek else { throw malformed("“]” is missing") }
        position += 1
        guard scalar == "\\" else { return scalar }
        if take("b") { return "\u{08}" }
        return try escapedScalar()
    }

    // MARK: Scalars

    private var peek: Unicode.Scalar? { peek(0) }

    private func peek(_ ahead: Int) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    private func malformed(_ reason: String, at offset: Int? = nil) -> BoundedRegexError {
        .malformed(reason: reason, offset: offset ?? position)
    }
}
