import Foundation
import HTTPTypes
import Indivo
import Synchronization

/// A server whose response is in memory already.
struct MemoryTransport: HTTPTransport {
    let response: HTTPResponse
    let body: Data

    init(_ body: [UInt8], type: String) {
        // As servers say it; where none does, the client scans for the end.
        response = HTTPResponse(
            status: .ok,
            headerFields: [.contentType: type, .contentLength: "\(body.count)"]
        )
        self.body = Data(body)
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        HTTPAnswer(response: response, body: self.body)
    }

    func record() throws -> IndivoRecord {
        guard let url = URL(string: "https://indivo.example.org") else { throw CancellationError() }
        return IndivoServer(
            api: url,
            ui: url,
            app: AppCredentials(id: "a", consumerKey: "a", consumerSecret: "a"),
            transport: self,
            options: IndivoServer.Options(maximumReadingBytes: 1_000_000_000)
        ).record(id: "r", token: OAuthToken(value: "t", secret: "s"))
    }
}

/// Runs asynchronous work to its end.
func wait(_ body: @escaping @Sendable () async throws -> Int) -> Int {
    let result = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    Task {
        let value = (try? await body()) ?? 0
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return result.withLock { $0 }
}
