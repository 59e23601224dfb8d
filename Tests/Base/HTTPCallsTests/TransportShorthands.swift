import HTTPCalls
import HTTPTypes
import TestSupport

#if !canImport(CLibCurl)
typealias SystemTransport = URLSessionTransport
#else
typealias SystemTransport = CurlTransport
#endif

extension HTTPRequest {
    /// A request to a scripted server.
    static func to(_ server: ScriptedServer, method: Method = .get, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: server.authority, path: path)
    }
}
