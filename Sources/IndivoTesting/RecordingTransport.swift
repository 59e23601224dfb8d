import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Sends requests with another transport and writes down what happens, for ``ReplayTransport`` to play again.
///
/// ```swift
/// let transport = try RecordingTransport(.system, to: URL(filePath: "login.jsonl"))
/// let server = IndivoServer(api: api, ui: ui, app: app, transport: transport)
/// ```
///
/// Signatures, token secrets, verifiers, passwords and cookies are written as `redacted`. The documents of patients
/// are written as they are: record from sample data. A request that was cancelled is not written down.
public final class RecordingTransport: HTTPTransport {
    private struct State {
        var lastSeq = 0
        var file: FileHandle
    }

    private let inner: any HTTPTransport
    private let path: String
    private let state: Mutex<State>

    /// A recorder that begins a new file, or empties the one that is there.
    ///
    /// - Throws: ``RecordingError/cannotWrite(file:reason:)``
    public init(_ inner: any HTTPTransport, to file: URL) throws {
        self.inner = inner
        path = file.path
        do {
            try Data().write(to: file)
            state = Mutex(State(file: try FileHandle(forWritingTo: file)))
        } catch {
            throw RecordingError.cannotWrite(file: file.path, reason: error.localizedDescription)
        }
    }

    /// Sends with the other transport.
    ///
    /// - Throws: What the other transport throws; ``RecordingError`` when the exchange cannot be written down, and the
    ///   server has acted on the request then.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let seq = state.withLock { state in
            state.lastSeq += 1
            return state.lastSeq
        }
        func record(_ outcome: RecordedExchange.Outcome) throws {
            try write(
                RecordedExchange(
                    name: "\(seq).\(request.method.rawValue.lowercased())", seq: seq, request: request,
                    requestBody: body, outcome: outcome))
        }
        do {
            let answer = try await inner.send(request, body: body)
            try record(.answer(answer))
            return answer
        } catch let error as HTTPTransportError {
            try record(.failure(error))
            throw error
        }
    }

    private func write(_ exchange: RecordedExchange) throws {
        do {
            let line = try Recording.line(Redaction.redact(exchange)) + [UInt8(ascii: "\n")]
            try state.withLock { try $0.file.write(contentsOf: line) }
        } catch {
            throw RecordingError.cannotWrite(file: path, reason: error.localizedDescription)
        }
    }
}
