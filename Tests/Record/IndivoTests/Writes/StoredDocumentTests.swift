import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("Which stored document is the one that was sent")
struct StoredDocumentTests {
    private static let day = "2026-11-21T12:00:"

    /// Plays a server that answers writes with `status`, and looks up a document of the content that was
    /// sent.
    private func server(
        status: HTTPResponse.Status,
        createdAt: String,
        body: String = "",
        before: Bool = false
    ) -> AnsweringTransport {
        let sent = Mutex(0)
        return AnsweringTransport { request, content in
            let date = HTTPField.Name("Date")!  // A valid field name.
            let head: HTTPFields = [date: "Sat, 21 Nov 2026 12:00:30 GMT"]
            guard request.method == .get else {
                sent.withLock { $0 = content?.count ?? 0 }
                return HTTPAnswer(
                    response: HTTPResponse(status: status, headerFields: head),
                    body: Data(body.utf8)
                )
            }
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: head),
                body: Data(
                    """
                    <Document id=\"d-1\" \
                    size=\"\(sent.withLock { $0 })\"><createdAt>\(createdAt)</createdAt></Document>
                    """
                    .utf8
                )
            )
        }
    }

    @Test(
        "under an app's id equal content counts only if it was created since the request",
        arguments: ["30.250Z", "30Z", "20Z", "00Z"],
        [HTTPResponse.Status.internalServerError, .notFound, .badRequest]
    )
    func appsID(seconds: String, status: HTTPResponse.Status) async throws {
        let isOurs = seconds.hasPrefix("30")
        let duplicate = "Duplicate external id. Each document requires a unique external id"
        let transport = server(
            status: status,
            createdAt: Self.day + seconds,
            body: status == .badRequest ? duplicate : ""
        )
        let problem = Problem()
        do {
            try await transport.record().add(problem, externalID: "mine", validation: .none)
            #expect(isOurs && problem.id == "d-1")
        } catch let error as IndivoError {
            #expect(!isOurs && error.reason == .conflict(.externalIDUsed) && problem.state == .new)
        }
    }

    @Test(
        "under an id that was made for it any of the same content counts",
        arguments: [
            HTTPResponse.Status.internalServerError, .notFound, .badRequest,
        ]
    )
    func madeID(status: HTTPResponse.Status) async throws {
        let duplicate = "Duplicate external id. Each document requires a unique external id"
        let transport = server(
            status: status,
            createdAt: Self.day + "00Z",
            body: status == .badRequest ? duplicate : ""
        )
        let problem = Problem()
        try await transport.record().add(problem, validation: .none)
        #expect(problem.id == "d-1")
    }

    @Test("a version under an id made for it is its own, though said to be replaced before")
    func ownVersion() async throws {
        let transport = server(
            status: .badRequest,
            createdAt: Self.day + "30Z",
            body:
                """
                Can't version a document that has already been versioned. Get the latest version of the \
                document.
                """
        )
        let document = FileDocument(id: "d-0", in: transport.record())
        document.content = FileContent(text: "new")
        try await document.replace()
        #expect(document.id == "d-1" && document.state == .pushed)
    }
}

@Suite("Retries: one deadline")
struct SharedDeadlineTests {
    @Test("looking whether a document was stored shares the call's deadline")
    func lookUp() async throws {
        let clock = TestTiming()
        let remaining = Mutex<[Duration?]>([])
        let transport = AnsweringTransport { request, _ in
            remaining.withLock { $0.append(HTTPLimits.remaining) }
            clock.pass(request.method == .put ? .seconds(3) : .seconds(2))
            throw HTTPTransportError(
                kind: .timedOut,
                server: "indivo.example.org",
                mayHaveReachedServer: true
            )
        }
        let policy = RetryPolicy(firstDelay: .milliseconds(100), deadline: .seconds(4))
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record(options: clock.options(retry: policy)).add(
                Problem(),
                validation: .none
            )
        }
        #expect(error.reason == .timedOut && error.call == "document_create_by_ext_id")
        #expect(remaining.withLock { $0 } == [.seconds(4), .seconds(1)])
        #expect(clock.timing.elapsed() == .seconds(5))
    }

    @Test("nothing is looked for after the deadline, and the error says so")
    func noTime() async throws {
        let clock = TestTiming()
        let transport = AnsweringTransport { _, _ in
            clock.pass(.seconds(4))
            throw HTTPTransportError(
                kind: .timedOut,
                server: "indivo.example.org",
                mayHaveReachedServer: true
            )
        }
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record(options: clock.options(retry: RetryPolicy(deadline: .seconds(4)))).add(
                Problem(),
                validation: .none
            )
        }
        #expect(transport.requests.count == 1 && error.isSafeToRetry)
        #expect(error.debugDetails.contains("no time was left"))
    }

    @Test("the wait for other calls to end counts")
    func waitForOthers() async throws {
        let clock = TestTiming()
        let remaining = Mutex<[Duration?]>([])
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let transport = HoldingTransport {
            remaining.withLock { $0.append(HTTPLimits.remaining) }
            arrival.yield()
            for await _ in released { break }
        }
        let options = clock.options(retry: RetryPolicy(deadline: .seconds(10)), maximumConcurrentCalls: 1)
        let url = try #require(URL(string: "https://indivo.example.org"))
        let record = IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            transport: transport,
            options: options
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
        let first = Task { try await record.information().id }
        for await _ in arrived { break }
        let readings = clock.readings
        // The second begins, and waits for the first; its first action is to read the clock.
        let second = Task { try await record.information().id }
        while clock.readings == readings { await Task.yield() }
        clock.pass(.seconds(4))
        release.yield()
        release.yield()
        _ = try await (first.value, second.value)
        #expect(remaining.withLock { $0 } == [.seconds(10), .seconds(6)])
    }
}

