import HTTPTypes

/// A request's destination, split into its parts and checked, so that it can be sent as it is.
struct HTTPTarget {
    let authority: String
    let path: String
    /// The address of the server: scheme and authority.
    let origin: String

    /// - Throws: ``HTTPTransportError`` of kind `invalidRequest`, which says what is missing or not allowed.
    init(_ request: HTTPRequest) throws(HTTPTransportError) {
        func invalid(_ reason: String) -> HTTPTransportError { .invalid(request.authority ?? "?", reason) }
        guard let scheme = request.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw invalid("its scheme is “\(request.scheme ?? "")”; use http or https")
        }
        guard let authority = request.authority, !authority.isEmpty else {
            throw invalid("it names no host; set the request's authority to host or host:port")
        }
        guard authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@\\".utf8.contains($0) }) else {
            throw .invalid(
                "a malformed address",
                "its authority is more than host and port; leave out user names and paths"
            )
        }
        guard let path = request.path, path.utf8.first == UInt8(ascii: "/") else {
            throw invalid("its path does not begin with “/”")
        }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw invalid(
                "its path holds a space, a control character, “#” or something not ASCII; percent-encode it"
            )
        }
        self.authority = authority
        self.path = path
        origin = "\(scheme)://\(authority)"
    }
}
