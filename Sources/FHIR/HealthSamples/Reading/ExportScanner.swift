import Foundation
import IndivoBase

/// Reads the tags of Apple's export, one after the other.
///
/// The export has no text, only tags with attributes. In some versions of iOS its DTD is invalid, so that a
/// parser of XML stops there. This scanner reports each malformed tag as an error, and continues with the
/// next one.
///
/// Nearly all tags are plain: complete in the buffer, and written as Apple writes them. They are read from
/// the bytes in one go, all others step by step, with the same result.
final class ExportScanner {
    enum TagKind { case start, empty, end }

    struct Tag {
        var kind: TagKind
        var name: String
        /// The line on which the tag begins, from 1.
        var line: Int
    }

    /// A malformed tag. The scanner continues after it.
    struct Malformed: Error {
        var line: Int
        var reason: String
        /// The name of a tag that is too long to be read.
        var tooLong: String?
    }

    private struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
        /// The first eight bytes of the name.
        var key: UInt64
    }

    /// More bytes than any tag or DTD has.
    static let maximumLength = 1 << 20

    private let source: ByteSource
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var line = 1
    private var attributes: [Attribute] = []
    private var names: [(bytes: [UInt8], name: String)] = []
    private let keepsText: Bool
    private let usesFastTagPath: Bool
    /// The bytes between the last tag and the one before it, with references, if they are kept; `nil` for
    /// more than 10,000. Each `&` of a CDATA section is kept as a reference.
    var text: [UInt8]? { isTextTooLong ? nil : keptText }
    private var keptText: [UInt8] = []
    private var isTextTooLong = false
    private static let textLimit = 10_000

    /// - Parameters:
    ///   - keepsText: Whether ``text`` is wanted.
    ///   - usesFastTagPath: Without it all tags are read step by step, to compare.
    init(_ source: ByteSource, keepsText: Bool = false, usesFastTagPath: Bool = true) {
        self.source = source
        self.keepsText = keepsText
        self.usesFastTagPath = usesFastTagPath
    }

    /// The line that the scanner is at.
    var currentLine: Int { line }

    /// The next tag; nil at the end.
    /// - Throws: ``Malformed``, or what the source throws.
    func next() throws -> Tag? {
        keptText.removeAll(keepingCapacity: true)
        isTextTooLong = false
        while true {
            guard try skip(to: UInt8(ascii: "<"), keepingText: keepsText) else { return nil }
            let isMarkup = try at(1).map { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "?") } ?? false
            if !isMarkup { return try tag() }
            try skipMarkup()
        }
    }

    /// The next start tag of a correlation; `nil` at the end. Tags before it are not parsed: no tag contains
    /// a `<`, so that only the beginnings of tags, and other markup, matter.
    func nextCorrelation() throws -> Tag? {
        while true {
            guard try skip(to: UInt8(ascii: "<")) else { return nil }
            switch try at(1) {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): try skipMarkup()
            case UInt8(ascii: "C") where try has("<Correlation"):
                let tag = try tag()
                if tag.name == "Correlation" { return tag }
            default: take(1)
            }
        }
    }

    // MARK: Bytes

    /// The byte at a distance from the current position; `nil` at the end.
    private func at(_ ahead: Int) throws -> UInt8? {
        while position + ahead >= buffer.count {
            if try !fill() { return nil }
        }
        return buffer[position + ahead]
    }

    private func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        guard let piece = try source.next() else {
            isAtEnd = true
            return false
        }
        buffer.removeSubrange(..<position)
        position = 0
        buffer += piece
        return true
    }

    /// Takes bytes, and counts the lines.
    private func take(_ count: Int) {
        let end = position + count
        buffer.withUnsafeBytes { bytes in
            while let found = bytes.index(of: 10, in: position..<end) {
                line += 1
                position = found + 1
            }
        }
        position = end
    }

    /// Skips everything before a byte; false at the end.
    private func skip(to byte: UInt8, keepingText: Bool = false) throws -> Bool {
        while true {
            let found = buffer.withUnsafeBytes { $0.index(of: byte, in: position..<$0.count) }
            if keepingText { keep(buffer[position..<(found ?? buffer.count)]) }
            if let found {
                take(found - position)
                return true
            }
            take(buffer.count - position)
            if try !fill() { return false }
        }
    }

    /// Keeps a piece of text, unless all of it is too long.
    private func keep(_ bytes: ArraySlice<UInt8>) {
        if keptText.count + bytes.count > Self.textLimit { isTextTooLong = true }
        if !isTextTooLong { keptText += bytes }
    }

    private func has(_ text: StaticString, at ahead: Int = 0) throws -> Bool {
        guard try at(ahead + text.utf8CodeUnitCount - 1) != nil else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where buffer[position + ahead + index] != text.utf8Start[index] { return false }
        return true
    }

    // MARK: What is not a tag

    /// Skips a comment, instruction, CDATA section or document type declaration.
    private func skipMarkup() throws {
        let start = line
        if try has("<!--") { return try skip(4, behind: "-->", start) }
        if try has("<?") { return try skip(2, behind: "?>", start) }
        if try has("<![CDATA[") { return try skipCharacters(start) }
        // A declaration: what is in brackets, quotation marks and comments does not end it.
        var ahead = 2
        var isInside = false
        var quote: UInt8?
        while let byte = try at(ahead) {
            if ahead > Self.maximumLength { throw tooLong(start, ahead) }
            if let open = quote {
                if byte == open { quote = nil }
            } else if try byte == UInt8(ascii: "<") && has("<!--", at: ahead) {
                ahead += 4
                while try at(ahead) != nil, try !has("-->", at: ahead) {
                    ahead += 1
                    if ahead > Self.maximumLength { throw tooLong(start, ahead) }
                }
                ahead += 2
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                isInside = true
            } else if byte == UInt8(ascii: "]") {
                isInside = false
            } else if byte == UInt8(ascii: ">"), !isInside {
                return take(ahead + 1)
            }
            ahead += 1
        }
        take(buffer.count - position)
        throw Malformed(line: start, reason: "the document type declaration does not end")
    }

    /// Skips everything up to an end mark, however long it is.
    private func skip(_ from: Int, behind end: StaticString, _ start: Int) throws {
        take(from)
        while try skip(to: end.utf8Start.pointee) {
            if try has(end) { return take(end.utf8CodeUnitCount) }
            take(1)
        }
        throw Malformed(line: start, reason: "'\(end)' is missing")
    }

    /// Skips a CDATA section. Its text is kept if texts are.
    private func skipCharacters(_ start: Int) throws {
        guard keepsText else { return try skip(9, behind: "]]>", start) }
        take(9)
        while try at(0) != nil {
            if isTextTooLong { return try skip(0, behind: "]]>", start) }
            if try has("]]>") { return take(3) }
            let byte = buffer[position]
            // In a CDATA section, `&` does not begin a reference.
            keep(byte == UInt8(ascii: "&") ? ArraySlice("&amp;".utf8) : [byte])
            take(1)
        }
        throw Malformed(line: start, reason: "']]>' is missing")
    }

    private func tooLong(_ line: Int, _ count: Int, _ name: String? = nil) -> Malformed {
        take(min(count, buffer.count - position))
        return Malformed(
            line: line,
            reason: "a tag or declaration has more than \(Self.maximumLength) bytes",
            tooLong: name
        )
    }

    // MARK: Tags

    private func tag() throws -> Tag {
        if usesFastTagPath, let plain = plainTag() {
            // Also if its name is refused: then the next tag is read.
            defer { take(plain.end - position) }
            return Tag(kind: plain.kind, name: try cachedName(plain.name, line), line: line)
        }
        let start = line
        var ahead = 1
        var quote: UInt8 = 0
        scan: while true {
            let limit = buffer.count - position
            let stop: (index: Int, isTag: Bool)? = buffer.withUnsafeBufferPointer { bytes in
                while ahead < limit {
                    let byte = bytes[position + ahead]
                    if byte == UInt8(ascii: "<") { return (ahead, false) }
                    if quote != 0 {
                        if byte == quote { quote = 0 }
                    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                        quote = byte
                    } else if byte == UInt8(ascii: ">") {
                        return (ahead, true)
                    }
                    ahead += 1
                }
                return nil
            }
            switch stop {
            case (let index, true)?:
                ahead = index
                break scan
            case (let index, false)?:
                // No attribute has this character; the next tag begins.
                take(index)
                throw Malformed(line: start, reason: "a tag does not end before the next one begins")
            case nil:
                if ahead > Self.maximumLength { throw tooLong(start, ahead, nameOfTag()) }
                if try !fill() {
                    take(buffer.count - position)
                    throw Malformed(line: start, reason: "the file ends within a tag")
                }
            }
        }
        // What was read stays in the buffer until the next tag, for the attributes.
        let range = position + 1..<position + ahead
        defer { take(ahead + 1) }
        return try parse(range, start)
    }

    /// The tag that begins here, and its attributes, if it is complete in the buffer and has nothing unusual;
    /// else `nil`.
    private func plainTag() -> (kind: TagKind, name: Range<Int>, end: Int)? {
        // The list keeps its memory from tag to tag.
        var list = attributes
        attributes = []
        list.removeAll(keepingCapacity: true)
        defer { attributes = list }
        return buffer.withUnsafeBufferPointer { bytes in
            let limit = min(bytes.count, position + Self.maximumLength)
            var index = position + 1
            func isName(_ byte: UInt8) -> Bool {
                (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: ":")
            }
            let raw = UnsafeRawBufferPointer(bytes)
            var kind = TagKind.start
            if index < limit, bytes[index] == UInt8(ascii: "/") {
                kind = .end
                index += 1
            }
            let start = index
            while index < limit, isName(bytes[index]) { index += 1 }
            let name = start..<index
            guard !name.isEmpty else { return nil }
            while index < limit {
                switch bytes[index] {
                case UInt8(ascii: ">"): return (kind, name, index + 1)
                case UInt8(ascii: "/"):
                    guard index + 1 < limit, bytes[index + 1] == UInt8(ascii: ">"), kind == .start else {
                        return nil
                    }
                    return (.empty, name, index + 2)
                case 32, 9, 10, 13:
                    index += 1
                    let start = index
                    while index < limit, isName(bytes[index]) { index += 1 }
                    // Another blank, or the end of the tag.
                    if index == start { continue }
                    guard index + 1 < limit, bytes[index] == UInt8(ascii: "=") else { return nil }
                    let quote = bytes[index + 1]
                    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                        let end = raw.index(of: quote, in: index + 2..<limit),
                        raw.index(of: UInt8(ascii: "<"), in: index + 2..<end) == nil, list.count < 100
                    else { return nil }
                    list.append(
                        Attribute(
                            name: start..<index,
                            value: index + 2..<end,
                            key: Self.key(UnsafeBufferPointer(rebasing: bytes[start..<index]))
                        )
                    )
                    index = end + 1
                default: return nil
                }
            }
            return nil
        }
    }

    private static func key(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        // The eight bytes that are loaded are there.
        if name.count >= 8 { return UnsafeRawBufferPointer(name).loadUnaligned(as: UInt64.self) }
        var key: UInt64 = 0
        for byte in name { key = key << 8 | UInt64(byte) }
        return key
    }

    /// The name of the tag that begins here.
    private func nameOfTag() -> String {
        let bytes = buffer[position...].dropFirst().prefix(100)
        return String(decoding: bytes.prefix { $0 > 32 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }

    private func parse(_ range: Range<Int>, _ line: Int) throws -> Tag {
        var start = range.lowerBound
        var end = range.upperBound
        var kind = TagKind.start
        if start < end, buffer[start] == UInt8(ascii: "/") {
            kind = .end
            start += 1
        } else if start < end, buffer[end - 1] == UInt8(ascii: "/") {
            kind = .empty
            end -= 1
        }
        // The list keeps its memory from tag to tag.
        var list = attributes
        attributes = []
        list.removeAll(keepingCapacity: true)
        defer { attributes = list }
        let parsed: (name: Range<Int>, error: String?) = buffer.withUnsafeBufferPointer { bytes in
            func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }
            var index = start
            while index < end, !isSpace(bytes[index]) { index += 1 }
            let name = start..<index
            while true {
                while index < end, isSpace(bytes[index]) { index += 1 }
                if index == end { return (name, nil) }
                let nameStart = index
                while index < end, bytes[index] != UInt8(ascii: "="), !isSpace(bytes[index]) { index += 1 }
                let attribute = nameStart..<index
                while index < end, isSpace(bytes[index]) { index += 1 }
                guard index < end, bytes[index] == UInt8(ascii: "="), !attribute.isEmpty else {
                    return (name, "an attribute without a value")
                }
                index += 1
                while index < end, isSpace(bytes[index]) { index += 1 }
                guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
                else {
                    return (name, "an attribute's value without quotation marks")
                }
                let quote = bytes[index]
                let valueStart = index + 1
                index = valueStart
                while index < end, bytes[index] != quote { index += 1 }
                guard index < end else { return (name, "an attribute's value does not end") }
                guard list.count < 100 else { return (name, "more than 100 attributes") }
                let key = Self.key(UnsafeBufferPointer(rebasing: bytes[attribute]))
                list.append(Attribute(name: attribute, value: valueStart..<index, key: key))
                index += 1
            }
        }
        if let error = parsed.error { throw Malformed(line: line, reason: error) }
        guard !parsed.name.isEmpty else { throw Malformed(line: line, reason: "a tag without a name") }
        return Tag(kind: kind, name: try cachedName(parsed.name, line), line: line)
    }

    /// The few different names, each made once.
    private func cachedName(_ range: Range<Int>, _ line: Int) throws -> String {
        let known = buffer.withUnsafeBufferPointer { bytes in
            let wanted = UnsafeBufferPointer(rebasing: bytes[range])
            return names.first { $0.bytes.withUnsafeBufferPointer { $0.hasSameBytes(as: wanted) } }?.name
        }
        if let known { return known }
        guard range.count <= 100, let name = String(validating: buffer[range], as: UTF8.self) else {
            throw Malformed(line: line, reason: "a tag's name is too long or not UTF-8")
        }
        if names.count < 50 { names.append((Array(buffer[range]), name)) }
        return name
    }

    /// Calls `body` with the bytes of an attribute of the last tag, entities not replaced; `nil` if it is
    /// missing.
    func bytes<Value>(_ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Value?) -> Value? {
        // The tag was taken, but stays in the buffer until the next one is read.
        buffer.withUnsafeBufferPointer { bytes in
            let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            let key = Self.key(wanted)
            for attribute in attributes where attribute.key == key {
                if UnsafeBufferPointer(rebasing: bytes[attribute.name]).hasSameBytes(as: wanted) {
                    return body(UnsafeBufferPointer(rebasing: bytes[attribute.value]))
                }
            }
            return nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both have the same bytes.
    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Without an address there are no bytes.
        guard let a = baseAddress, let b = other.baseAddress else { return true }
        return memcmp(a, b, count) == 0
    }
}
