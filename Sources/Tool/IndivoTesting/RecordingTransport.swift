import Foundation
import HTTPTypes
import Indivo
import OAuth1
import Synchronization

/// Sends requests with another transport and writes down what happens, as an HTTP Archive (HAR 1.2), for
/// ``ReplayTransport`` to play again and for any tool that reads such files.
///
/// ```swift
/// let transport = try RecordingTransport(.system, to: URL(filePath: "login.har"))
/// let server = IndivoServer(api: api, ui: ui, app: app, transport: transport)
/// ```
///
/// Signatures, tokens and their secrets, verifiers, passwords and cookies are left out: `redacted-1` replaces
/// the first such value wherever it occurs. The documents of patients are written as they are: record from
/// sample data. A request that was cancelled is not written down. The file is a whole archive after each
/// exchange.
public final class RecordingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let path: String
    private let now: @Sendable () -> Date
    private let archive: Mutex<HARFile>

    /// A recorder that begins a new file, or empties the one that is there.
    /// - Parameters:
    ///   - inner: What sends.
    ///   - file: The archive, by custom with the extension `har`. Only its owner can read it.
    ///   - secrets: Further values to leave out, wherever they occur.
    ///   - now: Gives the time of day.
    /// - Throws: ``RecordingError/cannotWrite(file:reason:)``
    public init(
        _ inner: any HTTPTransport,
        to file: URL,
        leavingOut secrets: [Secret] = [],
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.inner = inner
        self.now = now
        path = file.path
        archive = try Mutex(Self.writing(path) { try HARFile(file, RecordingRedaction(secrets: secrets)) })
    }

    private static func writing<Value>(_ file: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            throw RecordingError.cannotWrite(file: file, reason: error.localizedDescription)
        }
    }

    /// Sends with the other transport.
    /// - Throws: What the other transport throws; ``RecordingError`` when the exchange cannot be written
    ///   down, and the server has acted on the request then.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let startedAt = now()
        let start = ContinuousClock.now
        let outcome: RecordedExchange.Outcome
        do { outcome = .answer(try await inner.send(request, body: body)) } catch let error
            as HTTPTransportError
        {
            outcome = .failure(error)
        }
        let milliseconds = start.duration(to: .now) / .milliseconds(1)
        try archive.withLock { archive in
            let seq = archive.count + 1
            var exchange = RecordedExchange(
                name: "\(seq).\(request.method.rawValue.lowercased())",
                seq: seq,
                request: request,
                requestBody: body,
                outcome: outcome
            )
            exchange.startedAt = startedAt
            exchange.milliseconds = (milliseconds * 1000).rounded() / 1000
            try Self.writing(path) { try archive.append(exchange) }
        }
        return try outcome.get()
    }
}

/// A HAR file that grows by one entry at a time, and is whole after each.
private struct HARFile {
    private let file: FileHandle
    private var redaction: RecordingRedaction
    private(set) var count = 0

    private static let head =
        #"{"log": {"version": "1.2", "creator": {"name": "swift-indivo", "version": "1"}, "entries": ["#
    private static let tail = "\n]}}\n"

    /// Begins the file, or empties the one that is there. Others than its owner cannot read it.
    init(_ url: URL, _ redaction: RecordingRedaction) throws {
        self.redaction = redaction
        try? FileManager.default.removeItem(at: url)
        guard
            FileManager.default.createFile(
                atPath: url.path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        else { throw CocoaError(.fileWriteNoPermission) }
        file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: Data((Self.head + Self.tail).utf8))
    }

    mutating func append(_ exchange: RecordedExchange) throws {
        let end = try file.seekToEnd()
        try file.seek(toOffset: end - UInt64(Self.tail.utf8.count))
        let entry = redaction.redact(exchange).entry.text(.pretty)
        try file.write(contentsOf: Data("\(count == 0 ? "" : ",")\n\(entry)\(Self.tail)".utf8))
        count += 1
    }
}
