import Foundation
import HTTPTypes
import Indivo
import Synchronization
import TestSupport
import Testing

/// Responses of HTTP/1.0 end with the connection: one that is cut short looks whole to an HTTP library.
@Suite("Responses without a length that are cut")
struct CutAnswerTests {
    /// A server that answers without a length, and cuts its first responses to a path short.
    private func server(
        cutting count: Int = 1,
        after length: Int,
        paths: @escaping @Sendable (String) -> Bool = { _ in true },
        type: String = "application/xml",
        _ body: @escaping @Sendable (ScriptedServer.Received) -> String
    ) throws -> ScriptedServer {
        let cuts = Mutex(0)
        return try ScriptedServer { request in
            var text = body(request)
            let isCut =
                paths(request.requestLine)
                && cuts.withLock { cuts in
                    cuts += 1
                    return cuts <= count
                }
            if isCut { text = String(decoding: text.utf8.prefix(length), as: UTF8.self) }
            return .answerAndClose("HTTP/1.0 200 OK\r\nContent-Type: \(type)\r\n\r\n" + text)
        }
    }

    private func record(on server: ScriptedServer) throws -> IndivoRecord {
        let url = try #require(URL(string: "http://\(server.authority)"))
        return IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a@apps.example.org", consumerKey: "a", consumerSecret: "a"),
            options: TestTiming().options()
        ).record(id: "r-1", token: OAuthToken(value: "t", secret: "s"))
    }

    private static let element =
        "<?xml version='1.0'?><!-- <a> --><Record id=\"r-1\" label='>l'><a/><![CDATA[<b>]]></Record>\n"

    @Test("XML that ends too early is asked for again", arguments: 0..<element.utf8.count - 1)
    func xml(length: Int) async throws {
        let server = try server(after: length) { _ in Self.element }
        defer { server.stop() }
        #expect(try await record(on: server).information().id == "r-1")
        #expect(server.received.count == 2)
    }

    @Test("JSON that ends too early is asked for again", arguments: [0, 1, 12, 30, 49, 50])
    func json(length: Int) async throws {
        let body = "[{\"__modelname__\": \"Problem\", \"notes\": \"a]}\\\"\", \"x\": null}]"
        let server = try server(after: length, type: "application/json") { _ in body }
        defer { server.stop() }
        let problems = try await record(on: server).reports(
            of: Problem.self,
            matching: ReportQuery().format(.json)
        ).all()
        #expect(problems.map(\.notes) == ["a]}\""])
        #expect(server.received.count == 2)
    }

    @Test("a document that stays cut is a lost response, not a malformed one")
    func stays() async throws {
        let server = try server(cutting: 100, after: 20) { _ in Self.element }
        defer { server.stop() }
        let error = try await #require(throws: IndivoError.self) {
            _ = try await record(on: server).information()
        }
        #expect(error.reason == .responseLost && error.attempts == 4 && error.isSafeToRetry)
        #expect(error.description.contains("broke before the answer was complete"))
    }

    @Test("the response to an add is cut: the document is looked up, and is stored", arguments: [0, 5, 30])
    func add(length: Int) async throws {
        let server = try server(after: length, paths: { $0.hasPrefix("PUT") }) { _ in
            "<Document id=\"d-1\"><status>active</status></Document>"
        }
        defer { server.stop() }
        let problem = Problem()
        try await record(on: server).add(problem, validation: .none)
        #expect(problem.id == "d-1" && problem.state == .pushed)
        #expect(server.received.map { $0.requestLine.prefix(3) } == ["PUT", "GET"])
    }

    @Test("a status change with a cut response counts as done, and a label is looked up")
    func statusAndLabel() async throws {
        let server = try server(cutting: 2, after: 3, paths: { !$0.hasPrefix("GET") }) { request in
            request.requestLine.contains("set-status")
                ? "<ok/>" : "<Document id=\"d-1\"><label>new</label></Document>"
        }
        defer { server.stop() }
        let document = FileDocument(id: "d-1", in: try record(on: server))
        try await document.setStatus(.void, reason: "x")
        try await document.setLabel("new")
        #expect(document.metadata?.label == "new")
        #expect(server.received.map { $0.requestLine.prefix(3) } == ["POS", "PUT", "GET"])
    }

    private static let text = "some content"
    private static let digest = "290f493c44f5d63d06b374d0a5abd292fae38b92cab2fae5efefe1b0e9347f56"

    @Test("content is checked by its metadata, and asked for again", arguments: [true, false])
    func content(isKnown: Bool) async throws {
        let server = try server(after: 5, paths: { !$0.contains("/meta") }) { request in
            request.requestLine.contains("/meta")
                ? "<Document id=\"d-1\" size=\"12\" digest=\"\(Self.digest)\"/>" : Self.text
        }
        defer { server.stop() }
        let record = try record(on: server)
        let document = FileDocument(id: "d-1", in: record)
        if isKnown { try await document.refreshMetadata() }
        #expect(try await document.fetchContent().text == Self.text)
        let app = AppDocuments.Document(id: "d-1", in: record.appDocuments)
        #expect(try await app.content().text == Self.text)
    }

    @Test("content that stays cut is a lost response", arguments: [true, false])
    func contentStays(isKnown: Bool) async throws {
        let server = try server(cutting: 100, after: 5, paths: { !$0.contains("/meta") }) { request in
            request.requestLine.contains("/meta")
                ? "<Document id=\"d-1\" size=\"12\" digest=\"\"/>" : Self.text
        }
        defer { server.stop() }
        let record = try record(on: server)
        let document = FileDocument(id: "d-1", in: record)
        if isKnown { try await document.refreshMetadata() }
        let error = try await #require(throws: IndivoError.self) { try await document.fetchContent() }
        #expect(error.reason == .responseLost && document.content == nil)
        let app = AppDocuments.Document(id: "d-1", in: record.appDocuments)
        let other = try await #require(throws: IndivoError.self) { try await app.content() }
        #expect(other.reason == .responseLost)
    }

    @Test("text that nothing proves whole is whole when it comes the same twice", arguments: [2, 0])
    func plain(length: Int) async throws {
        let server = try server(after: length, type: "text/plain") { _ in "2.0.10" }
        defer { server.stop() }
        let record = try record(on: server)
        #expect(try await record.server.version() == "2.0.10")
        #expect(try await record.account("p@example.org").preferences().text == "2.0.10")
        let isSigned = server.received.dropFirst(3).allSatisfy { $0.fieldNames.contains("authorization") }
        #expect(isSigned)
    }

    @Test("preferences that end as JSON or XML does are taken as they are")
    func preferences() async throws {
        let declared = "<!DOCTYPE a [<!-- isn't <b> --><!ENTITY e \"<c>]\">]><?a <b> ?><a>&e;</a>"
        for body in ["{\"a\": [1]}", "<a><b/></a>", declared] {
            let server = try server(cutting: 0, after: 0, type: "text/plain") { _ in body }
            defer { server.stop() }
            #expect(try await record(on: server).account("p@example.org").preferences().text == body)
            #expect(server.received.count == 1)
        }
    }

    @Test("a continuity-of-care record is read to its end", arguments: [0, 10, 40])
    func ccr(length: Int) async throws {
        let body = "\n<?xml version=\"1.0\"?><ContinuityOfCareRecord><a/></ContinuityOfCareRecord>"
        let server = try server(after: length) { _ in body }
        defer { server.stop() }
        #expect(try await record(on: server).ccr().text == body)
        #expect(server.received.count == 2)
    }

    @Test("a continuity-of-care record that is no XML is malformed")
    func badCCR() async {
        await #expect(throws: IndivoError.self) { try await AnsweringTransport("<a></b>").record().ccr() }
        await #expect(throws: IndivoError.self) { try await AnsweringTransport("<html/>").record().ccr() }
    }

    @Test("a response with a length or in chunks is taken at its word")
    func knownEnd() async throws {
        for head in [
            "Content-Length: 5\r\n\r\n2.0.0", "Transfer-Encoding: chunked\r\n\r\n5\r\n2.0.0\r\n0\r\n\r\n",
        ] {
            let server = try ScriptedServer { _ in
                .answer("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + head)
            }
            defer { server.stop() }
            #expect(try await record(on: server).server.version() == "2.0.0")
            #expect(server.received.count == 1)
        }
    }
}