/// Holds each request until a hook returns.
private final class HoldingTransport: HTTPTransport {
    private let hook: @Sendable () async -> Void

    init(_ hook: @escaping @Sendable () async -> Void) { self.hook = hook }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        await hook()
        return HTTPAnswer(
            response: HTTPResponse(status: .ok),
            body: Data("<Record id=\"r\" label=\"l\"/>".utf8)
        )
    }
}

@Suite("What is safe to retry follows what reached the server")
struct ReachedServerTests {
    @Test(
        "a failure to connect after the request went out is a lost response",
        arguments: [
            HTTPTransportError.Kind.tls, .cannotConnect, .hostNotFound,
        ]
    )
    func afterSending(kind: HTTPTransportError.Kind) async throws {
        let transport = AnsweringTransport { _, _ in
            throw HTTPTransportError(kind: kind, server: "indivo.example.org", mayHaveReachedServer: true)
        }
        let error = try await #require(throws: IndivoError.self) { try await transport.record().notify("x") }
        #expect(error.reason == .responseLost && !error.isSafeToRetry)
        #expect(error.description.contains("may have acted"))
    }

    @Test(
        "a failure to connect before anything went out is safe to retry",
        arguments: [
            HTTPTransportError.Kind.tls, .cannotConnect, .hostNotFound,
        ]
    )
    func beforeSending(kind: HTTPTransportError.Kind) async throws {
        let transport = AnsweringTransport { _, _ in
            throw HTTPTransportError(kind: kind, server: "indivo.example.org", mayHaveReachedServer: false)
        }
        let error = try await #require(throws: IndivoError.self) { try await transport.record().notify("x") }
        #expect(error.reason == .notReachable && error.isSafeToRetry)
    }
}

@Suite("Paths that are too long for a server")
struct PathLengthTests {
    @Test("are refused before anything is sent")
    func refused() async throws {
        let transport = AnsweringTransport("<Document id=\"d-1\"/>")
        let record = transport.record()
        let long = String(repeating: "x", count: 200)
        for call in [
            { try await record.add(Problem(), externalID: .chosen(long), validation: .none) },
            { _ = try await record.documentMetadata(externalID: long) },
            { try await record.appDocuments.put(FileContent(text: "x"), externalID: long) },
            { try await record.call(.put, "/records/r-1/documents/external/meds@apps.example.org/\(long)") },
        ] as [() async throws -> Void] {
            let error = try await #require(throws: IndivoError.self) { try await call() }
            guard case .badArgument(let why) = error.reason else { throw error }
            #expect(why.contains("200"))
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("begin behind the 200th character; a query does not count")
    func bound() async throws {
        let transport = AnsweringTransport("<Document id=\"d-1\"/>")
        let fixed = "/records/r-1/documents/external/meds@apps.example.org//meta".count
        let record = transport.record()
        _ = try await record.documentMetadata(externalID: String(repeating: "x", count: 200 - fixed))
        await #expect(throws: IndivoError.self) {
            try await record.documentMetadata(externalID: String(repeating: "x", count: 201 - fixed))
        }
        let based = transport.record(api: "https://indivo.example.org/api")
        await #expect(throws: IndivoError.self, "what stands before the API's paths counts") {
            try await based.documentMetadata(externalID: String(repeating: "x", count: 200 - fixed))
        }
        #expect(transport.requests.count == 1)
        _ = try? await record.call(.get, "/records/r-1", query: ["a": String(repeating: "x", count: 300)])
        #expect(transport.requests.count == 2)
    }

    @Test("the library's ids are short and fit a path, also for documents with long app ids")
    func madeIDs() async throws {
        let transport = AnsweringTransport("<Document id=\"6f9619ff-8b86-4d01-b42d-00cf4fc964ff\"/>")
        let app = String(repeating: "a", count: 34) + "@apps.example.org"
        let url = try #require(URL(string: "https://indivo.example.org"))
        let record = IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: app, consumerKey: "k", consumerSecret: "s"),
            transport: transport,
            options: TestTiming().options()
        ).record(id: "6f9619ff-8b86-4d01-b42d-00cf4fc964fe", token: OAuthToken(value: "t", secret: "s"))
        let file = FileDocument(FileContent(text: "x"))
        try await record.add(file)
        file.content = FileContent(text: "y")
        try await file.replace()
        try await file.addRelated(FileDocument(FileContent(text: "z")), as: .interpretation)
        let ids = transport.requests.compactMap { $0.path?.split(separator: "/").last.map(String.init) }
        #expect(Set(ids).count == 3)
        let areShort = ids.allSatisfy {
            $0.count == 22
                && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        }
        #expect(areShort)
    }
}
