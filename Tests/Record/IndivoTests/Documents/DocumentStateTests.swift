import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("What documents know")
struct DocumentStateTests {
    private func problem() -> Problem {
        Problem {
            $0.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
            $0.startDate = "2026-11-20T00:00:00Z"
        }
    }

    private func storing(_ id: String = "d-1", _ more: String = "") -> AnsweringTransport {
        AnsweringTransport(
            "<Document id=\"\(id)\" size=\"\" digest=\"\"><status>active</status>\(more)</Document>"
        )
    }

    @Test("a document is new, stored, then changed, and changed back it is as before")
    func states() async throws {
        let transport = storing()
        let problem = problem()
        #expect(problem.state == .new && problem.record == nil && problem.documentPlace.id == nil)
        let record = transport.record()
        try await record.add(problem)
        #expect(problem.state == .pushed && problem.record === record && problem.metadata?.status == .active)
        problem.notes = "at night"
        #expect(problem.state == .changed)
        problem.notes = nil
        #expect(problem.state == .pushed)
        #expect(try problem.copy().state == .new)
    }

    @Test("a new document is not pushed twice, not even while it is on its way")
    @MainActor
    func twice() async throws {
        let problem = problem()
        let gate = Gate()
        let transport = GatedTransport(gate)
        let record = IndivoServer(
            api: URL(string: "https://indivo.example.org")!,
            ui: URL(string: "https://indivo.example.org")!,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            transport: transport
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
        let first = Task { try await record.add(problem) }
        await gate.waitForVisitor()
        let error = await #expect(throws: IndivoError.self) { try await record.add(problem) }
        #expect(error?.description.contains("on its way") == true)
        gate.open()
        try await first.value
        await #expect(throws: IndivoError.self) { try await record.add(problem) }
        #expect(transport.count == 1)
    }

    @Test("a carenet that a server lists again and again is given once")
    func carenets() async throws {
        let problem = problem()
        let transport = AnsweringTransport { request, _ in
            let carenet = #"<Carenet id="c-1" name="Family" mode="explicit" />"#
            let list = carenet + carenet + #"<Carenet id="c-2" name="Choir" mode="explicit" />"# + carenet
            let body =
                request.path?.hasSuffix("/carenets/") == true
                ? #"<Carenets record_id="r-1">\#(list)</Carenets>"# : #"<Document id="d-1"/>"#
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        try await transport.record().add(problem)
        #expect(try await problem.carenets().map(\.id) == ["c-1", "c-2"])
    }

    @Test("demographics are set, and never replaced as other documents are")
    func demographics() async throws {
        let transport = storing("d-9")
        let person = Demographics {
            $0.dateOfBirth = "1950-01-01"
            $0.gender = .female
            $0.name = .init()
            $0.name?.familyName = "Ito"
            $0.name?.givenName = "Ann"
        }
        try await transport.record().setDemographics(person)
        person.email = "ann@example.org"
        let count = transport.requests.count
        let error = try await #require(throws: IndivoError.self) { try await person.replace() }
        #expect(error.description.contains("setDemographics"))
        #expect(transport.requests.count == count)
        try await transport.record().setDemographics(person)
        #expect(transport.requests.count == count + 1)
    }

    @Test("a document that could not be pushed is still new, and may be pushed again")
    func failed() async throws {
        let refusing = AnsweringTransport(status: .badRequest, type: "text/html", "no")
        let problem = problem()
        await #expect(throws: IndivoError.self) { try await refusing.record().add(problem) }
        #expect(problem.state == .new)
        try await storing().record().add(problem)
        #expect(problem.state == .pushed)
    }

    @Test("a version known to be outdated, by metadata or from earlier, is not replaced")
    func outdated() async throws {
        let told = storing("d-1", "<latest id=\"d-2\"/>")
        let problem = problem()
        try await told.record().add(problem)
        #expect(problem.isOutdated)
        let count = told.requests.count
        let error = await #expect(throws: IndivoError.self) { try await problem.replace() }
        #expect(error?.description.contains("an old version") == true)
        #expect(told.requests.count == count, "nothing is sent")

        let transport = storing("d-2")
        let record = transport.record()
        let one = FileDocument(id: "d-1", in: record)
        let other = FileDocument(id: "d-1", in: record)
        one.content = FileContent(text: "one")
        other.content = FileContent(text: "other")
        try await one.replace()
        #expect(one.id == "d-2" && !one.isOutdated && other.isOutdated)
        await #expect(throws: IndivoError.self) { try await other.replace() }
        #expect(transport.requests.count == 1)
    }

    @Test("a reported document asks for its metadata and is not replaced if outdated")
    func outdatedReport() async throws {
        let transport = AnsweringTransport { request, _ in
            let body =
                request.path?.hasSuffix("/meta") == true
                ? "<Document id=\"d-1\"><replacedBy id=\"d-2\"/></Document>"
                : "<Models><Model name=\"Problem\" documentId=\"d-1\"/></Models>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        let reported = try #require(try await transport.record().reports(of: Problem.self).all().first)
        reported.notes = "changed"
        await #expect(throws: IndivoError.self) { try await reported.replace() }
        #expect(transport.requests.map(\.method) == [.get, .get])
    }

    @Test("a new document has no verbs yet, and says so without asking")
    func newDocument() async {
        let problem = problem()
        for verb in [
            { try await problem.replace() }, { try await problem.setLabel("x") },
            { try await problem.setStatus(.void, reason: "x") }, { _ = try await problem.versions() },
            { _ = try await problem.statusHistory() }, { _ = try await problem.related(as: .answers) },
            { _ = try await problem.carenets() }, { _ = try await problem.refreshMetadata() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: IndivoError.self) { try await verb() }
            #expect(error?.description.contains("add it with record.add(_:) first") == true)
        }
    }

    @Test("texts that are too long for a server are refused here")
    func lengths() async {
        let transport = storing()
        let record = transport.record()
        let document = FileDocument(id: "d", in: record)
        let long = String(repeating: "x", count: 501)
        for call in [
            { try await document.setLabel(long) }, { try await record.setLabel(long, externalID: "e") },
            { try await record.notify(long) }, { try await record.notify("") },
            { try await record.send(OutgoingMessage(subject: long, body: "")) },
            { try await AppDocuments.Document(id: "d", in: record.appDocuments).setLabel(long) },
            { try await document.setStatus(.void, reason: "") },
        ] as [() async throws -> Void] {
            await #expect(throws: IndivoError.self) { try await call() }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "content that a server would keep as something else is refused, and why",
        arguments: [
            ("application/xml; charset=utf-8", "<a/>", "say application/xml"),
            ("", "<a/>", "no content type"),
            ("application/x-www-form-urlencoded", "a=b", "for a form"),
            ("application/xml", "<a>", "well-formed"),
            ("Text/Plain", "a", "say text/plain"), ("text/plain", "", "an empty text"),
            ("application/json", "", "an empty text"),
            (
                "application/x-" + String(repeating: "x", count: 87), "a",
                "at most 100 characters, this one 101"
            ),
        ]
    )
    func content(type: String, text: String, words: String) async {
        let transport = storing()
        let document = FileDocument(FileContent(text: text, contentType: type))
        let error = await #expect(throws: IndivoError.self) { try await transport.record().add(document) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(transport.requests.isEmpty && document.state == .new)
    }

    @Test("texts have to be UTF-8; binary content goes out as it is, under its own type")
    func bytes() async throws {
        let latin = Data([0x63, 0x61, 0x66, 0xE9])
        let transport = storing()
        await #expect(throws: IndivoError.self) {
            try await transport.record().add(FileDocument(FileContent(latin, contentType: "text/plain")))
        }
        let longest = "application/x-" + String(repeating: "x", count: 86)
        try await transport.record().add(FileDocument(FileContent(Data(), contentType: longest)))
        try await transport.record().add(
            FileDocument(FileContent(latin, contentType: "application/x-notes; v=1"))
        )
        #expect(
            transport.requests.map { $0.headerFields[.contentType] } == [longest, "application/x-notes; v=1"]
        )
    }

    // MARK: Digests

    private static let text = "hello"
    private static let sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    private static let sha1 = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"

    private func serving(digest: String, size: Int = 5) -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let isContent = request.method == .get && request.path?.hasSuffix("/meta") == false
            let body = isContent ? Self.text : "<Document id=\"d-1\" digest=\"\(digest)\" size=\"\(size)\"/>"
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: [.contentLength: String(body.utf8.count)]),
                body: Data(body.utf8)
            )
        }
    }

    @Test(
        "a digest that is right passes, of texts and of binary documents",
        arguments: [sha256, sha1, sha256.uppercased(), ""]
    )
    func goodDigest(digest: String) async throws {
        let record = serving(digest: digest).record()
        #expect(try await record.document("d-1").content?.text == Self.text)
        try await record.add(FileDocument(FileContent(text: Self.text)))
        _ = try await record.appDocuments.put(FileContent(text: Self.text), externalID: "e")
    }

    @Test(
        "a digest or size that is wrong is an error, with the values for developers only",
        arguments: [
            (sha256.replacingOccurrences(of: "2", with: "3"), 5),
            (sha1.replacingOccurrences(of: "a", with: "b"), 5), (sha256, 4),
        ]
    )
    func badDigest(digest: String, size: Int) async throws {
        let record = serving(digest: digest, size: size).record()
        let error = await #expect(throws: IndivoError.self) { try await record.document("d-1") }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(digest) == false)
        // What was sent is on the server all the same, and is not pushed again.
        let document = FileDocument(FileContent(text: Self.text))
        let stored = await #expect(throws: IndivoError.self) { try await record.add(document) }
        #expect(document.id == "d-1" && stored?.isSafeToRetry == false)
    }
}

/// Holds back answers until it is opened.
private final class Gate: Sendable {
    private let visitors = AsyncStream.makeStream(of: Void.self)
    private let opened = AsyncStream.makeStream(of: Void.self)

    func waitForVisitor() async { for await _ in visitors.stream { return } }
    func open() { opened.continuation.finish() }
    func pass() async {
        visitors.continuation.yield()
        for await _ in opened.stream {}
    }
}

private final class GatedTransport: HTTPTransport {
    private let gate: Gate
    private let sent = Mutex(0)
    var count: Int { sent.withLock { $0 } }

    init(_ gate: Gate) { self.gate = gate }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        sent.withLock { $0 += 1 }
        await gate.pass()
        return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("<Document id=\"d-1\"/>".utf8))
    }
}
