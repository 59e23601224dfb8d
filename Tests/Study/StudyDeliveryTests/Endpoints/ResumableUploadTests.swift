import DurableQueue
import Foundation
import HTTPCalls
import Synchronization
import TestSupport
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Uploads that go on where they broke off")
struct ResumableUploadTests {
    private let submission = StudySubmission(
        id: UUID(),
        study: "org.example.sleep",
        subject: UUID(),
        item: "diary",
        content: .package,
        protection: .cms
    )
    private let body = Data.noise(3 << 20)

    private func endpoint(_ server: ScriptedServer) throws -> ResearchKitEndpoint {
        try ResearchKitEndpoint(#require(URL(string: "http://\(server.authority)/upload")), canResume: true)
    }

    private static func response(_ status: Int, _ fields: String = "") -> ScriptedServer.Action {
        .answer("HTTP/1.1 \(status) x\r\n\(fields)Content-Length: 0\r\n\r\n")
    }

    @Test("the rest is sent from where the server is, with the same id and digest")
    func rest() async throws {
        let server = try ScriptedServer { request in
            request.requestLine.hasPrefix("HEAD ")
                ? Self.response(204, "Upload-Offset: 2000000\r\n") : Self.response(201)
        }
        defer { server.stop() }
        #expect(try await endpoint(server).send(submission, .data(body)) == .accepted)
        #expect(server.received.map(\.requestLine) == ["HEAD /upload HTTP/1.1", "PATCH /upload HTTP/1.1"])
        let head = server.received[0]
        let patch = server.received[1]
        #expect(Data(patch.body) == body.dropFirst(2_000_000))
        for field in [
            "Upload-Offset: 2000000", "Upload-Complete: ?1", "Content-Type: application/partial-upload",
        ] {
            #expect(patch.fields.contains(field), "\(patch.fields)")
        }
        for name in ["Repr-Digest: sha-256=:", "X-ResearchKit-UploadUUID: \(submission.id.uuidString)"] {
            let field = patch.fields.first { $0.hasPrefix(name) }
            #expect(field != nil && head.fields.contains(field ?? ""))
        }
    }

    @Test(
        "nothing there, or an offset that is none, sends the whole",
        arguments: [
            (404, ""), (405, ""), (200, ""), (204, "Upload-Offset: 0\r\n"),
            (204, "Upload-Offset: 3145729\r\n"),
            (204, "Upload-Offset: -5\r\n"), (204, "Upload-Offset: 99999999999999999999\r\n"),
            (204, "Upload-Offset: 1e3\r\n"),
        ]
    )
    func whole(status: Int, fields: String) async throws {
        let server = try ScriptedServer { request in
            request.requestLine.hasPrefix("HEAD ") ? Self.response(status, fields) : Self.response(200)
        }
        defer { server.stop() }
        #expect(try await endpoint(server).send(submission, .data(body)) == .accepted)
        #expect(server.received.map { $0.requestLine.prefix(5) } == ["HEAD ", "POST "])
        #expect(
            Data(server.received[1].body) == body && server.received[1].fields.contains("Upload-Complete: ?1")
        )
    }

    @Test("what the server has whole is not sent again")
    func complete() async throws {
        let server = try ScriptedServer { _ in Self.response(200, "Upload-Complete: ?1\r\n") }
        defer { server.stop() }
        #expect(try await endpoint(server).send(submission, .data(body)) == .accepted)
        #expect(server.received.count == 1)
    }

    @Test("a failing server, or one with a login, gets no upload; lost bytes mean a retry")
    func failures() async throws {
        for (status, meaning) in [(503, "failed"), (401, "closed"), (302, "closed")] {
            let server = try ScriptedServer { _ in Self.response(status) }
            defer { server.stop() }
            #expect("\(try await endpoint(server).send(submission, .data(body)))".hasPrefix(meaning))
            #expect(server.received.count == 1)
        }
        let server = try ScriptedServer { request in
            request.requestLine.hasPrefix("HEAD ")
                ? Self.response(204, "Upload-Offset: 7\r\n") : Self.response(409)
        }
        defer { server.stop() }
        #expect("\(try await endpoint(server).send(submission, .data(body)))".hasPrefix("failed"))
    }

    @Test("small packages, and servers that cannot, get a POST and nothing else")
    func plain() async throws {
        let server = try ScriptedServer { _ in Self.response(200) }
        defer { server.stop() }
        #expect(try await endpoint(server).send(submission, .data(body.prefix(1000))) == .accepted)
        let cannot = try ResearchKitEndpoint(#require(URL(string: "http://\(server.authority)")))
        #expect(try await cannot.send(submission, .data(body)) == .accepted)
        #expect(server.received.map(\.requestLine) == ["POST /upload HTTP/1.1", "POST / HTTP/1.1"])
        #expect(server.received.allSatisfy { !$0.fieldNames.contains("upload-complete") })
    }

    @Test("a queue goes on with an upload that broke off, and its status says so")
    func queue() async throws {
        let scratch = try Scratch()
        let queue = try StudyQueue(
            in: scratch.folder.appending(path: "queue"),
            study: "org.example.sleep",
            subject: UUID(),
            keys: FileKeyStore(scratch.folder.appending(path: "key")),
            policy: DeliveryPolicy(attempts: 3, firstDelay: .milliseconds(1), maximumDelay: .milliseconds(2))
        )
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
        try archive.add("noise.bin", body)
        try await queue.submit(archive, protection: .cms(CMSEncryption(for: [TestKeys.first.certificate])))
        // What came of the first POST before it broke off.
        let stored = Mutex(Data())
        let server = try ScriptedServer { request in
            switch request.requestLine.prefix(4) {
            case "HEAD":
                let count = stored.withLock { $0.count }
                return count == 0 ? Self.response(404) : Self.response(204, "Upload-Offset: \(count)\r\n")
            case "POST":
                stored.withLock { $0 = Data(request.body.prefix(2_500_000)) }
                return .close
            default:
                stored.withLock { $0.append(contentsOf: request.body) }
                return Self.response(200)
            }
        }
        defer { server.stop() }
        let status = queue.status
        let report = try await queue.deliver(to: endpoint(server))
        #expect(report.delivered.count == 1)
        #expect(server.received.map { $0.requestLine.prefix(4) } == ["HEAD", "POST", "HEAD", "PATC"])
        let file = try scratch.file("p.cms", stored.withLock { $0 })
        let contents = try StudyPackage(contentsOf: file).open(with: [StudyPackage.Key(TestKeys.first.key)])
        var content = Data()
        try contents.files[0].read { content.append($0) }
        #expect(content == body)
        var sent: [Int] = []
        for await update in status {
            if case .sending(_, let bytes, _) = update { sent.append(bytes) }
            if case .finished = update { break }
        }
        #expect(sent.contains { $0 >= 2_500_000 })
    }
}
