import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Logging
import OAuth1
import Synchronization
import Testing

/// Plants secrets and patient data, lets everything go wrong, and looks for them wherever text comes out.
@Suite("Planted secrets")
struct PlantedSecretTests {
    private static let consumerSecret = "PLANTEDconsumersecret"
    private static let tokenSecret = "PLANTEDtokensecret"
    private static let disease = "SEEDEDdisease"

    /// Everything that a call gives a reader: the error in all its forms, and the log.
    private struct Findings {
        var forPeople: [String] = []
        var forDevelopers: [String] = []
    }

    private func findings(
        of answer: @escaping @Sendable (HTTPRequest, Data?) throws -> HTTPAnswer
    ) async throws -> Findings {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        logger.logLevel = .trace
        let url = try #require(URL(string: "https://indivo.example.org"))
        let server = IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(
                id: "a@apps.example.org",
                consumerKey: "key",
                consumerSecret: Secret(Self.consumerSecret)
            ),
            transport: AnsweringTransport(answer),
            logger: logger,
            options: TestTiming().options()
        )
        let record = server.record(
            id: "r-1",
            token: OAuthToken(value: "tokenvalue", secret: Secret(Self.tokenSecret))
        )
        let problem = Problem()
        problem.name = CodedValue(title: Self.disease, system: .snomed, identifier: "SEEDED7")
        problem.notes = "SEEDED notes\nof two lines"

        var found = Findings()
        func look(_ call: () async throws -> Void) async {
            do { try await call() } catch {
                var dumped = ""
                dump(error, to: &dumped)
                found.forPeople += [
                    "\(error)", String(reflecting: error), error.localizedDescription, dumped,
                ]
                if let error = error as? IndivoError { found.forDevelopers.append(error.debugDetails) }
            }
        }
        await look { _ = try await record.information() }
        await look { _ = try await record.reports(of: Problem.self).all() }
        await look { try await record.add(problem, externalID: "x", validation: .none) }
        await look { try await problem.setStatus(.void, reason: "SEEDED reason") }
        await look { try await problem.setLabel("SEEDED label") }
        await look {
            _ = try await server.selectRecord(callback: OutOfBandReceiver { _ in "r-1" }) { _ in }
        }
        var dumped = ""
        dump(server, to: &dumped)
        dump(record.token, to: &dumped)
        dump(record.session(), to: &dumped)
        found.forDevelopers.append(dumped)
        found.forPeople += lines.all
        #expect(!lines.all.isEmpty)
        return found
    }

    @Test(
        "no description or log has secrets or patient data, and no details have a secret",
        arguments: [
            (400, "%@ is not a valid value; got %@"), (403, "%@"), (404, "%@"), (500, "<h4>%@</h4>"),
            (302, "%@"), (503, "%@"),
            (200, "%@"),
            (200, "<Models><Model name=\"Problem\"><Field name=\"startDate\">%@</Field></Model></Models>"),
            (200, "oauth_token=t&oauth_token=%@"), (200, "<a>%@"),
        ]
    )
    func everywhere(status: Int, body: String) async throws {
        let found = try await findings { request, sent in
            // A server that says back what it was sent, in its refusals, and gives what it has in its
            // answers.
            let values = String(decoding: sent ?? Data(), as: UTF8.self).replacing("%20", with: " ")
                .matches(of: #/SEEDED[^<"&]*/#).map { String($0.output) }
            let isToken = request.path?.contains("/oauth/") == true
            let stored = status == 400 && values.isEmpty ? "bogus" : Self.disease
            let words = body.replacing(
                "%@",
                with: isToken ? Self.tokenSecret : values.isEmpty ? stored : values.joined(separator: "; ")
            )
            return HTTPAnswer(
                response: HTTPResponse(
                    status: HTTPResponse.Status(code: status),
                    headerFields: [
                        .contentType: "text/html",
                        .location: "https://x/?oauth_token_secret=\(Self.tokenSecret)",
                    ]
                ),
                body: Data(words.utf8)
            )
        }
        #expect(!found.forPeople.isEmpty && !found.forDevelopers.isEmpty)
        for text in found.forPeople {
            #expect(!text.contains("PLANTED") && !text.contains("SEEDED"), "\(text)")
        }
        for text in found.forDevelopers {
            #expect(!text.contains("PLANTED"), "\(text)")
        }
    }

    @Test(
        "an id is hidden whatever is written behind it",
        arguments: ["", "\u{200D}", "\u{200C}", "\u{301}", ".", "7"]
    )
    func ids(behind: String) async throws {
        let id = "01234567-89ab-cdef-0123-456789abcdef"
        let transport = AnsweringTransport(
            status: .badRequest,
            type: "text/html",
            "no document \(id)\(behind)"
        )
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().information()
        }
        #expect(!error.description.contains("0123") && error.description.contains("no document"))
    }

    @Test("a transport's failure tells neither")
    func failures() async throws {
        for kind in [
            HTTPTransportError.Kind.timedOut, .responseLost, .cannotConnect, .responseTooLarge, .tls,
        ] {
            let found = try await findings { _, _ in
                throw HTTPTransportError(kind: kind, server: "indivo.example.org", mayHaveReachedServer: true)
            }
            for text in found.forPeople + found.forDevelopers {
                #expect(!text.contains("PLANTED") && !text.contains("SEEDED"), "\(text)")
            }
        }
    }

    @Test("a secret prints as •••, however it is printed, and reveals itself when asked")
    func secret() {
        let secret = Secret(Self.tokenSecret)
        var dumped = ""
        dump(secret, to: &dumped)
        let texts = [
            "\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)",
        ]
        for text in texts { #expect(text.contains("•••") && !text.contains("PLANTED"), "\(text)") }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.reveal() == Self.tokenSecret)
        #expect(
            secret == Secret(Self.tokenSecret) && secret != Secret("other")
                && secret.hashValue == Secret(Self.tokenSecret).hashValue
        )
    }
}

/// Log lines, gathered.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct LineHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
