import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import OAuth1
import Testing

@Suite("What errors tell")
struct ErrorTests {
    private func failure(
        of transport: AnsweringTransport,
        _ call: (IndivoRecord) async throws -> Void
    ) async throws -> IndivoError {
        try await #require(throws: IndivoError.self) { try await call(transport.record()) }
    }

    @Test(
        "a conflict is told from other refusals, by the sentences of a real server",
        arguments: [
            (
                "Duplicate external id. Each document requires a unique external id",
                IndivoError.Conflict.externalIDUsed
            ),
            ("Duplicate external id. Each message requires a unique message_id", .messageIDUsed),
            (
                """
                Can't version a document that has already been versioned. Get the latest version of the \
                document.
                """,
                .alreadyReplaced
            ),
        ]
    )
    func conflicts(words: String, expected: IndivoError.Conflict) async throws {
        let transport = AnsweringTransport(status: .badRequest, type: "text/html; charset=utf-8", words)
        let error = try await failure(of: transport) {
            try await $0.add(Problem(), externalID: "x", validation: .none)
        }
        #expect(error.reason == .conflict(expected))
        #expect(error.status == 400 && error.isSafeToRetry)
        #expect(error.debugDetails.contains(words))
    }

    @Test("what the server quotes of patient data is in the details, not in the description")
    func quotedValues() async throws {
        let words =
            "the document submitted is malformed:Invalid SDM data: SDM data for field startDate"
            + " should have been an iso8601 datetime: got 2009-05-16T12:00:00.1234567 instead"
        let problem = Problem()
        problem.startDate = try XMLDateTime(lexical: "2009-05-16T12:00:00.1234567")
        problem.name = CodedValue(title: "Planted disease", system: .snomed, identifier: "49727002")
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let error = try await failure(of: transport) { try await $0.add(problem, validation: .none) }
        #expect(
            error.description.contains(
                "SDM data for field startDate should have been an iso8601 datetime: got … instead"
            )
        )
        #expect(!error.description.contains("2009-05-16"))
        #expect(error.debugDetails.contains("2009-05-16T12:00:00.1234567"))
        guard case .invalid(words, _) = error.reason else { throw error }
    }

    @Test(
        "a quotation is found however the server writes it down",
        arguments: [
            ("Planted é Ж 😀", #"got [u'Planted \xe9 \u0416 \U0001f600'] here"#),
            ("Planted <b> & \"so\"", "got Planted &lt;b&gt; &amp; &quot;so&quot; here"),
            ("Planted\n  twice", "got Planted twice here"),
            (String(repeating: "Planted ", count: 60_000), String(repeating: "Planted ", count: 60_000)),
        ]
    )
    func quotations(value: String, words: String) async throws {
        let problem = Problem()
        problem.notes = value
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let error = try await failure(of: transport) { try await $0.add(problem, validation: .none) }
        #expect(!error.description.contains("Planted"), "\(error.description.prefix(300))")
    }

    @Test(
        "ids, token, key, quotes and what was cut short are left out of a description",
        arguments: [
            "no document doc-4711 of record r-1", "token planted-token of planted-key",
            "got 'anything at all' here",
            "value \"Secret\" and “Another” and u'One \\xe9'", "got Planted dis… here", "got Plant... here",
            "got ...disease here",
            "an open 'quotation that does not", "about 0f3c1a52-1111-4222-8333-444455556666 here",
            "got 77 here",
        ]
    )
    func leftOut(words: String) async throws {
        let url = try #require(URL(string: "https://indivo.example.org"))
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let server = IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a", consumerKey: "planted-key", consumerSecret: "s"),
            transport: transport,
            options: TestTiming().options()
        )
        let record = server.record(id: "r-1", token: OAuthToken(value: "planted-token", secret: "s"))
        let problem = Problem()
        problem.name = CodedValue(title: "Planted disease", system: .snomed, identifier: "77")
        let error = try await #require(throws: IndivoError.self) {
            try await record.add(problem, externalID: "doc-4711", validation: .none)
        }
        for word in [
            "4711", "r-1", "lanted", "anything", "Secret", "Another", "One", "Plan", "dis", "quotation",
            "0f3c", "4444", "77",
        ] {
            #expect(!error.description.contains(word), "\(word): \(error.description)")
        }
        #expect(error.description.contains("…"))
        #expect(error.debugDetails.contains(words))
    }

    @Test("of a long refusal the beginning is told, without what was sent")
    func longRefusal() async throws {
        let problem = Problem()
        problem.notes = (0..<2000).map { "planted\($0)" }.joined(separator: " ")
        problem.name = CodedValue(title: "Planted disease", system: .snomed, identifier: "12")
        let words =
            "The document was refused. " + String(repeating: "Planted disease, 12 planted77 ", count: 9000)
        let transport = AnsweringTransport(status: .badRequest, type: "text/html", words)
        let error = try await failure(of: transport) { try await $0.add(problem, validation: .none) }
        #expect(error.description.contains("The document was refused."))
        #expect(!error.description.contains("lanted") && !error.description.contains("dis"))
    }

    @Test("what this library finds wrong with the document stands beside the server's words")
    func ownFindings() async throws {
        let medication = Medication()
        medication.drugName = CodedValue(title: "Planted drug", system: .rxNorm, identifier: "316153")
        let transport = AnsweringTransport(
            status: .badRequest,
            type: "text/html",
            "Medication object didn't validate: startDate -- This field cannot be blank."
        )
        let error = try await failure(of: transport) { try await $0.add(medication, validation: .none) }
        guard case .invalid(let words, let problems) = error.reason else { throw error }
        #expect(words.contains("cannot be blank"))
        #expect(problems.contains { $0.model == "Medication" && $0.property == "startDate" })
        #expect(error.description.contains("Medication.startDate"))
        #expect(error.debugDetails.contains("found here: Medication.startDate: is required"))
    }

    @Test("a 404 to a replacement with bad content is told as what it is")
    func misleadingNotFound() async throws {
        let document =
            "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\"/></Models>"
        let transport = AnsweringTransport { request, _ in
            if request.path?.hasSuffix("/meta") == true {
                return HTTPAnswer(response: HTTPResponse(status: .notFound))
            }
            if request.path?.contains("/replace/") == true {
                return HTTPAnswer(response: HTTPResponse(status: .notFound))
            }
            return HTTPAnswer(
                response: HTTPResponse(status: .ok),
                body: Data((request.method == .get ? document : "<Document id=\"d-1\"/>").utf8)
            )
        }
        let medication = Medication()
        let error = try await failure(of: transport) { record in
            try await record.add(medication, validation: .none)
            medication.instructions = "one a day"
            try await medication.replace()
        }
        guard case .invalid("", let problems) = error.reason else { throw error }
        #expect(problems.contains { $0.property == "startDate" })
        #expect(error.status == 404)
    }

    @Test(
        "a refused replacement of a file names unknown fields and unreadable dates",
        arguments: [
            (
                "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\n<Model name=\"Problem\">"
                    + "<Field name=\"colour\">red</Field></Model></Models>", "Problem.colour",
                "is not a field of the model"
            ),
            (
                "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\n<Model name=\"Problem\">"
                    + "<Field name=\"startDate\">soon</Field></Model></Models>", "Problem.startDate",
                "expected a date"
            ),
            (
                """
                <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\"><Field \
                name=\"fulfillments\">\n
                """
                    + """
                    <Models><Model name=\"Fill\"><Field \
                    name=\"colour\">red</Field></Model></Models></Field></Model></Models>
                    """,
                "Fill.colour", "is not a field of the model"
            ),
            (
                "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\n<Model name=\"Medication\">"
                    + "<Field name=\"name_title\">x</Field></Model></Models>", "Medication.name_title",
                "an older name of “drugName_title”"
            ),
            (
                """
                <Procedure \
                xmlns=\"http://indivo.org/vocab/xml/documents#\">\n<datePerformed>soon</datePerformed>\
                </Procedure>
                """,
                ".datePerformed", "expected a date"
            ),
        ]
    )
    func findings(content: String, property: String, reason: String) async throws {
        for status in [HTTPResponse.Status.notFound, .badRequest] {
            let transport = AnsweringTransport { request, _ in
                let isWrite = request.path?.contains("/replace") == true
                return HTTPAnswer(
                    response: HTTPResponse(status: isWrite ? status : .notFound),
                    body: Data()
                )
            }
            let error = try await failure(of: transport) { record in
                let file = FileDocument(id: "d-1", in: record)
                file.content = FileContent(text: content, contentType: "application/xml")
                try await file.replace(externalID: .none)
            }
            guard case .invalid(_, let problems) = error.reason else { throw error }
            let problem = try #require(
                problems.first { "\($0.model).\($0.property)".hasSuffix(property) },
                "\(problems)"
            )
            #expect(problem.reason.contains(reason) && problem.line == 2, "\(problem)")
            #expect(problems.filter { $0.property == problem.property }.count == 1, "\(problems)")
            #expect(error.description.contains(property))
            #expect(!error.description.contains("soon") && !error.description.contains("red "))
        }
    }

    @Test(
        "an app document that was deleted is told as such, and leaves nothing behind",
        arguments: [true, false]
    )
    func deletedAppDocument(canDelete: Bool) async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == .put || canDelete else {
                return HTTPAnswer(response: HTTPResponse(status: .serviceUnavailable))
            }
            let body = request.method == .put ? "<Document id=\"d-2\"/>" : "<ok/>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        let document = AppDocuments.Document(id: "d-1", in: transport.server().appDocuments)
        let error = try await #require(throws: IndivoError.self) {
            try await document.replace(with: FileContent(text: "new"))
        }
        #expect(error.reason == .conflict(.deleted) && error.call == "app_document_create_or_update")
        #expect(transport.requests.first?.method == .put && transport.requests.last?.method == .delete)
        #expect(transport.requests.last?.path == "/apps/meds@apps.example.org/documents/d-2")
        #expect(error.debugDetails.contains("d-2") == !canDelete, "\(error.debugDetails)")
        #expect(!error.description.contains("d-2") && error.description.contains("was deleted"))
    }

    @Test("a malformed answer names call and place; its content is for the developer only")
    func malformed() async throws {
        for body in [
            "<Models>\n<Model name='Problem'><planted</Model>",
            """
            <Models><Model name=\"Problem\">\n<Model name=\"planted\"/></Model><Model \
            name=\"planted\"/></Models>
            """,
        ] {
            let error = try await failure(of: AnsweringTransport(body)) {
                _ = try await $0.reports(of: Problem.self).all()
            }
            guard case .malformedResponse(let place) = error.reason else { throw error }
            #expect(place.contains("line"))
            #expect(error.call == "generic_list" && error.request == "GET /records/{record}/reports/{model}/")
            #expect(!error.description.contains("planted"))
            #expect(error.debugDetails.contains("planted"))
        }
    }

    @Test("a compressed answer, which nobody asked for, is not unpacked")
    func compressed() async throws {
        let transport = AnsweringTransport { _, _ in
            HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: [.contentEncoding: "gzip"]),
                body: Data([0x1F, 0x8B])
            )
        }
        let error = try await failure(of: transport) { _ = try await $0.information() }
        guard case .malformedResponse(let what) = error.reason else { throw error }
        #expect(what.contains("compressed (gzip)"))
    }

    @Test(
        "an answer of another content type is read; one cut short or empty is asked again",
        arguments: [
            FaultyTransport.Fault.contentType("text/html"), .cutBody(afterBytes: 9), .cutBody(afterBytes: 0),
        ]
    )
    func damaged(fault: FaultyTransport.Fault) async throws {
        let inner = AnsweringTransport("<Record id=\"r\" label=\"l\"/>")
        let transport = FaultyTransport(inner, faults: [fault])
        let url = try #require(URL(string: "https://indivo.example.org"))
        let record = IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            transport: transport,
            options: TestTiming().options()
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
        // The content type alone deceives nobody: XML is XML.
        #expect(try await record.information().label == "l")
        let isCut = if case .cutBody = fault { true } else { false }
        #expect(transport.requestCount == (isCut ? 2 : 1))
    }

    @Test(
        "each failure of a transport is the error that it means",
        arguments: [
            (HTTPTransportError.Kind.hostNotFound, IndivoError.Reason.responseLost),
            (.cannotConnect, .responseLost),
            (.tls, .responseLost), (.timedOut, .timedOut), (.responseLost, .responseLost),
            (.responseTooLarge, .responseTooLarge),
            (.malformedResponse, .malformedResponse("it is not HTTP")), (.other, .responseLost),
            (.invalidRequest, .badArgument("d")),
        ]
    )
    func transport(kind: HTTPTransportError.Kind, expected: IndivoError.Reason) async throws {
        let failing = AnsweringTransport { _, _ in
            throw HTTPTransportError(
                kind: kind,
                server: "indivo.example.org",
                mayHaveReachedServer: true,
                detail: "d"
            )
        }
        let error = try await failure(of: failing) { _ = try await $0.information() }
        #expect(error.reason == expected)
        #expect(error.transportError?.kind == kind)
        #expect(error.description.contains("record (GET /records/{record})"))
    }

    @Test("the likely causes of a refusal depend on what was accepted before")
    func causes() async throws {
        let accepts = Switch()
        let transport = AnsweringTransport { request, _ in
            accepts.isOn(request.path ?? "")
                ? HTTPAnswer(
                    response: HTTPResponse(status: .ok),
                    body: Data("<Record id=\"r-1\" label=\"l\"/>".utf8)
                )
                : HTTPAnswer(
                    response: HTTPResponse(status: .forbidden),
                    body: Data("<h4>Permission Denied</h4>".utf8)
                )
        }
        let record = transport.record()
        func causes(_ call: () async throws -> Void) async throws -> [IndivoError.RefusalCause] {
            let error = try await #require(throws: IndivoError.self) { try await call() }
            guard case .refused(let causes) = error.reason else { throw error }
            #expect(Set(causes).count == causes.count)
            return causes
        }
        let fresh = try await causes { _ = try await record.information() }
        #expect(fresh.prefix(2) == [.tokenGone, .wrongConsumer] && fresh.contains(.slowClock))

        accepts.turn(on: "/records/r-1")
        _ = try await record.information()
        let otherCall = try await causes { _ = try await record.reports(of: Problem.self).all() }
        #expect(otherCall.prefix(2) == [.notAllowed, .tokenGone] && !otherCall.contains(.wrongConsumer))

        let otherRecord = try await causes {
            _ = try await record.server.record(id: "r-2", token: record.token).information()
        }
        #expect(
            otherRecord.prefix(2) == [.notAllowed, .tokenGone],
            "the token worked a moment ago, for its own record"
        )

        accepts.turn(on: nil)
        let sameCall = try await causes { _ = try await record.information() }
        #expect(sameCall.first == .tokenGone)

        let unsigned = try await causes { _ = try await record.server.version() }
        #expect(!unsigned.contains(.tokenGone) && !unsigned.contains(.wrongConsumer))
    }

    @Test(
        "http goes to this machine only, and to hosts that are named; the error says how",
        arguments: [
            ("http://localhost:8000", true), ("http://127.0.0.1", true), ("http://127.9.9.9:1", true),
            ("http://[::1]", true),
            ("http://app.localhost", true), ("HTTP://Clinic.example.org", true),
            ("https://indivo.example.org", true),
            ("http://indivo.example.org", false), ("http://127.0.0.1.example.org", false),
            ("http://192.168.0.7", false),
            ("http://localhost.example.org", false), ("http://127.0.0.1@evil.example.org/", false),
            ("ftp://localhost", false),
            ("indivo.example.org", false),
        ]
    )
    func plainHTTP(api: String, isAllowed: Bool) async throws {
        let transport = AnsweringTransport("2.0.0")
        let server = transport.server(
            api: api,
            options: TestTiming().options(plainHTTPHosts: ["clinic.example.org"])
        )
        if isAllowed {
            #expect(try await server.version() == "2.0.0")
        } else {
            let error = try await #require(throws: IndivoError.self) { try await server.version() }
            guard case .badArgument(let why) = error.reason else { throw error }
            #expect(why.contains("https"))
            #expect(transport.requests.isEmpty)
        }
    }
}

/// Which path a server accepts just now.
private final class Switch: Sendable {
    private let accepted = Shared<String?>(nil)

    func turn(on path: String?) { accepted.set(path) }
    func isOn(_ path: String) -> Bool { accepted.get() == path }
}
