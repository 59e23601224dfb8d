import Foundation
import HTTPTypes
import Indivo

#if !canImport(CLibCurl)
typealias SystemTransport = URLSessionTransport
#else
typealias SystemTransport = CurlTransport
#endif

extension HTTPTransport {
    /// Sends a request without a body.
    func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        try await send(request, body: nil)
    }
}

extension HTTPRequest {
    /// A request to a scripted server.
    static func to(_ server: ScriptedServer, method: Method = .get, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: server.authority, path: path)
    }
}
