/// Reads strict JSON (RFC 8259) and reports every departure from it with its place.
///
/// It repairs nothing: a departure is an error. But it goes on after the usual slips (a comma too few or too many, a
/// string that is not closed, an unquoted word), so that one run shows all of them.
struct JSONReader {
    /// Deeper nesting than any model has; it keeps a hostile file from exhausting the stack.
    static let maximumDepth = 128

    private var scanner: JSONScanner
    private var problems = Diagnostics()

    /// The value in `file`, nil when there is none, and what was wrong.
    static func read(_ file: SourceFile, into diagnostics: inout Diagnostics) -> JSONNode? {
        guard let start = Encoding.check(file, into: &diagnostics) else { return nil }
        var reader = JSONReader(scanner: JSONScanner(path: file.path, bytes: file.bytes, skipping: start))
        var root: JSONNode?
        do {
            root = try reader.readFile()
        } catch {
            reader.problems.error(at: error.location, error.message)
        }
        diagnostics.add(reader.problems)
        return root
    }

    private init(scanner: JSONScanner) {
        self.scanner = scanner
    }

    /// A slip after which nothing further can be understood.
    private struct Hopeless: Error {
        let location: SourceLocation
        let message: String
    }

    private mutating func readFile() throws(Hopeless) -> JSONNode? {
        skipBlanks()
        if scanner.isAtEnd {
            problems.error(at: scanner.location, "The file is empty: it needs an object, '{ … }'.")
            return nil
        }
        let root = try readValue(depth: 0)
        skipBlanks()
        if scanner.isAtEnd { return root }
        let next = scanner.byte
        let advice = next == Ascii.openBrace || next == Ascii.comma
            ? " Several models in one file go into a list: '[ { … }, { … } ]'." : " Remove it."
        problems.error(at: scanner.location, "There is text after the end of the value.\(advice)")
        return root
    }

    private mutating func readValue(depth: Int) throws(Hopeless) -> JSONNode {
        let location = scanner.location
        guard depth < Self.maximumDepth else {
            throw Hopeless(location: location, message: "Values are nested deeper than \(Self.maximumDepth) levels.")
        }
        guard let byte = scanner.byte else {
            throw Hopeless(location: location, message: "The file ends where a value should be.")
        }
        switch byte {
        case Ascii.openBrace: return try readObject(depth: depth)
        case Ascii.openBracket: return try readArray(depth: depth)
        case Ascii.quote: return JSONNode(value: readString().map { .string($0) } ?? .damaged, location: location)
        default:
            if readForeignString() != nil { return JSONNode(value: .damaged, location: location) }
            return try readWord(location)
        }
    }

    // MARK: Objects and lists

    private mutating func readObject(depth: Int) throws(Hopeless) -> JSONNode {
        let opening = scanner.location
        scanner.advance()
        var members: [JSONNode.Member] = []
        skipBlanks()
        while !scanner.take(Ascii.closeBrace) {
            if scanner.isAtEnd { throw unclosed("{", "}", opening) }
            try members.append(readMember(depth: depth))
            try readSeparator(closing: Ascii.closeBrace, opening: opening, afterDamage: members.last?.value.isDamaged)
        }
        return JSONNode(value: .object(members), location: opening)
    }

    private mutating func readMember(depth: Int) throws(Hopeless) -> JSONNode.Member {
        let location = scanner.location
        let key: String?
        if scanner.byte == Ascii.quote {
            key = readString()
            if key == nil {
                // The line's rest went into the key: there is no value to be found on it.
                return JSONNode.Member(keyLocation: location, value: JSONNode(value: .damaged, location: location))
            }
        } else if let text = readForeignString() {
            key = text
        } else if let word = takeWord() {
            problems.error(at: location, "The key \(word) needs double quotation marks: \"\(word)\".")
            key = word
        } else {
            throw unexpected("a key in double quotation marks")
        }
        let afterKey = scanner.location
        skipBlanks()
        if !scanner.take(Ascii.colon) {
            switch scanner.byte {
            case Ascii.comma, Ascii.closeBrace:
                problems.error(
                    at: location, "The key \"\(key ?? "")\" has no value: ': \"String\"' or the like is missing.")
                return JSONNode.Member(
                    key: key, keyLocation: location, value: JSONNode(value: .damaged, location: location))
            case Ascii.quote, Ascii.openBrace, Ascii.openBracket:
                problems.error(at: afterKey, "A colon is missing after the key \"\(key ?? "")\".")
            default:
                throw unexpected("a colon after the key \"\(key ?? "")\"")
            }
        }
        skipBlanks()
        if scanner.byte == Ascii.comma || scanner.byte == Ascii.closeBrace {
            problems.error(at: scanner.location, "The value of \"\(key ?? "")\" is missing.")
            return JSONNode.Member(
                key: key, keyLocation: location, value: JSONNode(value: .damaged, location: scanner.location))
        }
        return JSONNode.Member(key: key, keyLocation: location, value: try readValue(depth: depth + 1))
    }

