import DurableQueue
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import Synchronization
import TestSupport
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Endpoints, against servers on a socket")
struct EndpointTests {
    private let subject = UUID()

    private func submission(_ content: StudySubmission.Content, _ protection: StudyProtection.Kind)
        -> StudySubmission
    {
        StudySubmission(
            id: UUID(),
            study: "org.example.sleep",
            subject: subject,
            item: "diary",
            content: content,
            protection: protection
        )
    }

    private func url(_ server: ScriptedServer, _ path: String) throws -> URL {
        try #require(URL(string: "http://\(server.authority)\(path)"))
    }

    private static func response(_ status: Int, _ body: String = "") -> ScriptedServer.Action {
        .answer("HTTP/1.1 \(status) x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test("ResearchKit's POST has the three fields and the package as its body, of any size")
    func researchKit() async throws {
        let server = try ScriptedServer { _ in Self.response(200) }
        defer { server.stop() }
        let endpoint = try ResearchKitEndpoint(url(server, "/upload"))
        let submission = submission(.package, .cms)
        let body = Data.noise(2_500_000)
        #expect(try await endpoint.send(submission, .data(body)) == .accepted)
        let request = try #require(server.received.first)
        #expect(request.requestLine == "POST /upload HTTP/1.1")
        for field in [
            "X-ResearchKit-UploadUUID: \(submission.id.uuidString)",
            "X-ResearchKit-SubjectUUID: \(subject.uuidString)",
            "X-ResearchKit-StudyIdentifier: org.example.sleep", "Content-Type: application/pkcs7-mime",
            "Content-Length: 2500000",
        ] {
            #expect(request.fields.contains { $0.caseInsensitiveCompare(field) == .orderedSame }, "\(field)")
        }
        #expect(Data(request.body) == body)
    }

    @Test(
        "a status means accepted, failed for now, refused for good, or closed for all",
        arguments: [
            (201, "accepted"), (208, "accepted"), (500, "failed"), (503, "failed"), (429, "failed"),
            (408, "failed"),
            (413, "refused"), (422, "refused"), (404, "refused"), (401, "closed"), (302, "closed"),
        ]
    )
    func statuses(status: Int, meaning: String) async throws {
        let server = try ScriptedServer { _ in Self.response(status) }
        defer { server.stop() }
        let answer = try await ResearchKitEndpoint(url(server, "/")).send(
            submission(.package, .cms),
            .data(Data("x".utf8))
        )
        #expect("\(answer)".hasPrefix(meaning), "\(answer)")
    }

    @Test("a report of a withdrawal for which nothing is found is kept")
    func withdrawalNotFound() async throws {
        let server = try ScriptedServer { _ in Self.response(404) }
        defer { server.stop() }
        let withdrawal = Withdrawal(study: "s", participant: subject, date: FHIRInstant(Date()))
        await #expect(throws: StudyServerProblem.self) {
            let endpoint = try ResearchKitEndpoint(url(server, "/"))
            _ = try await withdrawal.report(to: endpoint, as: .package, protection: .none)
        }
    }

    @Test("HTTP without TLS needs leave, but to this machine itself")
    func plainHTTP() throws {
        let far = try #require(URL(string: "http://study.example.org/upload"))
        #expect(throws: StudyError.self) { try ResearchKitEndpoint(far) }
        #expect(throws: Never.self) { try ResearchKitEndpoint(far, plainHTTPHosts: ["study.example.org"]) }
        #expect(throws: Never.self) {
            try ResearchKitEndpoint(#require(URL(string: "http://127.0.0.1:1/upload")))
        }
    }

    @Test("what the source of an upload throws is passed on, and no whole request is sent")
    func failingSource() async throws {
        let server = try ScriptedServer { _ in Self.response(200) }
        defer { server.stop() }
        let source = BodySource(size: 3 << 20) { offset, count in
            guard offset < 2 << 20 else { throw QueueError.damaged(file: "f") }
            return Data(count: count)
        }
        let endpoint = try ResearchKitEndpoint(url(server, "/upload"))
        await #expect(throws: QueueError.damaged(file: "f")) {
            try await endpoint.send(submission(.package, .cms), source)
        }
        #expect(server.received.isEmpty)
    }

    // MARK: C3-PRO

    private final class Clients: Sendable {
        private let all = Mutex<[String: C3ProClient]>([:])
        func client(of server: String) -> C3ProClient? { all.withLock { $0[server] } }
        func keep(_ client: C3ProClient?, of server: String) { all.withLock { $0[server] = client } }
        var store: C3ProClientStore {
            C3ProClientStore {
                self.client(of: $0)
            } keep: {
                self.keep($0, of: $1)
            }
        }
    }

