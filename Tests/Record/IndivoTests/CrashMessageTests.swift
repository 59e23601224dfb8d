#if os(Linux)
import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Logging
import OAuth1
import Testing

/// A process that dies with secrets and a patient's data at hand, and tells everything that a program
/// could tell of its objects on the way.
@Suite("What a crash tells")
struct CrashMessageTests {
    @Test(
        "neither a crash message nor the log before it tells secrets or document content",
        arguments: [
            "fatalError", "index", "unwrap", "uncaught error",
        ]
    )
    func crash(way: String) async throws {
        let ended = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [way] in
            try await DyingApp.die(way)
        }
        let result = try #require(ended)
        let told = Data(result.standardErrorContent + result.standardOutputContent)
        #expect(
            String(decoding: told, as: UTF8.self).contains("the app ran"),
            "the process came to its end"
        )
        #expect(DyingApp.search.found(in: told) == [])
    }
}

private enum DyingApp {
    static let consumerSecret = "PLANTED-consumer-secret/1"
    static let tokenSecret = "PLANTED-token-secret/2"
    static let verifier = "PLANTED-verifier/3"
    static let patient = "Seeded Patientia"
    static let disease = "Seeded disease <7>"

    static let search = SecretSearch([
        "consumer secret": consumerSecret, "token secret": tokenSecret, "verifier": verifier,
        "patient": patient,
        "document": disease,
    ])

    static func die(_ way: String) async throws {
        let objects = try await run()
        switch way {
        case "fatalError": fatalError("gone wrong: \(objects)")
        case "index": print(objects[objects.count])
        case "unwrap":
            let none: Int? = objects.isEmpty ? 1 : nil
            // This crash is what the test is about.
            print(none!)
        default:
            for object in objects {
                if let error = object as? IndivoError { throw error }
            }
        }
    }

    /// Logs in, calls, fails, and prints whatever it has.
    private static func run() async throws -> [Any] {
        var logger = Logger(label: "app") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .trace
        guard let url = URL(string: "https://indivo.example.org") else { return [] }
        let app = AppCredentials(
            id: "a@apps.example.org",
            consumerKey: "key",
            consumerSecret: Secret(consumerSecret)
        )
        let server = IndivoServer(
            api: url,
            ui: url,
            app: app,
            transport: AnsweringTransport(answer),
            logger: logger,
            options: TestTiming().options()
        )
        let record = try await server.selectRecord(
            callback: OutOfBandReceiver { $0 == .record ? "r-1" : verifier }
        ) { _ in }
        let problem = Problem()
        problem.name = CodedValue(title: disease, system: .snomed, identifier: "7")
        var objects: [Any] = [server, app, record, record.token, record.session(label: nil), problem]
        func attempt(_ call: () async throws -> Void) async {
            do { try await call() } catch { objects.append(error) }
        }
        await attempt { _ = try await record.information() }
        await attempt { _ = try await record.reports(of: Problem.self).all() }
        await attempt { try await record.add(problem, validation: .none) }
        await attempt { _ = try await record.account("p@example.org").inbox() }
        for object in objects {
            print(object, String(reflecting: object))
            // `dump` shows the values of what is the patient's own; secrets it does not.
            if !(object is IndivoDocument) { dump(object) }
        }
        print("the app ran")
        fflush(nil)
        return objects
    }

    @Sendable private static func answer(_ request: HTTPRequest, _ sent: Data?) -> HTTPAnswer {
        let path = request.path ?? ""
        let (status, type, body) =
            switch path {
            case "/oauth/request_token":
                (200, FormParameters.contentType, "oauth_token=request&oauth_token_secret=\(tokenSecret)")
            case "/oauth/access_token":
                (
                    200, FormParameters.contentType,
                    "oauth_token=t&oauth_token_secret=\(tokenSecret)&xoauth_indivo_record_id=r-1"
                )
            case _ where path.contains("/inbox"): (500, "text/html", "\(patient) \(tokenSecret)")
            case _ where path.contains("/documents"):
                (400, "text/html", String(decoding: sent ?? Data(), as: UTF8.self))
            case _ where path.contains("/reports"):
                (
                    200, "application/xml",
                    """
                    <Models><Model name=\"Problem\"><Field \
                    name=\"startDate\">\(patient)</Field></Model></Models>
                    """
                )
            default: (200, "application/xml", "<Record label=\"\(patient)\"><broken")
            }
        return HTTPAnswer(
            response: HTTPResponse(
                status: HTTPResponse.Status(code: status),
                headerFields: [.contentType: type]
            ),
            body: Data(body.utf8)
        )
    }
}
#endif
