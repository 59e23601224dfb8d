import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// Answers requests with what a test says, and remembers them.
final class AnsweringTransport: HTTPTransport {
    let answer: @Sendable (HTTPRequest, Data?) throws -> HTTPAnswer
    private let seen = Mutex<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest, Data?) throws -> HTTPAnswer) { self.answer = answer }

    /// The same answer to everything.
    convenience init(status: HTTPResponse.Status = .ok, type: String = "application/xml", _ body: String) {
        self.init { _, _ in
            HTTPAnswer(
                response: HTTPResponse(
                    status: status,
                    headerFields: [.contentType: type, .contentLength: String(body.utf8.count)]
                ),
                body: Data(body.utf8)
            )
        }
    }

    var requests: [HTTPRequest] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        seen.withLock { $0.append(request) }
        return try answer(request, body)
    }

    /// A record on a server that this transport plays.
    func record(
        api: String = "https://indivo.example.org:8000",
        options: IndivoServer.Options = TestTiming().options()
    ) -> IndivoRecord {
        server(api: api, options: options)
            .record(id: "r-1", token: OAuthToken(value: "token", secret: "planted-token-secret"))
    }

    func server(
        api: String = "https://indivo.example.org:8000",
        options: IndivoServer.Options = TestTiming().options()
    ) -> IndivoServer {
        // Every address that the tests give is one.
        IndivoServer(
            api: URL(string: api)!,
            ui: URL(string: "https://indivo.example.org")!,
            app: AppCredentials(
                id: "meds@apps.example.org",
                consumerKey: "key",
                consumerSecret: "planted-consumer-secret"
            ),
            transport: self,
            options: options
        )
    }
}
