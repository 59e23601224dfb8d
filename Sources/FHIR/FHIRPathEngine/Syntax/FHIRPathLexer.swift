/// Cuts an expression into tokens (FHIRPath 2.0, Appendix A, lexical elements).
struct FHIRPathLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The tokens, `.end` last.
    static func tokens(of text: String) throws(FHIRPathError) -> [FHIRPathToken] {
        var lexer = FHIRPathLexer(text)
        var tokens: [FHIRPathToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(FHIRPathError) -> FHIRPathToken {
        try skipBlanksAndComments()
        let start = position
        return FHIRPathToken(kind: try kind(), offset: start)
    }

    private mutating func kind() throws(FHIRPathError) -> FHIRPathToken.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case "0"..."9": return number()
        case "'": return .string(try quoted("'"))
        case "`": return .identifier(try quoted("`"), isDelimited: true)
        case "@": return try date()
        case "$":
            position += 1
            let name = word()
            guard ["this", "index", "total"].contains(name) else {
                throw error(
                    "There is no $\(name); $this, $index and $total are.",
                    at: position - name.utf8.count - 1
                )
            }
            return .special(name)
        case _ where byte.isNameStart: return .identifier(word(), isDelimited: false)
        default: return .symbol(try symbol())
        }
    }

    private mutating func skipBlanksAndComments() throws(FHIRPathError) {
        while let byte = peek() {
            if byte == " " || byte == "\t" || byte == "\n" || byte == "\r" {
                position += 1
            } else if byte == "/", peek(1) == "/" {
                while let byte = peek(), byte != "\n", byte != "\r" { position += 1 }
            } else if byte == "/", peek(1) == "*" {
                let start = position
                position += 2
                while !(peek() == "*" && peek(1) == "/") {
                    guard position < bytes.count else { throw error("The comment does not end.", at: start) }
                    position += 1
                }
                position += 2
            } else {
                return
            }
        }
    }

    private mutating func word() -> String {
        let start = position
        while let byte = peek(), byte.isNameStart || byte.isDigit { position += 1 }
        return text(from: start)
    }

    private mutating func number() -> FHIRPathToken.Kind {
        let start = position
        while peek()?.isDigit == true { position += 1 }
        // `1.0` is a number, `1.toString()` calls a function.
        if peek() == ".", peek(1)?.isDigit == true {
            position += 1
            while peek()?.isDigit == true { position += 1 }
        }
        let digits = text(from: start)
        guard peek() == "L", !digits.contains("."), peek(1)?.isNameStart != true else {
            return .number(digits, isLong: false)
        }
        position += 1
        return .number(digits, isLong: true)
    }

    /// Takes what can be in a date or time; whether it is one is checked where its value is made.
    private mutating func date() throws(FHIRPathError) -> FHIRPathToken.Kind {
        let at = position
        position += 1
        let start = position
        var hasTime = false
        while let byte = peek() {
            if byte.isDigit {
                position += 1
            } else if byte == "T", !hasTime {
                hasTime = true
                position += 1
            } else if byte == "Z", hasTime {
                position += 1
                break
            } else if byte == ":" || byte == "-" || (byte == "+" && hasTime) || byte == ".",
                peek(1)?.isDigit == true
            {
                position += 1
            } else {
                break
            }
        }
        guard position > start else { throw error("A date or a time is expected after @.", at: at) }
        return .date(text(from: start))
    }

    private mutating func symbol() throws(FHIRPathError) -> String {
        for length in [2, 1] where position + length <= bytes.count {
            let symbol = String(decoding: bytes[position..<position + length], as: UTF8.self)
            if Self.symbols.contains(symbol) {
                position += length
                return symbol
            }
        }
        let character = String(decoding: bytes[position...].prefix(4), as: UTF8.self).first ?? " "
        throw error("“\(character)” is not expected.", at: position)
    }

    private static let symbols: Set<String> = [
        ".", ",", "(", ")", "[", "]", "{", "}", "+", "-", "*", "/", "&", "|", "<=", ">=", "<", ">", "=", "~",
        "!=", "!~",
        "%",
    ]

    /// What is between two quotation marks, with escapes resolved (FHIRPath section 4.1).
    private mutating func quoted(_ mark: Unicode.Scalar) throws(FHIRPathError) -> String {
        let start = position
        position += 1
        var units: [UInt8] = []
        while let byte = peek(), byte != mark {
            position += 1
            guard byte == "\\" else {
                units.append(bytes[position - 1])
                continue
            }
            guard let escaped = peek() else { break }
            position += 1
            switch escaped {
            case "f": units.append(0x0C)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "u": units += unicodeEscape().utf8
            // The others stand for themselves; a backslash before another character is dropped, as the
            // standard asks.
            default: units.append(bytes[position - 1])
            }
        }
        guard position < bytes.count else { throw error("The closing quotation mark is missing.", at: start) }
        position += 1
        return String(decoding: units, as: UTF8.self)
    }

    /// The character of four hexadecimal digits after `\u`, or of two such escapes that make a surrogate
    /// pair. With fewer digits the escape is the letter `u`.
    private mutating func unicodeEscape() -> String {
        guard let unit = hexadecimal(at: position) else { return "u" }
        position += 4
        if (0xD800..<0xDC00).contains(unit), peek() == "\\", peek(1) == "u",
            let low = hexadecimal(at: position + 2),
            (0xDC00..<0xE000).contains(low)
        {
            position += 6
            return String(decoding: [unit, low], as: UTF16.self)
        }
        return String(decoding: [unit], as: UTF16.self)
    }

    private func hexadecimal(at index: Int) -> UInt16? {
        guard index + 4 <= bytes.count else { return nil }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy({ Unicode.Scalar($0).isHexadecimal }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: Bytes

    /// A byte as the character that it is in ASCII; bytes of others are beyond `~` and match nothing.
    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < bytes.count ? Unicode.Scalar(bytes[position + ahead]) : nil
    }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private func error(_ reason: String, at offset: Int) -> FHIRPathError {
        .init(.syntax, reason, at: offset)
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isHexadecimal: Bool { isDigit || ("a"..."f").contains(self) || ("A"..."F").contains(self) }
    var isNameStart: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) || self == "_" }
}
