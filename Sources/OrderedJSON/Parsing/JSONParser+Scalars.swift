extension JSONParser {
    // MARK: Strings

    /// Finds the end of a string and checks what is in it.
    ///
    /// - Parameter start: The index of the opening quotation mark.
    /// - Returns: The index of the closing one.
    @inline(__always)
    func string(after start: Int) throws(Failure) -> (end: Int, tag: NodeWord.Tag) {
        var position = start + 1
        while true {
            let special = Self.special(load(position))
            if special != 0 {
                position += special.trailingZeroBitCount >> 3
                break
            }
            position += 8
        }
        if bytes[position] == UInt8(ascii: "\"") { return (position, .string) }
        return try restOfString(from: position, of: start)
    }

    /// The bytes of a word that end a run of plain ASCII: quotation mark, backslash, control characters, and what is not
    /// ASCII. Their highest bits are set; the lowest one set is exact, those above it may be too many.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ ones &* 0x22
        let backslashes = word ^ ones &* 0x5C
        let found = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
        return (found | word) & high
    }

    /// The string from its first byte that is not plain ASCII.
    @inline(never)
    private func restOfString(from start: Int, of opening: Int) throws(Failure) -> (end: Int, tag: NodeWord.Tag) {
        var position = start
        var tag = NodeWord.Tag.string
        while true {
            let special = Self.special(load(position))
            guard special != 0 else {
                position += 8
                continue
            }
            position += special.trailingZeroBitCount >> 3
            switch bytes[position] {
            case UInt8(ascii: "\""): return (position, tag)
            case UInt8(ascii: "\\"):
                tag = .escapedString
                position = try escape(position, of: opening)
            case 0x80...: position = try scalar(position)
            case 0x00...0x1F:
                throw position == count
                    ? Failure(reason: .unterminatedString, offset: opening)
                    : Failure(reason: .controlCharacter, offset: position)
            default: position += 1
            }
        }
    }

    /// - Returns: The index after the escape.
    private func escape(_ start: Int, of opening: Int) throws(Failure) -> Int {
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            let first = try hexadecimal(start)
            switch first {
            case 0xD800..<0xDC00:
                guard bytes[start + 6] == UInt8(ascii: "\\"), bytes[start + 7] == UInt8(ascii: "u"),
                    case 0xDC00..<0xE000 = try hexadecimal(start + 6)
                else { throw Failure(reason: .loneSurrogate, offset: start) }
                return start + 12
            case 0xDC00..<0xE000: throw Failure(reason: .loneSurrogate, offset: start)
            default: return start + 6
            }
        default:
            throw start + 1 == count
                ? Failure(reason: .unterminatedString, offset: opening) : Failure(reason: .invalidEscape, offset: start)
        }
    }

    private func hexadecimal(_ start: Int) throws(Failure) -> UInt32 {
        guard let value = StringEscapes.hexadecimal(bytes + start + 2) else {
            throw Failure(reason: .invalidEscape, offset: start)
        }
        return value
    }

    /// One character outside ASCII: well-formed as in table 3-7 of the Unicode Standard.
    ///
    /// - Returns: The index after it.
    private func scalar(_ start: Int) throws(Failure) -> Int {
        func isContinuation(_ index: Int) -> Bool { bytes[start + index] & 0xC0 == 0x80 }
        let second = bytes[start + 1]
        switch bytes[start] {
        case 0xC2...0xDF where isContinuation(1): return start + 2
        case 0xE0 where second >= 0xA0 && isContinuation(1) && isContinuation(2): return start + 3
        case 0xED where second <= 0x9F && isContinuation(1) && isContinuation(2): return start + 3
        case 0xE1...0xEC where isContinuation(1) && isContinuation(2): return start + 3
        case 0xEE...0xEF where isContinuation(1) && isContinuation(2): return start + 3
        case 0xF0 where second >= 0x90 && isContinuation(1) && isContinuation(2) && isContinuation(3): return start + 4
        case 0xF4 where second <= 0x8F && isContinuation(1) && isContinuation(2) && isContinuation(3): return start + 4
        case 0xF1...0xF3 where isContinuation(1) && isContinuation(2) && isContinuation(3): return start + 4
        default: throw Failure(reason: .invalidUTF8, offset: start)
        }
    }

    // MARK: Numbers

    /// - Returns: The index after the number.
    @inline(__always)
    func number(_ start: Int) throws(Failure) -> Int {
        var position = start
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            position = try digits(position, of: start)
        }
        if bytes[position] == UInt8(ascii: ".") { position = try digits(position + 1, of: start) }
        if bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
            position = try digits(position, of: start)
        }
        // "01", "1x", "1.2.3": what follows must not look like more of the number.
        switch bytes[position] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            throw Failure(reason: .invalidNumber, offset: start)
        default: break
        }
        guard position - start <= limits.numberLength else {
            throw Failure(reason: .numberTooLong(limit: limits.numberLength), offset: start)
        }
        return position
    }

    /// At least one digit.
    @inline(__always)
    private func digits(_ first: Int, of number: Int) throws(Failure) -> Int {
        var position = first
        while bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > first else {
            throw position == count
                ? Failure(reason: .unexpectedEnd, offset: count) : Failure(reason: .invalidNumber, offset: number)
        }
        return position
    }
}
