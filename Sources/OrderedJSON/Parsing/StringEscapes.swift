/// The escapes in JSON's strings (RFC 8259 section 7).
package enum StringEscapes {
    /// The characters of a string whose escapes were checked by the parser, as UTF-8.
    static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
                result.append(text[index])
                index += 1
                continue
            }
            let letter = text[index + 1]
            index += 2
            switch letter {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "u"): append(scalar(text, &index), to: &result)
            default: result.append(letter)
            }
        }
        return result
    }

    /// The scalar of one `\u` escape, or of two that are a surrogate pair; `index` is that of the first digit.
    private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        func unit() -> UInt32? {
            guard index + 4 <= text.count, let start = text.baseAddress else { return nil }
            defer { index += 4 }
            return hexadecimal(start + index)
        }
        guard let first = unit() else { return replacement }
        guard case 0xD800..<0xDC00 = first else { return Unicode.Scalar(first) ?? replacement }
        index += 2
        guard let second = unit(), case 0xDC00..<0xE000 = second else { return replacement }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? replacement
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        if let bytes = UTF8.encode(scalar) { result.append(contentsOf: bytes) }
    }

    /// The value of four hexadecimal digits; at most the first that is none is read, and nothing behind it.
    static func hexadecimal(_ digits: UnsafePointer<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<4 {
            switch digits[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(digits[index] &- 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(digits[index] &- 0x57)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(digits[index] &- 0x37)
            default: return nil
            }
        }
        return value
    }

    /// Appends a string in quotation marks. Escaped is only what must be.
    package static func appendQuoted(_ text: [UInt8], to result: inout [UInt8]) {
        text.withUnsafeBufferPointer { appendQuoted($0, to: &result) }
    }

    /// Appends a string in quotation marks. Escaped is only what must be.
    package static func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            result.append(contentsOf: text[start..<index])
            start = index + 1
            result.append(UInt8(ascii: "\\"))
            switch byte {
            case 0x08: result.append(UInt8(ascii: "b"))
            case 0x09: result.append(UInt8(ascii: "t"))
            case 0x0A: result.append(UInt8(ascii: "n"))
            case 0x0C: result.append(UInt8(ascii: "f"))
            case 0x0D: result.append(UInt8(ascii: "r"))
            case 0x00..<0x20:
                result.append(contentsOf: "u00".utf8)
                for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? digit + 0x30 : digit + 0x57) }
            default: result.append(byte)
            }
        }
        result.append(contentsOf: text[start...])
        result.append(UInt8(ascii: "\""))
    }
}
