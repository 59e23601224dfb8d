import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("What errors say of a retry, of names, and of causes")
struct ErrorWordTests {
    private static let lost = AnsweringTransport { _, _ in
        throw HTTPTransportError(
            kind: .responseLost,
            server: "indivo.example.org",
            mayHaveReachedServer: true
        )
    }

    private func failure(of transport: AnsweringTransport, _ call: (IndivoRecord) async throws -> Void)
        async throws -> IndivoError
    {
        try await #require(throws: IndivoError.self) { try await call(transport.record()) }
    }

    @Test("only what may be done already, and would be done twice, is to be looked at first")
    func advice() async throws {
        let read = try await failure(of: Self.lost) { _ = try await $0.information() }
        #expect(!read.description.contains("look before") && !read.description.contains("may have acted"))
        let add = try await failure(of: Self.lost) { try await $0.add(Problem(), validation: .none) }
        #expect(
            add.isSafeToRetry && add.description.contains("a retry does no harm")
                && !add.description.contains("look before")
        )
        let notification = try await failure(of: Self.lost) { try await $0.notify("x") }
        #expect(!notification.isSafeToRetry && notification.description.contains("look before you retry"))
        // The body ends too early, and says nothing of its length.
        let cut = try await failure(
            of: AnsweringTransport { _, _ in
                HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("<Rec".utf8))
            }
        ) { _ = try await $0.information() }
        #expect(cut.reason == .responseLost && !cut.description.contains("look before"))
    }

    @Test(
        "a refusal's words end before our own sentence begins",
        arguments: ["It is malformed", "It is malformed."]
    )
    func fullStop(words: String) async throws {
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let error = try await failure(of: transport) { try await $0.add(Medication(), validation: .none) }
        #expect(error.description.contains("It is malformed. Look at "), "\(error)")
    }

    @Test("the name of an element that was sent stays in a refusal, other quotations do not")
    func quotedNames() async throws {
        let words =
            "Input document didn't validate, error was: "
            + "Element '{http://indivo.org/vocab/xml/documents#}nope': "
            + "This element is not expected. Expected is 'Planted', not 'nope' or 'secret'."
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let error = try await failure(of: transport) { record in
            let file = FileDocument(
                FileContent(
                    text:
                        """
                        <Demographics \
                        xmlns=\"http://indivo.org/vocab/xml/documents#\"><nope>secret</nope></Demographics>
                        """,
                    contentType: "application/xml"
                )
            )
            try await record.add(file)
        }
        #expect(error.description.contains("Element 'nope': This element is not expected."), "\(error)")
        #expect(error.description.contains("not 'nope' or '…'"), "\(error)")
        #expect(!error.description.contains("Planted") && !error.description.contains("secret"))
    }

    @Test("a response that cannot be read was asked for once at least")
    func attempts() async throws {
        let malformed = AnsweringTransport("<Other/>")
        #expect(try await failure(of: malformed) { _ = try await $0.ccr() }.attempts == 1)
        let count = Mutex(0)
        let second = AnsweringTransport { _, _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return HTTPAnswer(
                response: HTTPResponse(status: isFirst ? .badGateway : .ok),
                body: Data("<Other/>".utf8)
            )
        }
        #expect(try await failure(of: second) { _ = try await $0.ccr() }.attempts == 2)
        let changed = AnsweringTransport("<Document id=\"d\" size=\"1\"/>")
        let app = try await failure(of: changed) {
            _ = try await $0.appDocuments.add(FileContent(text: "content"))
        }
        #expect(app.attempts == 1)
    }

    @Test(
        "a text that is not UTF-8 is refused in words that fit each type",
        arguments: ["application/xml", "text/plain"]
    )
    func encoding(type: String) async throws {
        let error = try await failure(of: AnsweringTransport("")) {
            try await $0.add(FileDocument(FileContent(Data([0xE4, 0x20]), contentType: type)))
        }
        #expect(error.description.contains("a document of type \(type) has to be in UTF-8"))
    }

    @Test(
        "a measurement code with “|” is refused, since a server takes it for two",
        arguments: ["a|b", "|", "a|\u{301}"]
    )
    func measurementCode(code: String) async throws {
        let transport = AnsweringTransport("<Reports/>")
        let record = transport.record()
        for error in [
            await #expect(throws: IndivoError.self) { try await record.measurements(code).all() },
            await #expect(throws: IndivoError.self) {
                try await record.carenet("c").measurements(code).all()
            },
            await #expect(throws: IndivoError.self) {
                try await record.aggregate(AggregateQuery(.count, of: "value"), over: .measurements(code))
            },
        ] {
            guard case .badArgument(let why)? = error?.reason else { throw try #require(error) }
            #expect(why.contains("for “or”"))
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("after a revocation each call of the token names it first, until one is accepted")
    func revocation() async throws {
        let isRevoked = Mutex(false)
        let transport = AnsweringTransport { _, _ in
            isRevoked.withLock { $0 }
                ? HTTPAnswer(
                    response: HTTPResponse(status: .forbidden),
                    body: Data("<h4>Permission Denied</h4>".utf8)
                )
                : HTTPAnswer(
                    response: HTTPResponse(status: .ok),
                    body: Data("<Record id=\"r-1\" label=\"l\"/>".utf8)
                )
        }
        let record = transport.record()
        func firstCause(_ call: () async throws -> Void) async throws -> IndivoError.RefusalCause? {
            let error = try await #require(throws: IndivoError.self) { try await call() }
            guard case .refused(let causes) = error.reason else { throw error }
            return causes.first
        }
        _ = try await record.information()
        isRevoked.withLock { $0 = true }
        #expect(try await firstCause { try await record.notify("x") } == .notAllowed, "nothing was seen yet")
        #expect(try await firstCause { _ = try await record.information() } == .tokenGone)
        #expect(try await firstCause { try await record.notify("x") } == .tokenGone)
        #expect(try await firstCause { _ = try await record.documents().all() } == .tokenGone)
        isRevoked.withLock { $0 = false }
        _ = try await record.information()
        isRevoked.withLock { $0 = true }
        #expect(try await firstCause { try await record.notify("x") } == .notAllowed)
    }

    @Test("calls throw one type, also for what cannot be written, read or carried")
    func oneType() async throws {
        struct OwnError: Error { let text = "planted" }
        let foreign = try await failure(of: AnsweringTransport { _, _ in throw OwnError() }) {
            try await $0.notify("x")
        }
        #expect(
            foreign.reason == .responseLost && !foreign.isSafeToRetry
                && !foreign.description.contains("planted")
        )
        #expect(foreign.debugDetails.contains("planted"))

        let problem = FileContent(
            text: "<Models><Model name=\"Problem\"/></Models>",
            contentType: "application/xml"
        )
        #expect(throws: IndivoError.self) { _ = try FileDocument(problem).read(as: Medication.self) }
        let broken = FileContent(text: "<a", contentType: "text/xml")
        #expect(throws: IndivoError.self) { _ = try FileDocument(broken).models() }

        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await AnsweringTransport("<Documents/>").record().documents().all().count
        }
        let error = try await #require(throws: IndivoError.self) { try await reading.value }
        #expect(error.reason == .cancelled)
    }
}