    /// A receiver with the odd ways of the first one.
    private static func receiver(
        tokens: Int = .max,
        _ rest: @escaping @Sendable (ScriptedServer.Received) -> ScriptedServer.Action
    ) throws -> ScriptedServer {
        let issued = Mutex(0)
        return try ScriptedServer { request in
            if request.requestLine.hasPrefix("POST /c3pro/register ") {
                return response(
                    201,
                    #"{"client_id":"id","client_secret":"a+b/c=","grant_types":["client_credentials"],}"#
                )
            }
            if request.requestLine.hasPrefix("POST /c3pro/oauth ") {
                let number = issued.withLock { number in
                    number += 1
                    return number
                }
                return number > tokens
                    ? response(401, #"{"error":"unauthorized_client"}"#)
                    : response(
                        202,
                        #"{"access_token":"token\#(number)","expires_in":1800,"token_type":"bearer"}"#
                    )
            }
            return rest(request)
        }
    }

    private func endpoint(_ server: ScriptedServer, _ clients: Clients = Clients()) throws -> C3ProEndpoint {
        try C3ProEndpoint(
            url(server, "/c3pro"),
            antispam: "antispam-secret",
            attestation: .receipt { "cmVjZWlwdA==" },
            clients: clients.store
        )
    }

    @Test("the app registers once, gets a token with status 202, and sends its data")
    func c3pro() async throws {
        let server = try Self.receiver { _ in Self.response(200) }
        defer { server.stop() }
        let clients = Clients()
        let endpoint = try endpoint(server, clients)
        #expect(
            try await endpoint.send(
                submission(.resource(type: "Contract", id: nil), .c3ProEnvelope),
                .data(Data("{}".utf8))
            )
                == .accepted
        )
        let patient = submission(.resource(type: "Patient", id: "7"), .none)
        #expect(try await endpoint.send(patient, .data(Data("{}".utf8))) == .accepted)
        #expect(
            server.received.map(\.requestLine) == [
                "POST /c3pro/register HTTP/1.1", "POST /c3pro/oauth HTTP/1.1",
                "POST /c3pro/encfhir/Contract HTTP/1.1",
                "PUT /c3pro/fhir/Patient/7 HTTP/1.1",
            ]
        )
        let register = server.received[0]
        #expect(register.fields.contains("Antispam: antispam-secret"))
        let body = try JSONValue(parsing: register.body)
        #expect(body["receipt-data"]?.string == "cmVjZWlwdA==" && body["sandbox"]?.boolean == false)
        // The receiver decodes the whole of it by the rules of forms: a plus sign must be escaped.
        let basic = Data("id:a%2Bb%2Fc%3D".utf8).base64EncodedString()
        #expect(server.received[1].fields.contains("Authorization: Basic \(basic)"))
        #expect(server.received[2].fields.contains("Authorization: Bearer token1"))
        #expect(server.received[3].fields.contains("Idempotency-Key: \(patient.id.uuidString)"))
    }

    @Test("a token that is no longer taken is renewed once")
    func renewal() async throws {
        let server = try Self.receiver { request in
            Self.response(request.fields.contains("Authorization: Bearer token1") ? 401 : 200, "")
        }
        defer { server.stop() }
        #expect(
            try await endpoint(server).send(
                submission(.resource(type: "Contract", id: nil), .c3ProEnvelope),
                .data(Data("{}".utf8))
            )
                == .accepted
        )
        let refusing = try Self.receiver { _ in Self.response(401) }
        defer { refusing.stop() }
        let answer = try await endpoint(refusing).send(
            submission(.resource(type: "Contract", id: nil), .c3ProEnvelope),
            .data(Data("{}".utf8))
        )
        #expect("\(answer)".hasPrefix("closed") && refusing.received.count == 5)
    }

    @Test(
        "an error with status 200, or a login page, is no success",
        arguments: ["{'error':'Decryption failed'}", #"{"error":"invalid_request"}"#, "<html>Log in</html>"]
    )
    func errorWithSuccess(body: String) async throws {
        let server = try Self.receiver { _ in Self.response(200, body) }
        defer { server.stop() }
        let answer = try await endpoint(server).send(
            submission(.resource(type: "Contract", id: nil), .c3ProEnvelope),
            .data(Data("{}".utf8))
        )
        #expect("\(answer)".hasPrefix("failed"), "\(answer)")
    }

    @Test("a registration that failed in the database is none, even if it names a client")
    func brokenRegistration() async throws {
        let server = try ScriptedServer { _ in
            Self.response(
                500,
                """
                {"error":"invalid_request","error_description":"SQL } Error"}{"client_id":"x",\
                "client_secret":"y",}
                """
            )
        }
        defer { server.stop() }
        let clients = Clients()
        let answer = try await endpoint(server, clients).send(
            submission(.resource(type: "Contract", id: nil), .c3ProEnvelope),
            .data(Data())
        )
        #expect("\(answer)".contains("invalid_request: SQL } Error") && "\(answer)".hasPrefix("failed"))
        #expect(clients.client(of: "http://\(server.authority)/c3pro") == nil)
    }

    @Test("JSON with a comma too many is read, and other text is not")
    func lenientJSON() {
        #expect(C3ProJSON.read(Data(#"{"a":"x,}","b":1 , }"#.utf8))?["a"]?.string == "x,}")
        for text in ["", "{", "[1,]", "{'a':1}", #"{"a":1,,}"#] {
            #expect(C3ProJSON.read(Data(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("clients are kept in a private file, and one that others can read is refused")
    func clientFile() throws {
        let scratch = try Scratch()
        let file = scratch.folder.appending(path: "sub/clients.json")
        let store = C3ProClientStore.file(file)
        #expect(try store.client("a") == nil)
        try store.keep(C3ProClient(id: "1", secret: "s"), "a")
        try store.keep(C3ProClient(id: "2", secret: "t"), "b")
        #expect(try store.client("a") == C3ProClient(id: "1", secret: "s"))
        try store.keep(nil, "a")
        #expect(try store.client("a") == nil && store.client("b")?.id == "2")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: StudyError.self) { try store.client("b") }
    }
}
