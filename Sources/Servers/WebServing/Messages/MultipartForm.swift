import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578), read by bytes in one pass.
package struct MultipartForm: Sendable {
    /// A field, or a file.
    package struct Part: Sendable {
        package var name: String
        /// The name of a file; nil for a field.
        package var fileName: String?
        package var contentType: String?
        package var content: Data
    }

    private typealias Bytes = ArraySlice<UInt8>

    /// The most bytes of a part's head.
    private static let headLimit = 8_192
    private static let lineEnd = Array("\r\n".utf8)
    private static let emptyLine = Array("\r\n\r\n".utf8)

    package private(set) var parts: [Part] = []

    /// Reads a body; nil where it is malformed or has more than `limit` parts, and where the task is
    /// cancelled.
    package init?(_ body: Data, contentType: String, limit: Int) {
        guard let boundary = Self.parameter("boundary", of: Array(contentType.utf8)[...]),
            (1...70).contains(boundary.utf8.count)
        else { return nil }
        let bytes = [UInt8](body)
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line end before it, unless something stands before it (RFC 2046, section
        // 5.1.1).
        let isAtStart = bytes.starts(with: delimiter.dropFirst(2))
        let first = isAtStart ? -2 : Self.firstIndex(of: delimiter, in: bytes[...])
        guard var position = first.map({ $0 + delimiter.count }) else { return nil }
        while !Task.isCancelled {
            let rest = bytes[position...]
            if rest.starts(with: "--".utf8) { return }
            guard rest.starts(with: Self.lineEnd), parts.count < limit,
                let headEnd = Self.firstIndex(of: Self.emptyLine, in: rest.prefix(Self.headLimit)),
                // A part may have no content: then the line end before the delimiter is the second of the
                // two.
                let end = Self.firstIndex(of: delimiter, in: rest[(headEnd + 2)...])
            else { return nil }
            // A part may have no head: then the line end behind the delimiter is the first of the two.
            let headStart = min(position + 2, headEnd)
            let contentStart = headEnd + 4
            let content = Data(bytes[contentStart..<max(contentStart, end)])
            guard let part = Self.part(bytes[headStart..<headEnd], content) else { return nil }
            parts.append(part)
            position = end + delimiter.count
        }
        return nil
    }

    private static func part(_ head: Bytes, _ content: Data) -> Part? {
        var part: Part?
        var type: String?
        for line in lines(of: head) where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = line[..<colon]
            let value = trimmed(line[(colon + 1)...])
            if isSame(name, "content-disposition") {
                guard let name = parameter("name", of: value) else { return nil }
                part = Part(name: name, fileName: parameter("filename", of: value), content: content)
            } else if isSame(name, "content-type") {
                type = String(validating: value, as: UTF8.self)
            }
        }
        part?.contentType = type
        return part
    }

    /// A parameter of a header. A value in quotes may have semicolons; browsers write quotes in it as `%22`.
    private static func parameter(_ name: String, of header: Bytes) -> String? {
        let quote = UInt8(ascii: "\"")
        let semicolon = UInt8(ascii: ";")
        var rest = header
        while let separator = rest.firstIndex(of: semicolon) {
            rest = rest[(separator + 1)...].drop { $0.isBlank }
            guard let equals = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == semicolon }),
                rest[equals] != semicolon
            else { continue }
            let found = rest[..<equals]
            rest = rest[(equals + 1)...]
            let isQuoted = rest.first == quote
            let value = rest.dropFirst(isQuoted ? 1 : 0).prefix { $0 != (isQuoted ? quote : semicolon) }
            rest = rest[value.endIndex...]
            if isSame(found, name) { return String(validating: trimmed(value), as: UTF8.self) }
        }
        return nil
    }

    // MARK: Bytes

    /// Where a sequence begins, which has a carriage return at its start: each byte is looked at a few times
    /// at most, since boundaries have none.
    private static func firstIndex(of sequence: [UInt8], in bytes: Bytes) -> Int? {
        var start = bytes.startIndex
        while let found = bytes[start...].firstIndex(of: UInt8(ascii: "\r")) {
            if bytes[found...].starts(with: sequence) { return found }
            start = found + 1
        }
        return nil
    }

    private static func lines(of head: Bytes) -> [Bytes] {
        var lines: [Bytes] = []
        var rest = head
        while let end = firstIndex(of: lineEnd, in: rest) {
            lines.append(rest[..<end])
            rest = rest[(end + 2)...]
        }
        return lines + [rest]
    }

    private static func trimmed(_ text: Bytes) -> Bytes {
        let start = text.drop { $0.isBlank }
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start.prefix(0) }
        return start[...last]
    }

    /// Whether a name is another, which is in lower case, whatever its case.
    private static func isSame(_ name: Bytes, _ other: String) -> Bool {
        let name = trimmed(name)
        return name.count == other.utf8.count
            && zip(name, other.utf8).allSatisfy { byte, letter in
                byte == letter || (0x41...0x5A).contains(byte) && byte | 0x20 == letter
            }
    }
}
