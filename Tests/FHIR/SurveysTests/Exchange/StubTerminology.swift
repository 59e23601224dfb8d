import FHIRClient
import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON
import Synchronization

/// A terminology server that says what a test wants, and notes what it was asked.
final class StubTerminology: HTTPTransport {
    struct Request: Sendable {
        var path: String
        var query: [String: String]
        var body: JSONValue?
    }

    /// What it answers: a status, and the JSON of a body.
    typealias Answer = @Sendable (Request) throws -> (status: Int, body: JSONValue)

    private let answer: Answer
    private let asked = Mutex<[Request]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    var requests: [Request] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let components = URLComponents(string: request.path ?? "")
        let items = (components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        let read = Request(
            path: components?.path ?? "",
            query: Dictionary(items) { first, _ in first },
            body: body.flatMap { try? JSONValue(parsing: $0) }
        )
        asked.withLock { $0.append(read) }
        let (status, json) = try answer(read)
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = "application/fhir+json"
        if status == 302 { response.headerFields[.location] = "https://elsewhere.example.org/" }
        return HTTPAnswer(response: response, body: Data(json.utf8()))
    }

    /// A client of it that tries once.
    func client(_ base: String = "https://tx.example.org/r4") throws -> FHIRClient {
        var options = FHIRClient.Options()
        options.retry.maximumAttempts = 1
        guard let url = URL(string: base) else { throw URLError(.badURL) }
        return try FHIRClient(base: url, transport: self, options: options)
    }

    /// An expansion of these codes.
    static func expansion(_ codes: [JSONValue], total: Int? = nil) -> JSONValue {
        var expansion: JSONValue = ["timestamp": "2026-01-01", "contains": JSONValue(codes)]
        if let total { expansion["total"] = JSONValue(total) }
        return ["resourceType": "ValueSet", "status": "active", "expansion": expansion]
    }

    static func code(_ code: String, _ display: String, system: String = "urn:example:s") -> JSONValue {
        ["system": JSONValue(system), "code": JSONValue(code), "display": JSONValue(display)]
    }

    static func problem(_ code: String) -> JSONValue {
        [
            "resourceType": "OperationOutcome",
            "issue": [["severity": "error", "code": JSONValue(code), "diagnostics": "No."]],
        ]
    }
}
