/// Reads the small parts of a selector: names, strings, numbers, white space and comments.
struct SelectorScanner {
    let text: String
    private let scalars: [Unicode.Scalar]
    var position = 0

    init(_ text: String) {
        self.text = text
        // CSS reads a carriage return as a line feed, before another as nothing, and a zero as the
        // replacement character.
        let replaced: [Unicode.Scalar: Unicode.Scalar] = ["\0": "\u{FFFD}", "\r": "\n", "\u{C}": "\n"]
        scalars = text.replacing("\r\n", with: "\n").unicodeScalars.map { replaced[$0] ?? $0 }
    }

    var isAtEnd: Bool { position >= scalars.count }

    func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        scalars.indices.contains(position + ahead) ? scalars[position + ahead] : nil
    }

    mutating func advance(_ number: Int = 1) { position += number }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    mutating func expect(_ scalar: Unicode.Scalar, _ expected: String? = nil) throws {
        if !take(scalar) { throw error(expected: expected ?? "\"\(scalar)\"") }
    }

    /// An error at the scanner's position, or at an earlier one.
    func error(expected: String, at place: Int? = nil) -> XMLSelectorError {
        let before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(place ?? position)))
        return XMLSelectorError(selector: text, column: before.count + 1, expected: expected)
    }

    /// Skips white space and comments, and says whether there was white space. A comment is not white space.
    @discardableResult
    mutating func skipSpace() throws -> Bool {
        var found = false
        while true {
            if takeSpace() {
                found = true
            } else if peek() == "/", peek(1) == "*" {
                let start = position
                advance(2)
                while peek() != "*" || peek(1) != "/" {
                    if isAtEnd { throw error(expected: "a comment that ends in */", at: start) }
                    advance()
                }
                advance(2)
            } else {
                return found
            }
        }
    }

    private mutating func takeSpace() -> Bool { take(" ") || take("\t") || take("\n") }

    private mutating func takeAny() -> Unicode.Scalar {
        advance()
        return peek(-1) ?? "\u{FFFD}"
    }

    // MARK: Names

    /// Whether a name starts here.
    var isAtName: Bool { peek() == "-" ? peek(1) == "-" || isNameStart(at: 1) : isNameStart(at: 0) }

    /// Whether a name starts here, or what may stand in its place or before it.
    var isAtQualifiedName: Bool { isAtName || peek() == "*" || peek() == "|" }

    private func isNameStart(at ahead: Int) -> Bool {
        peek(ahead)?.isNameStart == true || isEscape(at: ahead)
    }

    private func isEscape(at ahead: Int) -> Bool {
        peek(ahead) == "\\" && peek(ahead + 1).map { $0 != "\n" } ?? false
    }

    mutating func name(expected: String) throws -> String {
        guard isAtName else { throw error(expected: expected) }
        return nameParts()
    }

    /// What may follow a `#`: a name that may start with a digit.
    mutating func hashName() throws -> String {
        let name = nameParts()
        if name.isEmpty { throw error(expected: "an id after #") }
        return name
    }

    private mutating func nameParts() -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek(), scalar.isNamePart || isEscape(at: 0) {
            name.append(scalar.isNamePart ? takeAny() : escape())
        }
        return String(name)
    }

    /// A backslash and what it stands for: up to six hexadecimal digits and one white space, or any
    /// character.
    private mutating func escape() -> Unicode.Scalar {
        advance()
        var value: UInt32 = 0
        var digits = 0
        while digits < 6, let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue {
            value = value * 16 + UInt32(digit)
            digits += 1
            advance()
        }
        if digits == 0 { return takeAny() }
        _ = takeSpace()
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    // MARK: Strings and numbers

    mutating func stringOrName(expected: String) throws -> String {
        guard let quote = peek(), quote == "\"" || quote == "'" else { return try name(expected: expected) }
        let start = position
        advance()
        var content = String.UnicodeScalarView()
        while let scalar = peek(), scalar != "\n" {
            if take(quote) { return String(content) }
            if scalar != "\\" {
                content.append(takeAny())
            } else if peek(1) == "\n" {
                advance(2)
            } else if peek(1) != nil {
                content.append(escape())
            } else {
                break
            }
        }
        throw error(expected: "a string that ends in \(quote)", at: start)
    }

    /// 1 or -1; nil when there is no sign.
    mutating func sign() -> Int? { take("-") ? -1 : take("+") ? 1 : nil }

    /// Digits; nil when there are none.
    mutating func digits() throws -> Int? {
        var value = 0
        let start = position
        while let scalar = peek(), scalar.isASCII, let digit = Character(scalar).wholeNumberValue {
            value = value * 10 + digit
            if value > Int(Int32.max) { throw error(expected: "a number below 2147483648", at: start) }
            advance()
        }
        return position > start ? value : nil
    }
}

extension Unicode.Scalar {
    fileprivate var isNameStart: Bool {
        "a"..."z" ~= self || "A"..."Z" ~= self || self == "_" || value >= 0x80
    }

    fileprivate var isNamePart: Bool { isNameStart || "0"..."9" ~= self || self == "-" }
}
