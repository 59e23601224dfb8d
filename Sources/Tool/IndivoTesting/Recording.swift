import Foundation
import OAuth1
import OrderedJSON

/// Recorded exchanges, as an HTTP Archive (HAR 1.2) keeps them.
///
/// ```swift
/// let recording = try Recording(contentsOf: URL(filePath: "login.har"))
/// ```
/// Archives that browsers and proxies write can be read as well, and so can files with a JSON object a line,
/// the form of older recordings:
///
/// | key | meaning |
/// |---|---|
/// | `name`, `seq` | unique name; position in the order of time |
/// | `call`, `note` | the server's name for the call; why this exchange is here |
/// | `method`, `path`, `host`, `scheme` | the request as sent, `path` with the query |
/// | `request_headers`, `response_headers` | lists of `[name, value]` |
/// | `request_body`, `response_body` | text, or in base64 with `_b64` added to the key |
/// | `status`, `reason` | the response's status line |
/// | `failure`, `failure_detail`, `may_have_reached_server` | when there was no response |
public struct Recording: Sendable {
    /// The exchanges, in the order of time.
    public var exchanges: [RecordedExchange]

    /// A recording of these exchanges, in this order.
    public init(_ exchanges: [RecordedExchange]) { self.exchanges = exchanges.sorted { $0.seq < $1.seq } }

    /// The ids in the paths below `/records/`, each once, in the order of time. A replay opens a record by
    /// one of them:
    ///
    /// ```swift
    /// let recording = try Recording(contentsOf: file)
    /// let server = IndivoServer(api: api, ui: ui, app: app, transport: ReplayTransport(recording))
    /// let record = server.record(id: recording.recordIDs[0], token: OAuthToken(value: "any", secret: "any"))
    /// ```
    public var recordIDs: [String] {
        var seen: Set<String> = []
        return exchanges.compactMap { exchange in
            let parts = exchange.path.prefix { $0 != "?" }.split(separator: "/")
            guard parts.count > 1, parts[0] == "records",
                let id = try? PercentEncoding.decode(String(parts[1])), seen.insert(id).inserted
            else { return nil }
            return id
        }
    }

    /// Reads a recording.
    /// - Throws: ``RecordingError``, which names the file and the entry or line.
    public init(contentsOf file: URL) throws {
        let content: Data
        do { content = try Data(contentsOf: file) } catch {
            throw RecordingError.cannotRead(file: file.path, reason: error.localizedDescription)
        }
        try self.init(parsing: content, named: file.path)
    }

    /// Reads a recording from its bytes.
    /// - Parameter name: What errors call it.
    /// - Throws: ``RecordingError``
    public init(parsing content: Data, named name: String = "recording") throws(RecordingError) {
        let start = content.prefix(4096).filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if start.starts(with: "{\"log\":".utf8) {
            try self.init(archive: content, named: name)
        } else {
            try self.init(lines: content, named: name)
        }
    }

    /// The recording as an HTTP Archive. Secrets, tokens and cookies are left out, see
    /// ``RecordingTransport``.
    public func har() throws -> Data {
        var redaction = RecordingRedaction()
        let entries = JSONValue(exchanges.map { redaction.redact($0).entry })
        let creator: JSONValue = ["name": "swift-indivo", "version": "1"]
        let archive: JSONValue = ["log": ["version": "1.2", "creator": creator, "entries": entries]]
        return Data(archive.utf8(.pretty) + [UInt8(ascii: "\n")])
    }

    private init(archive content: Data, named name: String) throws(RecordingError) {
        let entries = try Self.read("the archive", of: name) {
            // As much as can be parsed: archives hold all bodies.
            var limits = JSONLimits()
            limits.bytes = .max
            let log = RecordedJSON(json: try JSONValue(parsing: content, limits: limits)).object("log")
            let version = try log("version", \.string)
            guard version.hasPrefix("1.") else { throw log.fault("its version is \(version), not 1.2") }
            return try log("entries", \.elements)
        }
        self.init(
            try entries.enumerated().map { (index, entry) throws(RecordingError) in
                try Self.read("entry \(index + 1)", of: name) {
                    try RecordedExchange(entry: RecordedJSON(json: entry), seq: index + 1)
                }
            }
        )
    }

    private init(lines content: Data, named name: String) throws(RecordingError) {
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
            .filter { !$0.element.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") } }
        self.init(
            try lines.map { (index, line) throws(RecordingError) in
                try Self.read("line \(index + 1)", of: name) {
                    try RecordedExchange(line: RecordedJSON(json: try JSONValue(parsing: line)))
                }
            }
        )
    }

    private static func read<Part>(_ place: String, of file: String, _ body: () throws -> Part)
        throws(RecordingError) -> Part
    {
        do { return try body() } catch { throw .malformed(file: file, place: place, reason: "\(error)") }
    }
}

/// Why a recording cannot be read or written.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is not there, or may not be read.
    case cannotRead(file: String, reason: String)
    /// The file is no recording: where, and why.
    case malformed(file: String, place: String, reason: String)
    /// The file cannot be written.
    case cannotWrite(file: String, reason: String)

    public var description: String {
        switch self {
        case .cannotRead(let file, let reason): "the recording \(file) cannot be read: \(reason)"
        case .malformed(let file, let place, let reason):
            "\(place) of the recording \(file) is malformed: \(reason)"
        case .cannotWrite(let file, let reason): "the recording \(file) cannot be written: \(reason)"
        }
    }
}
