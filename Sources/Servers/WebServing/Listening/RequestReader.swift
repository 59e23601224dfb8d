import FlyingSocks
import Foundation

/// Reads requests from a connection, one after the other.
struct RequestReader {
    /// The longest line before a chunk.
    private static let chunkLineLimit = 1024

    /// The largest request line with header fields, in bytes.
    private static let headLimit = 64 << 10

    private let socket: AsyncSocket
    /// What has come and is not yet read.
    private var buffer: ArraySlice<UInt8> = []

    init(_ socket: AsyncSocket) { self.socket = socket }

    /// Waits for a byte that is not yet read; false at the connection's end.
    mutating func waitForMore() async throws -> Bool {
        if !buffer.isEmpty { return true }
        return try await fill()
    }

    private mutating func fill() async throws -> Bool {
        do {
            buffer += try await socket.read(atMost: 4096)
            return true
        } catch SocketError.disconnected {
            return false
        }
    }

    /// Reads a head. Throws ``RequestError``, and `SocketError.disconnected` at the connection's end.
    mutating func head() async throws -> RequestHead {
        var lines = try await lines(limit: Self.headLimit)
        // One empty line before a request is overlooked (RFC 9112 section 2.2).
        if lines.isEmpty { lines = try await self.lines(limit: Self.headLimit - 2) }
        return try RequestHead(lines: lines)
    }

    /// Reads a body to its end, though it may not be kept: its sender comes to read the response, and the
    /// next request follows.
    mutating func read(_ kind: RequestHead.Body, into body: inout IncomingBody) async throws {
        switch kind {
        case .length(let length): try await read(length, into: &body)
        case .chunked:
            while let size = try await chunkSize() {
                try await read(size, into: &body)
                guard try await line(limit: 0).isEmpty else { throw RequestError.malformed }
            }
            // Fields behind the last chunk say nothing that counts here.
            _ = try await lines(limit: Self.headLimit)
        }
    }

    private mutating func read(_ count: Int, into body: inout IncomingBody) async throws {
        var left = count
        while left > 0 {
            guard try await waitForMore() else { throw SocketError.disconnected }
            let piece = buffer.prefix(left)
            body.append(piece)
            left -= piece.count
            buffer = buffer.dropFirst(piece.count)
        }
    }

    /// The size before a chunk; `nil` before the end.
    private mutating func chunkSize() async throws -> Int? {
        let line = try await line(limit: Self.chunkLineLimit)
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
        // Eight digits at most: sums of sizes are no concern.
        guard (1...8).contains(digits.count),
            digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw RequestError.malformed }
        return size == 0 ? nil : size
    }

    /// Reads lines, which have at most `limit` bytes together, up to an empty one.
    private mutating func lines(limit: Int) async throws -> [ArraySlice<UInt8>] {
        var lines = [ArraySlice<UInt8>]()
        var left = limit
        while case let line = try await line(limit: left), !line.isEmpty {
            lines.append(line)
            left -= line.count + 2
        }
        return lines
    }

    /// Reads a line of at most `limit` bytes; its end, and a carriage return before that, are left out.
    private mutating func line(limit: Int) async throws -> ArraySlice<UInt8> {
        var searched = 0
        while true {
            if let end = buffer.dropFirst(searched).firstIndex(of: 0x0A) {
                let line = buffer[..<end]
                buffer = buffer[(end + 1)...]
                let text = line.last == 0x0D ? line.dropLast() : line
                guard text.count <= limit else { throw RequestError.headTooLarge }
                return text
            }
            searched = buffer.count
            guard searched <= limit + 1 else { throw RequestError.headTooLarge }
            guard try await fill() else { throw SocketError.disconnected }
        }
    }
}
