import Foundation

/// A file of recorded exchanges, JSON objects one a line; ``RecordedExchange`` has the keys.
public struct Recording: Sendable {
    /// The exchanges, in the order of time.
    public var exchanges: [RecordedExchange]

    public init(_ exchanges: [RecordedExchange]) {
        self.exchanges = exchanges.sorted { $0.seq < $1.seq }
    }

    /// Reads a recording.
    ///
    /// - Throws: ``RecordingError``, which names the file and the line.
    public init(contentsOf file: URL) throws {
        let content: Data
        do {
            content = try Data(contentsOf: file)
        } catch {
            throw RecordingError.cannotRead(file: file.path, reason: error.localizedDescription)
        }
        let decoder = JSONDecoder()
        var exchanges: [RecordedExchange] = []
        for (index, line) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        where !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
            do {
                exchanges.append(try decoder.decode(RecordedExchange.self, from: line))
            } catch let error as DecodingError {
                throw RecordingError.malformedLine(file: file.path, line: index + 1, reason: Self.reason(error))
            }
        }
        self.init(exchanges)
    }

    /// One line of a recording, without the line feed.
    static func line(_ exchange: RecordedExchange) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(exchange)
    }

    private static func reason(_ error: DecodingError) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "" : " at “\(path.map(\.stringValue).joined(separator: "."))”"
        }
        return switch error {
        case .keyNotFound(let key, _): "“\(key.stringValue)” is missing"
        case .typeMismatch(let type, let context): "expected \(type)\(place(context.codingPath))"
        case .valueNotFound(let type, let context): "expected \(type), not null,\(place(context.codingPath))"
        case .dataCorrupted(let context): "\(context.debugDescription)\(place(context.codingPath))"
        @unknown default: "not a recorded exchange"
        }
    }
}

/// Why a recording cannot be read or written.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    case cannotRead(file: String, reason: String)
    case malformedLine(file: String, line: Int, reason: String)
    case cannotWrite(file: String, reason: String)

    public var description: String {
        switch self {
        case .cannotRead(let file, let reason):
            "the recording \(file) cannot be read: \(reason)"
        case .malformedLine(let file, let line, let reason):
            "line \(line) of the recording \(file) is no exchange: \(reason)"
        case .cannotWrite(let file, let reason):
            "the recording \(file) cannot be written: \(reason)"
        }
    }
}
