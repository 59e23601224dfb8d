import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import Synchronization
import TestSupport
import Testing

/// A small server on a socket: creates, reads, updates with versions, deletes, and searches by page.
private final class SmallServer: Sendable {
    private let store = Mutex<[String: (version: Int, json: String)]>([:])

    func answer(_ request: ScriptedServer.Received) -> ScriptedServer.Action {
        let parts = request.requestLine.split(separator: " ").map(String.init)
        let path = parts[1].split(separator: "/").map(String.init)
        let body = String(decoding: request.body, as: UTF8.self)
        return store.withLock { store in
            switch (parts[0], path.count) {
            case ("POST", 2):
                let id = "\(store.count + 1)"
                store[id] = (
                    1,
                    body.replacing(
                        #"{"resourceType":"Patient""#,
                        with: #"{"resourceType":"Patient","id":"\#(id)""#
                    )
                )
                return response(
                    201,
                    store[id]?.json ?? "",
                    "Location: /fhir/Patient/\(id)/_history/1\r\nETag: W/\"1\"\r\n"
                )
            case ("GET", 3):
                guard let stored = store[path[2]] else { return response(404, Self.outcome) }
                return response(200, stored.json, "ETag: W/\"\(stored.version)\"\r\n")
            case ("PUT", 3):
                guard let stored = store[path[2]] else { return response(404, Self.outcome) }
                let match = request.fields.first { $0.lowercased().hasPrefix("if-match:") }
                guard match == nil || match?.hasSuffix("W/\"\(stored.version)\"") == true else {
                    return response(412, Self.outcome)
                }
                store[path[2]] = (stored.version + 1, body)
                return response(200, body, "ETag: W/\"\(stored.version + 1)\"\r\n")
            case ("DELETE", 3):
                store[path[2]] = nil
                return response(204, "")
            default: return response(400, Self.outcome)
            }
        }
    }

    private static let outcome =
        """
        {"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"processing",\
        "diagnostics":"no"}]}
        """

    private func response(_ status: Int, _ body: String, _ fields: String = "") -> ScriptedServer.Action {
        .answer(
            """
            HTTP/1.1 \(status) X\r\nContent-Type: application/fhir+json\r\n\(fields)Content-Length: \
            \(body.utf8.count)\r\n\r\n\(body)
            """
        )
    }
}

@Suite("FHIR client: on the wire")
struct WireTests {
    private func client(
        _ server: ScriptedServer,
        limits: HTTPLimits = HTTPLimits(),
        retry: RetryPolicy = .never
    ) throws -> FHIRClient {
        // Digits and dots form a URL.
        try FHIRClient(
            base: URL(string: "http://\(server.authority)/fhir")!,
            transport: .system(limits: limits),
            options: FHIRClient.Options(retry: retry)
        )
    }

    @Test("no digit or unknown member is lost between creating, updating and deleting")
    func roundTrip() async throws {
        let small = SmallServer()
        let server = try ScriptedServer { small.answer($0) }
        defer { server.stop() }
        let client = try client(server)
        let patient = try Patient(
            parsing: #"{"resourceType":"Patient","x-unknown":1.10,"name":[{"family":"Müller\u0041"}]}"#
        )
        let created = try await client.create(patient)
        #expect(created.change == .created && created.versionID == "1")
        var read = try await client.read(Patient.self, id: #require(created.id))
        #expect(read.tree["x-unknown"]?.number == "1.10" && read.meta?.versionId == "1")
        read.active = true
        let updated = try await client.update(read, ifMatch: read.meta?.versionId)
        #expect(updated.change == .updated && updated.versionID == "2" && updated.resource?.active == true)
        let stale = await failure { [read] in try await client.update(read, ifMatch: "1") }
        #expect(stale?.reason == .preconditionFailed && stale?.outcome != nil)
        try await client.delete(Patient.self, id: #require(created.id))
        #expect(
            await failure { try await client.read(Patient.self, id: created.id ?? "") }?.reason == .notFound
        )
    }

    #if canImport(CLibCurl)
    @Test(
        "a response that is cut off is lost, whether its length was told or not",
        arguments: [
            """
            HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\nContent-Length: \
            100\r\n\r\n{\"resourceType\":\"Patient\"}
            """,
            """
            HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\nTransfer-Encoding: \
            chunked\r\n\r\n1a\r\n{\"resourceType\":\"Patient\"}\r\n
            """,
            "HTTP/1.1 200 OK\r\nContent-Type: application/fh",
        ]
    )
    func cut(text: String) async throws {
        let server = try ScriptedServer { _ in .answerAndClose(text) }
        defer { server.stop() }
        let error = await failure { try await client(server).create(Patient()) }
        #expect(error?.reason == .responseLost && error?.isSafeToRetry == false)
        #expect(
            await failure { try await client(server).read(Patient.self, id: "7") }?.isSafeToRetry == true
        )
    }

    @Test("a response may end with its connection, but JSON that is cut is an error")
    func untilTheEnd() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\n\r\n"
        let whole = try ScriptedServer { _ in
            .answerAndClose(head + #"{"resourceType":"Patient","id":"7"}"#)
        }
        defer { whole.stop() }
        #expect(try await client(whole).read(Patient.self, id: "7").id == "7")
        let cut = try ScriptedServer { _ in .answerAndClose(head + #"{"resourceType":"Patient","id":"7""#)
        }
        defer { cut.stop() }
        let error = await failure { try await client(cut).read(Patient.self, id: "7") }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
    #endif

    @Test("a response that is longer than the limit is refused")
    func tooLong() async throws {
        let body = #"{"resourceType":"Patient","id":"\#(String(repeating: "1", count: 5000))"}"#
        let server = try ScriptedServer { _ in
            .answer(
                """
                HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\nContent-Length: \
                \(body.utf8.count)\r\n\r\n\(body)
                """
            )
        }
        defer { server.stop() }
        let error = await failure {
            try await client(server, limits: HTTPLimits(maximumResponseBytes: 1000)).read(
                Patient.self,
                id: "7"
            )
        }
        #expect(error?.reason == .responseTooLarge)
    }

    @Test("a lost read is retried on another connection")
    func retried() async throws {
        let count = Mutex(0)
        let server = try ScriptedServer { _ in
            guard
                count.withLock({
                    $0 += 1
                    return $0
                }) > 2
            else { return .close }
            let body = #"{"resourceType":"Patient","id":"7"}"#
            return .answer(
                """
                HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\nContent-Length: \
                \(body.utf8.count)\r\n\r\n\(body)
                """
            )
        }
        defer { server.stop() }
        let policy = RetryPolicy(firstDelay: .milliseconds(1))
        #expect(try await client(server, retry: policy).read(Patient.self, id: "7").id == "7")
    }
}
