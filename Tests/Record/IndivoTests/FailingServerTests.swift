import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Synchronization
import Testing

/// A real server fails on a request now and then when others run at the same time.
@Suite("A server that fails now and then")
struct FailingServerTests {
    private static func response(_ body: String = "", _ status: HTTPResponse.Status = .ok) -> HTTPAnswer {
        HTTPAnswer(response: HTTPResponse(status: status), body: Data(body.utf8))
    }

    private static let failure = response("<h4>Internal Server Error</h4>", .internalServerError)

    @Test(
        "a read is retried after a 500, twice at most",
        arguments: [(1, 2, true), (2, 3, true), (3, 3, false), (99, 3, false)]
    )
    func reading(failures: Int, attempts: Int, goesWell: Bool) async throws {
        let clock = TestTiming()
        let transport = FaultyTransport(
            AnsweringTransport("<Record id=\"r-1\" label=\"l\"/>"),
            fault: { _, index in index < failures ? .status(500) : nil }
        )
        let record = transport.record(clock.options())
        if goesWell {
            #expect(try await record.information().label == "l")
        } else {
            let error = try await #require(throws: IndivoError.self) { try await record.information() }
            #expect(
                error.reason == .serverFailed(status: 500) && error.attempts == attempts
                    && error.isSafeToRetry
            )
        }
        #expect(transport.requestCount == attempts && clock.waits.count == attempts - 1)
    }

    @Test("a list whose pages meet a 500 each continues where it was")
    func list() async throws {
        let seen = Mutex<Set<String>>([])
        let transport = AnsweringTransport { request, _ in
            let target = request.path ?? ""
            guard seen.withLock({ !$0.insert(target).inserted }) else { return Self.failure }
            let query = FormParameters(decoding: String(target.split(separator: "?").last ?? ""))
            let offset = query["offset"].flatMap { Int($0) } ?? 0
            let limit = query["limit"].flatMap { Int($0) } ?? 100
            let ids = (0..<20).dropFirst(offset).prefix(limit)
            return Self.response(
                "<Documents total_document_count=\"20\">" + ids.map { "<Document id=\"d-\($0)\"/>" }.joined()
                    + "</Documents>"
            )
        }
        let pages = DocumentQuery(pageSize: 3)
        let ids = try await transport.record().documents(pages).all().map { $0.id ?? "" }
        #expect(ids == (0..<20).map { "d-\($0)" })
        let paths = transport.requests.map { $0.path ?? "" }
        #expect(
            Set(paths).count * 2 == paths.count,
            "each page is asked for twice, and none from the beginning"
        )
    }

    @Test("a look-up that meets a 500 is made again, and the document is stored once")
    func lookUp() async throws {
        for isStored in [true, false] {
            let state = Mutex((puts: 0, looks: 0))
            let transport = AnsweringTransport { request, _ in
                try state.withLock { state in
                    if request.method == .put {
                        state.puts += 1
                        guard state.puts > 1 else {
                            throw HTTPTransportError(
                                kind: .responseLost,
                                server: "s",
                                mayHaveReachedServer: true
                            )
                        }
                        return Self.response("<Document id=\"d-1\"/>")
                    }
                    state.looks += 1
                    if state.looks <= 2 { return Self.failure }
                    return isStored ? Self.response("<Document id=\"d-1\"/>") : Self.response("", .notFound)
                }
            }
            let problem = Problem()
            try await transport.record().add(problem, validation: .none)
            #expect(problem.id == "d-1")
            #expect(state.withLock { $0.puts } == (isStored ? 1 : 2))
        }
    }

    @Test("a write without an id is sent once, whatever the server's failure")
    func writes() async throws {
        let transport = AnsweringTransport(status: .internalServerError, "")
        let error = try await #require(throws: IndivoError.self) { try await transport.record().notify("x") }
        #expect(error.attempts == 1 && transport.requests.count == 1 && !error.isSafeToRetry)
    }

    // MARK: What a failure is about

    /// A server that fails on a replacement, and reports metadata of the version that was to be replaced.
    private func replacing(_ metadata: String?) -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let path = request.path ?? ""
            if path.contains("/replace/external/") { return Self.failure }
            if path.hasSuffix("/documents/d-1/meta") {
                return metadata.map { Self.response($0) } ?? Self.failure
            }
            return Self.response("", .notFound)
        }
    }

    private func replace(_ transport: AnsweringTransport) async throws -> IndivoError {
        let file = FileDocument(id: "d-1", in: transport.record())
        file.content = FileContent(text: "new")
        return try await #require(throws: IndivoError.self) { try await file.replace() }
    }

    @Test(
        "the second of two replacements at once learns that the version was replaced",
        arguments: [
            "<Document id=\"d-1\"><replacedBy id=\"d-2\"/></Document>",
            "<Document id=\"d-1\"><latest id=\"d-2\"/></Document>",
        ]
    )
    func replacedMeanwhile(metadata: String) async throws {
        let error = try await replace(replacing(metadata))
        #expect(error.reason == .conflict(.alreadyReplaced) && error.status == 500)
        #expect(error.isSafeToRetry && !error.mayHaveBeenDone && error.attempts == 1)
        #expect(error.description.contains("Fetch the newest version"))
    }

    @Test(
        "a failed replacement stays failed if the version is newest or that is unknown",
        arguments: [
            "<Document id=\"d-1\"/>", "<Document id=\"d-1\"><latest id=\"d-1\"/></Document>", nil,
        ]
    )
    func replacementFailed(metadata: String?) async throws {
        #expect(try await replace(replacing(metadata)).reason == .serverFailed(status: 500))
    }

    @Test("a notification about a document that is not there is told as that", arguments: [true, false])
    func notification(isThere: Bool) async throws {
        let transport = AnsweringTransport { request, _ in
            if request.method == .post { return Self.failure }
            return isThere ? Self.response("<Document id=\"d-9\"/>") : Self.response("", .notFound)
        }
        let record = transport.record()
        let error = try await #require(throws: IndivoError.self) {
            try await record.notify("look at it", about: FileDocument(id: "d-9", in: record))
        }
        #expect(error.reason == (isThere ? .serverFailed(status: 500) : .notFound))
        #expect(error.isSafeToRetry == !isThere && error.call == "record_notify")
        #expect(error.description.contains("the fault is the server") == false)
        if !isThere {
            #expect(
                error.description.contains("The document that the notification is about is not in the record")
            )
        }
    }

    @Test("a message that the account does not have is told as that", arguments: [true, false])
    func message(isThere: Bool) async throws {
        let inbox = "<Messages><Message id=\"\(isThere ? "m-1" : "m-2")\"/></Messages>"
        let transport = AnsweringTransport { request, _ in
            request.path?.hasPrefix("/accounts/ana@example.org/inbox/?") == true
                ? Self.response(inbox) : Self.failure
        }
        let account = transport.record().account("ana@example.org")
        let error = try await #require(throws: IndivoError.self) { try await account.message("m-1") }
        #expect(
            error.reason == (isThere ? .serverFailed(status: 500) : .notFound)
                && error.call == "account_inbox_message"
        )
        #expect(error.description.contains("no message with this id") == !isThere)
        #expect(transport.requests.last?.path?.contains("include_archive=1") == true)
    }

    @Test("a replacement with a model that the server does not know names the model")
    func unknownModel() async throws {
        let content =
            "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\n<Model name=\"Nope\"/></Models>"
        for externalID in [ExternalID.none, .generated] {
            for isThere in [true, false] {
                let transport = AnsweringTransport { request, _ in
                    request.path?.hasSuffix("/documents/d-1/meta") == true && isThere
                        ? Self.response("<Document id=\"d-1\"/>") : Self.response("", .notFound)
                }
                let file = FileDocument(id: "d-1", in: transport.record())
                file.content = FileContent(text: content, contentType: "application/xml")
                let error = try await #require(throws: IndivoError.self) {
                    try await file.replace(externalID: externalID)
                }
                guard isThere else {
                    #expect(error.reason == .notFound)
                    continue
                }
                guard case .invalid("", let problems) = error.reason else { throw error }
                #expect(problems.map(\.model) == ["Nope"] && problems.first?.line == 2)
                #expect(error.description.contains("Look at Nope;"))
            }
        }
    }
}

extension FaultyTransport {
    fileprivate func record(_ options: IndivoServer.Options) -> IndivoRecord {
        IndivoServer(
            api: URL(string: "https://indivo.example.org")!,
            ui: URL(string: "https://indivo.example.org")!,  // Addresses.
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "s"),
            transport: self,
            options: options
        ).record(id: "r-1", token: OAuthToken(value: "t", secret: "s"))
    }
}
