/// The escapes in JSON's strings (RFC 8259 section 7).
package enum StringEscapes {
    /// The characters of a string whose escapes were checked by the parser, as UTF-8.
    static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
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
            case UInt8(ascii: "u"): result.append(contentsOf: scalar(text, &index).utf8)
            default: result.append(letter)
            }
        }
        return result
    }

    /// The scalar of one `\u` escape, or of two that are a surrogate pair; `index` is that of the first
    /// digit.
    private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        func unit(at start: Int) -> UInt32 { text.baseAddress.flatMap { hexadecimal($0 + start) } ?? 0xFFFD }
        let first = unit(at: index)
        index += 4
        guard case 0xD800..<0xDC00 = first else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let second = unit(at: index + 2)
        index += 6
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    /// The value of four hexadecimal digits; reading ends with the first byte that is not one.
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
                for digit in [byte >> 4, byte & 15] {
                    result.append(digit < 10 ? digit + 0x30 : digit + 0x57)
                }
            default: result.append(byte)
            }
        }
        result.append(contentsOf: text[start...])
        result.append(UInt8(ascii: "\""))
    }
}
