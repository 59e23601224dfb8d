/// Turns a text into an arena in one pass. The text is followed by ``JSONArena/padding`` zero bytes. Zero is
/// allowed nowhere in JSON, so every loop stops at the padding and none compares with the end; eight bytes
/// can be loaded at once from any index of the text.
struct JSONParser {
    struct Failure: Error {
        let reason: JSONError.Reason
        let offset: Int
    }

    let bytes: UnsafePointer<UInt8>
    let count: Int
    let limits: JSONLimits

    /// The words made so far; grown when they are all used.
    private(set) var words: UnsafeMutablePointer<UInt64>
    private var capacity: Int
    private(set) var used = 0

    private init(bytes: UnsafePointer<UInt8>, count: Int, limits: JSONLimits) {
        self.bytes = bytes
        self.count = count
        self.limits = limits
        capacity = count / 16 + 16
        words = .allocate(capacity: capacity)
    }

    /// - Parameter bytes: Is copied.
    static func parse(_ source: UnsafeBufferPointer<UInt8>, limits: JSONLimits) throws(JSONError) -> JSONArena
    {
        let limit = min(limits.bytes, NodeWord.maximumSourceLength)
        guard source.count <= limit else {
            throw JSONError(reason: .tooLong(limit: limit), location: JSONLocation(offset: limit, in: source))
        }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count + JSONArena.padding)
        if let start = source.baseAddress { bytes.initialize(from: start, count: source.count) }
        (bytes + source.count).initialize(repeating: 0, count: JSONArena.padding)
        var parser = JSONParser(bytes: bytes, count: source.count, limits: limits)
        do {
            try parser.parse()
        } catch {
            defer { bytes.deallocate() }
            parser.words.deallocate()
            let padded = UnsafeBufferPointer(start: UnsafePointer(bytes), count: source.count)
            throw JSONError(reason: error.reason, location: JSONLocation(offset: error.offset, in: padded))
        }
        // Gives back what was allocated in vain, where it is much.
        if parser.capacity - parser.used > parser.used / 16 { parser.resize(to: parser.used) }
        return JSONArena(bytes: bytes, count: source.count, words: parser.words, wordCount: parser.used)
    }

    // MARK: Words

    @inline(__always)
    private mutating func append(_ word: NodeWord) {
        if used == capacity { resize(to: capacity + capacity / 2) }
        words[used] = word.bits
        used += 1
    }

    @inline(never)
    private mutating func resize(to newCapacity: Int) {
        let new = UnsafeMutablePointer<UInt64>.allocate(capacity: newCapacity)
        new.update(from: words, count: used)
        words.deallocate()
        words = new
        capacity = newCapacity
    }

    // MARK: The text

    /// Not recursive: a container that is open is a word whose length is, until it ends, the index of the
    /// container around it.
    private mutating func parse() throws(Failure) {
        let bytes = bytes
        var position = bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
        var open = -1
        var isObject = false
        var depth = 0

        value: while true {
            position = skipSpace(position)
            let start = position
            let byte = bytes[start]
            switch byte {
            case UInt8(ascii: "\""):
                let (end, tag) = try string(after: start)
                append(NodeWord(tag, offset: start, length: end - start - 1))
                position = end + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= limits.depth else {
                    throw Failure(reason: .tooDeep(limit: limits.depth), offset: start)
                }
                isObject = byte == UInt8(ascii: "{")
                append(NodeWord(isObject ? .object : .array, offset: start, length: open + 1))
                open = used - 1
                position = skipSpace(start + 1)
                if bytes[position] != UInt8(ascii: isObject ? "}" : "]") {
                    if isObject { position = try name(position) }
                    continue value
                }
            case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"):
                position = try numberOrNonFinite(start)
                append(NodeWord(.number, offset: start, length: position - start))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                position = try number(start)
                append(NodeWord(.number, offset: start, length: position - start))
            case UInt8(ascii: "t"): position = try literal(.true, start, 0x65_75_72_74, at: start)
            case UInt8(ascii: "f"): position = try literal(.false, start, 0x65_73_6C_61, at: start + 1)
            case UInt8(ascii: "n"): position = try literal(.null, start, 0x6C_6C_75_6E, at: start)
            default: throw expected(open < 0 && start == count ? .empty : .expectedValue, at: start)
            }

            // After a value, or at the end of an empty container.
            while true {
                position = skipSpace(position)
                if open < 0 {
                    guard position == count else { throw Failure(reason: .trailingText, offset: position) }
                    return
                }
                let byte = bytes[position]
                if byte == UInt8(ascii: ",") {
                    guard used < limits.nodes else {
                        throw Failure(reason: .tooManyNodes(limit: limits.nodes), offset: position)
                    }
                    position += 1
                    if isObject { position = try name(skipSpace(position)) }
                    continue value
                }
                guard byte == UInt8(ascii: isObject ? "}" : "]") else {
                    throw expected(.expectedCommaOrEnd, at: position)
                }
                position += 1
                depth -= 1
                let word = NodeWord(bits: words[open])
                words[open] = NodeWord(word.tag, offset: word.offset, length: used - open).bits
                open = word.length - 1
                isObject = open >= 0 && NodeWord(bits: words[open]).tag == .object
            }
        }
    }

    @inline(__always)
    private func skipSpace(_ start: Int) -> Int {
        var position = start
        guard bytes[position] <= 0x20 else { return position }
        while true {
            // Indented texts are a third spaces.
            while load(position) == 0x2020_2020_2020_2020 { position += 8 }
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return position }
            position += 1
        }
    }

    /// Eight bytes, the first in the lowest bits.
    @inline(__always)
    func load(_ position: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes + position).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    private mutating func name(_ start: Int) throws(Failure) -> Int {
        guard bytes[start] == UInt8(ascii: "\"") else { throw expected(.expectedName, at: start) }
        let (end, tag) = try string(after: start)
        append(NodeWord(tag, offset: start, length: end - start - 1))
        let position = skipSpace(end + 1)
        guard bytes[position] == UInt8(ascii: ":") else { throw expected(.expectedColon, at: position) }
        return position + 1
    }

    /// - Parameter letters: The last four, which begin at `last`.
    @inline(__always)
    private mutating func literal(_ tag: NodeWord.Tag, _ start: Int, _ letters: UInt32, at last: Int)
        throws(Failure) -> Int
    {
        let found = UInt32(littleEndian: UnsafeRawPointer(bytes + last).loadUnaligned(as: UInt32.self))
        guard found == letters else { throw expected(.expectedValue, at: start) }
        append(NodeWord(tag, offset: start, length: last + 4 - start))
        return last + 4
    }

    /// The error for an unexpected byte: the text may just end there.
    func expected(_ reason: JSONError.Reason, at position: Int) -> Failure {
        Failure(reason: position == count && reason != .empty ? .unexpectedEnd : reason, offset: position)
    }

    // MARK: Strings

    /// Checks a string, and finds the index of its closing quotation mark by that of the opening one.
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

    /// The bytes of a word that end a run of plain ASCII: quotation mark, backslash, control characters, and
    /// what is not ASCII. Their highest bits are set; the lowest one set is exact, those above it may be too
    /// many.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ ones &* 0x22
        let backslashes = word ^ ones &* 0x5C
        let found =
            (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
        return (found | word) & high
    }

    /// The string from its first byte that is not plain ASCII.
    @inline(never)
    private func restOfString(from start: Int, of opening: Int) throws(Failure) -> (
        end: Int, tag: NodeWord.Tag
    ) {
        var position = start
        var tag = NodeWord.Tag.string
        while true {
            let special = Self.special(load(position))
            position += special == 0 ? 8 : special.trailingZeroBitCount >> 3
            if special == 0 { continue }
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
                ? Failure(reason: .unterminatedString, offset: opening)
                : Failure(reason: .invalidEscape, offset: start)
        }
    }

    private func hexadecimal(_ start: Int) throws(Failure) -> UInt32 {
        guard let value = StringEscapes.hexadecimal(bytes + start + 2) else {
            throw Failure(reason: .invalidEscape, offset: start)
        }
        return value
    }

    /// The index after one character outside ASCII: well-formed as in table 3-7 of the Unicode Standard.
    private func scalar(_ start: Int) throws(Failure) -> Int {
        let end =
            switch (bytes[start], bytes[start + 1]) {
            case (0xC2...0xDF, _): start + 2
            case (0xE0, 0xA0...), (0xED, ...0x9F), (0xE1...0xEC, _), (0xEE...0xEF, _): start + 3
            case (0xF0, 0x90...), (0xF4, ...0x8F), (0xF1...0xF3, _): start + 4
            default: start
            }
        guard end > start, (start + 1..<end).allSatisfy({ bytes[$0] & 0xC0 == 0x80 }) else {
            throw Failure(reason: .invalidUTF8, offset: start)
        }
        return end
    }

    // MARK: Numbers

    /// - Returns: The index after the number.
    @inline(__always)
    func number(_ start: Int) throws(Failure) -> Int {
        var position = start
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        position = try bytes[position] == UInt8(ascii: "0") ? position + 1 : digits(position, of: start)
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

    /// - Returns: The index after a negative number, or one of those that JSON does not have, where these are
    ///   taken.
    private func numberOrNonFinite(_ start: Int) throws(Failure) -> Int {
        if limits.takesNonFiniteNumbers {
            // Ends at the first byte that differs, in the padding at the latest.
            for word in ["NaN", "Infinity", "-Infinity"]
            where zip(0..., word.utf8).allSatisfy({ bytes[start + $0] == $1 }) {
                return start + word.utf8.count
            }
        }
        guard bytes[start] == UInt8(ascii: "-") else { throw expected(.expectedValue, at: start) }
        return try number(start)
    }

    /// At least one digit.
    @inline(__always)
    private func digits(_ first: Int, of number: Int) throws(Failure) -> Int {
        var position = first
        while bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > first else {
            throw position == count
                ? Failure(reason: .unexpectedEnd, offset: count)
                : Failure(reason: .invalidNumber, offset: number)
        }
        return position
    }
}
