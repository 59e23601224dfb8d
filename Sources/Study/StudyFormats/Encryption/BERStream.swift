import Foundation
import HTTPCalls

/// Reads elements of the Basic Encoding Rules (X.690) one after the other, of definite and indefinite length,
/// in constant memory.
struct BERStream {
    /// Where the next byte is.
    private(set) var offset = 0
    private let source: BodySource
    private var buffer = Data()
    private var bufferOffset = 0

    init(_ source: BodySource) { self.source = source }

    /// What the elements in it are read in.
    struct Container {
        /// Where it ends; of one of indefinite length where it must have ended.
        let end: Int
        let isIndefinite: Bool
    }

    struct Header {
        let identifier: UInt8
        let content: Container
    }

    /// The whole input.
    var whole: Container { Container(end: source.size, isIndefinite: false) }

    private static let maximumDepth = 16
    /// More than the description of any message has.
    private static let maximumElementLength = 1 << 20

    func malformed(_ reason: String, at offset: Int? = nil) -> StudyError {
        .malformed(format: "CMS message", offset: offset ?? self.offset, reason: reason)
    }

    // MARK: Bytes

    private mutating func byte(at position: Int) throws -> UInt8 {
        if position < bufferOffset || position >= bufferOffset + buffer.count {
            buffer = try source.read(at: position, count: 1 << 16)
            bufferOffset = position
            guard !buffer.isEmpty else {
                throw malformed("it ends in the middle of an element", at: position)
            }
        }
        return buffer[buffer.startIndex + position - bufferOffset]
    }

    private mutating func byte() throws -> UInt8 {
        let byte = try byte(at: offset)
        offset += 1
        return byte
    }

    // MARK: Structure

    /// The identifier and length of the next element of a container.
    mutating func header(in container: Container) throws -> Header {
        let start = offset
        guard offset < container.end else { throw malformed("an element is missing") }
        let identifier = try byte()
        guard identifier & 0x1F != 0x1F else {
            throw malformed("an identifier of several bytes, which CMS does not use", at: start)
        }
        let first = try byte()
        var length = 0
        switch first {
        case ..<0x80: length = Int(first)
        case 0x80:
            guard identifier & 0x20 != 0 else {
                throw malformed("a primitive element of indefinite length", at: start)
            }
            return Header(identifier: identifier, content: Container(end: container.end, isIndefinite: true))
        default:
            for _ in 0..<first & 0x7F {
                let digit = try Int(byte())
                guard length <= Int.max >> 8 else {
                    throw malformed("a length of more than 63 bits", at: start)
                }
                length = length << 8 | digit
            }
        }
        guard offset <= container.end, length <= container.end - offset else {
            throw malformed(
                "an element of \(length) bytes where only \(max(0, container.end - offset)) are left",
                at: start
            )
        }
        return Header(identifier: identifier, content: Container(end: offset + length, isIndefinite: false))
    }

    /// Enters the next element of a container, which must have this identifier.
    mutating func enter(_ identifier: UInt8, _ what: String, in container: Container) throws -> Container {
        let start = offset
        let header = try header(in: container)
        guard header.identifier == identifier else {
            throw malformed(
                "\(what) is expected, and an element 0x\(String(header.identifier, radix: 16)) found",
                at: start
            )
        }
        return header.content
    }

    /// Whether a container has no further element.
    mutating func isAtEnd(of container: Container) throws -> Bool {
        guard container.isIndefinite else { return offset >= container.end }
        return try byte(at: offset) == 0 && byte(at: offset + 1) == 0
    }

    /// Whether the next element of a container has this identifier.
    mutating func isNext(_ identifier: UInt8, in container: Container) throws -> Bool {
        try !isAtEnd(of: container) && byte(at: offset) == identifier
    }

    /// Leaves a container, which must be at its end.
    mutating func leave(_ container: Container, _ what: String) throws {
        guard try isAtEnd(of: container) else { throw malformed("more elements than \(what) has") }
        if container.isIndefinite { offset += 2 }
    }

    /// The bytes of the next element with all that is in it, for small ones.
    mutating func element(in container: Container) throws -> [UInt8] {
        let start = offset
        try skip(in: container, start: start, depth: 0)
        return [UInt8](try source.read(at: start, count: offset - start))
    }

    private mutating func skip(in container: Container, start: Int, depth: Int) throws {
        guard depth < Self.maximumDepth else {
            throw malformed("elements in more than \(Self.maximumDepth) others")
        }
        let header = try header(in: container)
        if header.content.isIndefinite {
            while try !isAtEnd(of: header.content) {
                try skip(in: header.content, start: start, depth: depth + 1)
            }
            offset += 2
        } else {
            offset = header.content.end
        }
        guard offset - start <= Self.maximumElementLength else {
            throw StudyError.tooLarge(
                what: "the description of the message has \(offset - start) bytes",
                limit: Self.maximumElementLength
            )
        }
    }

    /// The content of the next element, an OCTET STRING in one piece or in segments.
    ///
    /// - Parameter identifier: Its identifier when it is in one piece.
    mutating func octets(
        _ identifier: UInt8 = 0x04,
        _ what: String,
        in container: Container,
        depth: Int = 0,
        _ body: (Data) throws -> Void
    ) throws {
        guard depth < Self.maximumDepth else {
            throw malformed("segments in more than \(Self.maximumDepth) others")
        }
        let start = offset
        let header = try header(in: container)
        switch header.identifier {
        case identifier:
            while offset < header.content.end {
                let piece = try source.read(at: offset, count: min(1 << 20, header.content.end - offset))
                offset += piece.count
                try body(piece)
            }
        case identifier | 0x20:
            while try !isAtEnd(of: header.content) {
                try octets(0x04, what, in: header.content, depth: depth + 1, body)
            }
            try leave(header.content, what)
        default:
            throw malformed(
                "\(what) is expected, and an element 0x\(String(header.identifier, radix: 16)) found",
                at: start
            )
        }
    }
}
