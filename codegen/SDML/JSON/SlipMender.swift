import OrderedJSON

/// Reads JSON and reports every departure from it with its location, not only the first.
///
/// Each slip (a comma too few or too many, a string that is not closed, an unquoted word) is an error. It is mended in a
/// copy, which is then read again, so that one run shows all slips, and what the rest of the file has wrong besides.
struct SlipMender {
    /// Deeper nesting than any model has.
    static let maximumDepth = 128
    /// Each slip costs another reading of the file.
    private static let maximumSlips = 100

    private let lines: SourceLines
    private let length: Int
    private var bytes: [UInt8]
    /// For each byte its index in the file.
    private var origins: [Int]
    /// The indices in the file of what could not be read: values, or names of members, that others stand for.
    private(set) var damaged: Set<Int> = []
    private(set) var problems = Diagnostics()

    init(_ file: SourceFile, _ lines: SourceLines) {
        self.lines = lines
        length = file.bytes.count
        bytes = file.bytes
        origins = Array(file.bytes.indices)
    }

    /// The value of the mended text; `nil` when there is none, or something after which nothing can be understood.
    mutating func read() -> JSONValue? {
        var limits = JSONLimits()
        limits.depth = Self.maximumDepth
        for _ in 0..<Self.maximumSlips {
            do {
                return try JSONValue(parsing: bytes, limits: limits)
            } catch {
                guard mend(error.reason, at: error.location.offset) else { return nil }
            }
        }
        problems.error(at: location(bytes.count), "There are more slips than \(Self.maximumSlips). Mend these first.")
        return nil
    }

    /// The index in the file of a byte of the mended text.
    private func origin(_ index: Int) -> Int { origins.indices.contains(index) ? origins[index] : length }

    /// The index in the file of a value's first byte.
    func origin(of value: JSONValue) -> Int { origin(value.sourceRange?.lowerBound ?? 0) }

    private func location(_ index: Int) -> SourceLocation { lines.location(ofByte: origin(index)) }

    // MARK: Slips

    /// Reports a slip and mends it.
    /// - Returns: `false` when it cannot be mended.
    private mutating func mend(_ reason: JSONError.Reason, at index: Int) -> Bool {
        let before = context(before: index)
        switch reason {
        case .empty where index == bytes.count:
            return fail(index, "The file is empty: it needs an object, '{ … }'.")
        case .tooDeep: return fail(index, "Values are nested deeper than \(Self.maximumDepth) levels.")
        case .tooLong, .tooManyNodes, .invalidUTF8: return fail(index, "This cannot be read: \(reason).")
        case .unexpectedEnd:
            guard let open = before.open.last else { return fail(index, "The file ends where a value should be.") }
            let (opening, closing) = bytes[open] == "{" ? ("{", "}") : ("[", "]")
            return fail(open, "This '\(opening)' is never closed: a '\(closing)' is missing.")
        case .unterminatedString: return closeString(index, before, end: "file")
        case .controlCharacter: return mendControlCharacter(index, before)
        case .invalidEscape, .loneSurrogate: return mendEscape(index, before)
        default: break
        }
        if mendBlank(index) { return true }
        switch reason {
        case .expectedName: return mendName(index, before)
        case .expectedColon: return mendColon(index, before)
        case .expectedCommaOrEnd: return mendSeparator(index, before)
        case .trailingText:
            let more = bytes[index] == "{" || bytes[index] == ","
            let advice = more ? " Several models in one file go into a list: '[ { … }, { … } ]'." : " Remove it."
            problems.error(at: location(index), "There is text after the end of the value.\(advice)")
            replace(index..<bytes.count, with: "")
            return true
        default: return mendValue(index, before)
        }
    }

    private mutating func fail(_ index: Int, _ message: String) -> Bool {
        problems.error(at: location(index), message)
        return false
    }

    private mutating func failExpecting(_ expected: String, at index: Int) -> Bool {
        guard let scalar = scalar(at: index) else { return fail(index, "The file ends where \(expected) should be.") }
        let found = scalar.properties.generalCategory == .control ? "U+\(hex(scalar.value))" : "'\(scalar)'"
        return fail(index, "Here should be \(expected), but there is \(found).")
    }