    private mutating func readArray(depth: Int) throws(Hopeless) -> JSONNode {
        let opening = scanner.location
        scanner.advance()
        var elements: [JSONNode] = []
        skipBlanks()
        while !scanner.take(Ascii.closeBracket) {
            if scanner.isAtEnd { throw unclosed("[", "]", opening) }
            try elements.append(readValue(depth: depth + 1))
            try readSeparator(
                closing: Ascii.closeBracket, opening: opening, afterDamage: elements.last?.isDamaged)
        }
        return JSONNode(value: .array(elements), location: opening)
    }

    /// Reads what stands between two members or elements; the closing bracket is left for the caller.
    private mutating func readSeparator(
        closing: UInt8, opening: SourceLocation, afterDamage: Bool?
    ) throws(Hopeless) {
        let afterValue = scanner.location
        if scanner.byte == Ascii.quote, endsItem(scanner.byte(ahead: 1)) {
            problems.error(at: afterValue, "There is one quotation mark too many. Remove it.")
            scanner.advance()
        }
        skipBlanks()
        let place = scanner.location
        if scanner.take(Ascii.comma) {
            skipBlanks()
            if scanner.byte == closing {
                problems.error(at: place, "The last comma is one too many: nothing follows it. Remove it.")
            }
            while scanner.byte == Ascii.comma {
                problems.error(at: scanner.location, "There is one comma too many. Remove it.")
                scanner.advance()
                skipBlanks()
            }
            return
        }
        switch scanner.byte {
        case closing: return
        case nil: throw closing == Ascii.closeBrace ? unclosed("{", "}", opening) : unclosed("[", "]", opening)
        case Ascii.closeBrace, Ascii.closeBracket:
            throw unexpected(closing == Ascii.closeBrace ? "',' or '}'" : "',' or ']'")
        default:
            let startsItem = scanner.byte == Ascii.quote || scanner.byte == Ascii.openBrace
            guard startsItem || afterDamage == true else {
                throw unexpected(closing == Ascii.closeBrace ? "',' or '}'" : "',' or ']'")
            }
            if afterDamage != true { problems.error(at: afterValue, "A comma is missing here.") }
        }
    }

    private func endsItem(_ byte: UInt8?) -> Bool {
        switch byte {
        case nil, Ascii.comma, Ascii.closeBrace, Ascii.closeBracket, Ascii.newline, Ascii.carriageReturn: true
        default: false
        }
    }

    // MARK: Strings and words

    /// The string that starts here, nil (and reported) when it is not one.
    private mutating func readString() -> String? {
        let opening = scanner.location
        scanner.advance()
        var text: [UInt8] = []
        var isSound = true
        while let byte = scanner.byte {
            switch byte {
            case Ascii.quote:
                scanner.advance()
                return isSound ? String(decoding: text, as: UTF8.self) : nil
            case Ascii.backslash:
                if !readEscape(into: &text) { isSound = false }
            case Ascii.newline, Ascii.carriageReturn:
                problems.error(at: opening, "This string is not closed: a '\"' is missing before the end of the line.")
                return nil
            case 0..<Ascii.space:
                let code = hex(UInt32(byte))
                problems.error(
                    at: scanner.location, "A string must not hold the control character U+\(code): write \\u\(code).")
                isSound = false
                scanner.advance()
            default:
                scanner.takeScalar(into: &text)
            }
        }
        problems.error(at: opening, "This string is not closed: a '\"' is missing before the end of the file.")
        return nil
    }

    private mutating func readEscape(into text: inout [UInt8]) -> Bool {
        let location = scanner.location
        scanner.advance()
        guard let byte = scanner.byte, byte != Ascii.newline, byte != Ascii.carriageReturn else { return true }
        let plain: [UInt8: UInt8] = [
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
            UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        ]
        if let value = plain[byte] {
            text.append(value)
            scanner.advance()
            return true
        }
        if byte == UInt8(ascii: "u"), let scalar = readUnicodeEscape() {
            text.append(contentsOf: String(scalar).utf8)
            return true
        }
        problems.error(
            at: location,
            "This escape means nothing in JSON. Known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits.")
        return false
    }

