import Foundation

/// Bytes that are read piece by piece at any position: of a file, or of a message that is too large for
/// memory.
///
/// ```swift
/// let body = BodySource(size: video.size) { offset, count in try video.read(at: offset, count: count) }
/// let answer = try await transport.send(request, upload: body)
/// ```
public struct BodySource: Sendable {
    /// In bytes.
    public let size: Int
    private let reader: @Sendable (_ offset: Int, _ count: Int) throws -> Data

    /// - Parameter read: Gives `count` bytes from an offset on; what it is asked for is always within `size`.
    public init(size: Int, read: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> Data) {
        self.size = max(0, size)
        reader = read
    }

    /// Bytes in memory.
    public static func data(_ data: Data) -> BodySource {
        BodySource(size: data.count) { offset, count in data.dropFirst(offset).prefix(count) }
    }

    /// One source after the other.
    public static func joined(_ parts: [BodySource]) -> BodySource {
        BodySource(size: parts.reduce(0) { $0 + $1.size }) { offset, count in
            var result = Data()
            var offset = offset
            for part in parts {
                let piece = try part.read(at: offset, count: count - result.count)
                if piece.count == count { return piece }
                result.append(piece)
                offset = max(0, offset - part.size)
            }
            return result
        }
    }

    /// Reads up to `count` bytes from an offset on.
    /// - Throws: ``BodySource/TooShort`` when there are fewer than ``size`` says; what the source throws.
    public func read(at offset: Int, count: Int) throws -> Data {
        let count = max(0, min(count, size - offset))
        guard offset >= 0, count > 0 else { return Data() }
        let piece = try reader(offset, count)
        guard piece.count == count else {
            throw TooShort(offset: offset, expected: count, found: piece.count)
        }
        return piece
    }

    // A piece of this length stays in the processor's cache while it is read, changed and written, and
    // `malloc` returns it without a system call.
    private static let pieceLength = 1 << 17

    /// Gives all bytes, in pieces of 128 KiB.
    public func forEachPiece(_ body: (Data) throws -> Void) throws {
        for offset in stride(from: 0, to: size, by: Self.pieceLength) {
            try body(read(at: offset, count: Self.pieceLength))
        }
    }

    /// All bytes; for small sources.
    public func data() throws -> Data { try read(at: 0, count: size) }

    /// A source that gave fewer bytes than it should: its file became shorter while it was read, say.
    public struct TooShort: Error, Sendable, Hashable, CustomStringConvertible {
        /// Where the bytes were to begin.
        public let offset: Int
        /// How many there should be.
        public let expected: Int
        /// How many came.
        public let found: Int

        public var description: String {
            """
            at byte \(offset) there are \(found) bytes in place of \(expected): \
            what is read became shorter meanwhile
            """
        }
    }
}