    /// Comments, and blanks that are none in JSON.
    private mutating func mendBlank(_ index: Int) -> Bool {
        let rest = bytes[index...]
        if rest.starts(with: "#".utf8) || rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) {
            problems.error(
                at: location(index), "JSON has no comments: what is to be said about a model goes into its notes file.")
            var end = rest.firstIndex { $0 == "\n" || $0 == "\r" } ?? bytes.count
            if rest.starts(with: "/*".utf8) {
                let pairs = zip(bytes.indices, zip(bytes, bytes.dropFirst())).dropFirst(index + 2)
                end = pairs.first { $0.1.0 == "*" && $0.1.1 == "/" }.map { $0.0 + 2 } ?? bytes.count
            }
            replace(index..<end, with: " ")
            return true
        }
        guard let byte = rest.first, byte == 0x0B || byte == 0x0C || byte >= 0x80, let scalar = scalar(at: index),
            scalar == "\u{FEFF}" || scalar.properties.isWhitespace
        else { return false }
        problems.warn(
            at: location(index),
            "The blank U+\(hex(scalar.value)) is none in JSON, and a server may refuse the file. Remove it.")
        replace(index..<index + UTF8.width(scalar), with: " ")
        return true
    }

    // MARK: Strings

    private mutating func closeString(_ opening: Int, _ before: Context, end: String) -> Bool {
        problems.error(
            at: location(opening), "This string is not closed: a '\"' is missing before the end of the \(end).")
        let lineEnd = bytes[opening...].firstIndex { $0 == "\n" || $0 == "\r" } ?? bytes.count
        // The line's rest went into the string: after a key there is no value to be found on it.
        damage(opening..<lineEnd, with: before.expectsName(bytes) ? "\"\": null" : "null")
        return true
    }

    private mutating func mendControlCharacter(_ index: Int, _ before: Context) -> Bool {
        guard let opening = before.openString else { return failExpecting("a value", at: index) }
        if bytes[index] == "\n" || bytes[index] == "\r" {
            return closeString(opening, context(before: opening), end: "line")
        }
        let code = hex(UInt32(bytes[index]))
        problems.error(
            at: location(index), "A string must not hold the control character U+\(code): write \\u\(code).")
        damaged.insert(origin(opening))
        replace(index..<index + 1, with: " ")
        return true
    }

    private mutating func mendEscape(_ index: Int, _ before: Context) -> Bool {
        guard let opening = before.openString else { return failExpecting("a value", at: index) }
        if let next = bytes[index...].dropFirst().first, next == "\n" || next == "\r" {
            return closeString(opening, context(before: opening), end: "line")
        }
        problems.error(
            at: location(index),
            "This escape means nothing in JSON. Known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits.")
        damaged.insert(origin(opening))
        replace(index..<index + 1, with: " ")
        return true
    }

    /// A string in other quotation marks than JSON's, which is reported: its range and what is in it.
    private mutating func foreignString(at index: Int) -> (range: Range<Int>, text: [UInt8])? {
        let pairs: [Unicode.Scalar: [Unicode.Scalar]] = [
            "'": ["'"], "`": ["`"], "“": ["”", "“"], "”": ["”"], "„": ["“", "”"], "‘": ["’"], "’": ["’"], "«": ["»"],
        ]
        guard let mark = scalar(at: index), let closing = pairs[mark] else { return nil }
        problems.error(
            at: location(index), "Text stands in double quotation marks (\") in JSON; this is \(mark). Replace it.")
        let start = index + UTF8.width(mark)
        var end = start
        while let scalar = scalar(at: end), scalar != "\n", scalar != "\r" {
            let width = UTF8.width(scalar)
            if closing.contains(scalar) || scalar == "\"" { return (index..<end + width, Array(bytes[start..<end])) }
            end += width
        }
        return (index..<end, Array(bytes[start..<end]))
    }

    // MARK: Members and values

    private mutating func mendName(_ index: Int, _ before: Context) -> Bool {
        if mendComma(index, before, closing: "}") { return true }
        if let (range, text) = foreignString(at: index) {
            replace(range, with: JSONValue(String(decoding: text, as: UTF8.self)).text())
            return true
        }
        guard let word = word(at: index) else { return failExpecting("a key in double quotation marks", at: index) }
        problems.error(at: location(index), "The key \(word) needs double quotation marks: \"\(word)\".")
        replace(index..<index + word.utf8.count, with: "\"\(word)\"")
        return true
    }

    private mutating func mendColon(_ index: Int, _ before: Context) -> Bool {
        let key = "\"\(key(before))\""
        switch bytes[index] {
        case ",", "}":
            problems.error(
                at: location(before.tokenStart), "The key \(key) has no value: ': \"String\"' or the like is missing.")
            damage(index..<index, with: ": null")
        case "\"", "{", "[":
            problems.error(at: location(before.tokenEnd), "A colon is missing after the key \(key).")
            replace(index..<index, with: ":")
        default: return failExpecting("a colon after the key \(key)", at: index)
        }
        return true
    }

    private mutating func mendValue(_ index: Int, _ before: Context) -> Bool {
        if before.isInObject(bytes), bytes[index] == "," || bytes[index] == "}" {
            problems.error(
                at: location(index), "The value of \"\(key(context(before: before.tokenStart)))\" is missing.")
            damage(index..<index, with: "null")
            return true
        }
        if mendComma(index, before, closing: "]") { return true }
        if let (range, _) = foreignString(at: index) {
            damage(range, with: "null")
            return true
        }
        guard let word = word(at: index) else { return failExpecting("a value", at: index) }
        problems.error(at: location(index), "The text \(word) needs double quotation marks: \"\(word)\".")
        damage(index..<index + word.utf8.count, with: "null")
        return true
    }

    /// A comma that nothing follows, or another comma.
    private mutating func mendComma(_ index: Int, _ before: Context, closing: Unicode.Scalar) -> Bool {
        guard before.tokenEnd > 0, bytes[before.tokenStart] == "," else { return false }
        switch bytes[index] {
        case closing:
            problems.error(
                at: location(before.tokenStart), "The last comma is one too many: nothing follows it. Remove it.")
            replace(before.tokenStart..<before.tokenEnd, with: "")
        case ",":
            problems.error(at: location(index), "There is one comma too many. Remove it.")
            replace(index..<index + 1, with: "")
        default: return false
        }
        return true
    }

    private mutating func mendSeparator(_ index: Int, _ before: Context) -> Bool {
        let byte = bytes[index]
        if byte == "\"", index == before.tokenEnd, endsItem(index + 1) {
            problems.error(at: location(index), "There is one quotation mark too many. Remove it.")
            replace(index..<index + 1, with: "")
            return true
        }
        let isAfterDamage = damaged.contains(origin(before.tokenStart))
        guard isAfterDamage || byte == "\"" || byte == "{",
            byte != "}", byte != "]"
        else { return failExpecting(before.isInObject(bytes) ? "',' or '}'" : "',' or ']'", at: index) }
        if !isAfterDamage { problems.error(at: location(before.tokenEnd), "A comma is missing here.") }
        replace(index..<index, with: ",")
        return true
    }

    private func endsItem(_ index: Int) -> Bool {
        guard index < bytes.count else { return true }
        return ",}]\n\r".utf8.contains(bytes[index])
    }

    // MARK: The text

    private mutating func replace(_ range: Range<Int>, with text: String) {
        let origin = origin(range.lowerBound)
        bytes.replaceSubrange(range, with: text.utf8)
        origins.replaceSubrange(range, with: repeatElement(origin, count: text.utf8.count))
    }

    /// Puts something in the place of what cannot be read.
    private mutating func damage(_ range: Range<Int>, with text: String) {
        damaged.insert(origin(range.lowerBound))
        replace(range, with: text)
    }

    private func scalar(at index: Int) -> Unicode.Scalar? {
        guard bytes.indices.contains(index) else { return nil }
        return String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }

    /// Letters, digits and what else numbers and names hold.
    private func word(at index: Int) -> String? {
        let word = bytes[index...].prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-+.".utf8.contains(byte)
            }
        }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// The key that stands last before an index.
    private func key(_ before: Context) -> String {
        (try? JSONValue(parsing: bytes[before.tokenStart..<before.tokenEnd]))?.string ?? ""
    }

    private func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension SlipMender {
    /// What stands before an index of a text that is right so far.
    private struct Context {
        /// The indices of the brackets that are open.
        var open: [Int] = []
        /// The last token.
        var tokenStart = 0
        var tokenEnd = 0
        /// The index of a string's quotation mark, inside it.
        var openString: Int?

        func isInObject(_ bytes: [UInt8]) -> Bool { open.last.map { bytes[$0] == "{" } ?? false }

        /// Whether the name of a member comes next.
        func expectsName(_ bytes: [UInt8]) -> Bool {
            isInObject(bytes) && (bytes[tokenStart] == "{" || bytes[tokenStart] == ",")
        }
    }

    private func context(before end: Int) -> Context {
        var context = Context()
        var index = 0
        while index < end {
            let start = index
            index += 1
            switch bytes[start] {
            case " ", "\t", "\n", "\r": continue
            case "\"":
                while index < end, bytes[index] != "\"" { index += bytes[index] == "\\" ? 2 : 1 }
                guard index < end else {
                    context.openString = start
                    return context
                }
                index += 1
            case "{", "[": context.open.append(start)
            case "}", "]": _ = context.open.popLast()
            case ",", ":": break
            default: while index < end, !",:{}[]\" \t\r\n".utf8.contains(bytes[index]) { index += 1 }
            }
            (context.tokenStart, context.tokenEnd) = (start, index)
        }
        return context
    }
}

private func == (byte: UInt8, scalar: Unicode.Scalar) -> Bool { byte == UInt8(ascii: scalar) }
private func != (byte: UInt8, scalar: Unicode.Scalar) -> Bool { byte != UInt8(ascii: scalar) }
private func ~= (scalar: Unicode.Scalar, byte: UInt8) -> Bool { byte == scalar }