    /// Reads `uXXXX`, and the second half of a surrogate pair after it.
    private mutating func readUnicodeEscape() -> Unicode.Scalar? {
        guard let unit = readHexDigits() else { return nil }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), scanner.byte == Ascii.backslash,
              scanner.byte(ahead: 1) == UInt8(ascii: "u") else { return nil }
        scanner.advance()
        guard let second = readHexDigits(), (0xDC00..<0xE000).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func readHexDigits() -> UInt32? {
        scanner.advance()
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = scanner.byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
            scanner.advance()
        }
        return unit
    }

    /// A string in other quotation marks than JSON's: reported, and read for its text so that reading can go on.
    private mutating func readForeignString() -> String? {
        let pairs: [Unicode.Scalar: [Unicode.Scalar]] = [
            "'": ["'"], "`": ["`"], "“": ["”", "“"], "”": ["”"], "„": ["“", "”"], "‘": ["’"], "’": ["’"], "«": ["»"],
        ]
        guard let mark = scanner.scalar, let closing = pairs[mark] else { return nil }
        problems.error(
            at: scanner.location, "Text stands in double quotation marks (\") in JSON; this is \(mark). Replace it.")
        scanner.advanceScalar()
        var text: [UInt8] = []
        while let scalar = scanner.scalar, scalar != "\n", scalar != "\r" {
            if closing.contains(scalar) || scalar == "\"" {
                scanner.advanceScalar()
                break
            }
            scanner.takeScalar(into: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads `true`, `false`, `null` or a number; anything else is an error.
    private mutating func readWord(_ location: SourceLocation) throws(Hopeless) -> JSONNode {
        guard let word = takeWord() else { throw unexpected("a value") }
        switch word {
        case "true": return JSONNode(value: .boolean(true), location: location)
        case "false": return JSONNode(value: .boolean(false), location: location)
        case "null": return JSONNode(value: .null, location: location)
        default:
            if Self.isNumber(word) { return JSONNode(value: .number(word), location: location) }
            problems.error(at: location, "The text \(word) needs double quotation marks: \"\(word)\".")
            return JSONNode(value: .damaged, location: location)
        }
    }

    /// Letters, digits and what else numbers and names hold; nil when there are none.
    private mutating func takeWord() -> String? {
        var text: [UInt8] = []
        while let byte = scanner.byte {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "."):
                scanner.takeScalar(into: &text)
            default:
                return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
            }
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Whether it is a number as RFC 8259 section 6 defines it.
    private static func isNumber(_ word: String) -> Bool {
        word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
    }

    // MARK: What is between

    private mutating func skipBlanks() {
        while let byte = scanner.byte {
            switch byte {
            case Ascii.space, Ascii.tab, Ascii.newline, Ascii.carriageReturn:
                scanner.advance()
            case Ascii.slash where scanner.byte(ahead: 1) == Ascii.slash, Ascii.hash:
                reportComment()
                while let byte = scanner.byte, byte != Ascii.newline, byte != Ascii.carriageReturn { scanner.advance() }
            case Ascii.slash where scanner.byte(ahead: 1) == Ascii.star:
                reportComment()
                while let byte = scanner.byte, byte != Ascii.star || scanner.byte(ahead: 1) != Ascii.slash {
                    scanner.advance()
                }
                scanner.advance()
                scanner.advance()
            default:
                // Vertical tab, form feed, or something beyond ASCII: all else begins a token.
                guard byte == 0x0B || byte == 0x0C || byte >= 0x80, let scalar = scanner.scalar,
                      scalar == "\u{FEFF}" || scalar.properties.isWhitespace else { return }
                problems.warn(
                    at: scanner.location,
                    "The blank U+\(hex(scalar.value)) is none in JSON, and a server may refuse the file. Remove it.")
                scanner.advanceScalar()
            }
        }
    }

    private mutating func reportComment() {
        problems.error(
            at: scanner.location, "JSON has no comments: what is to be said about a model goes into its notes file.")
    }

    // MARK: Errors

    private func unclosed(_ open: String, _ close: String, _ opening: SourceLocation) -> Hopeless {
        Hopeless(location: opening, message: "This '\(open)' is never closed: a '\(close)' is missing.")
    }

    private func unexpected(_ expected: String) -> Hopeless {
        guard let scalar = scanner.scalar else {
            return Hopeless(location: scanner.location, message: "The file ends where \(expected) should be.")
        }
        let found = scalar.properties.generalCategory == .control ? "U+\(hex(scalar.value))" : "'\(scalar)'"
        return Hopeless(location: scanner.location, message: "Here should be \(expected), but there is \(found).")
    }

    private func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
