import Foundation
import HTTPCalls

/// A service's base URL, taken apart: where requests go, and which links stay there.
struct ServiceAddress: Sendable {
    let scheme: String
    /// Host and port, in lower case, without the scheme's own port.
    let authority: String
    /// The base's path without a slash at its end.
    let path: String

    /// - Throws: ``ServerAddressError``
    init(_ base: URL, plainHTTPHosts: Set<String>) throws(ServerAddressError) {
        let server = try ServerAddress(base, plainHTTPHosts: plainHTTPHosts)
        scheme = server.scheme
        authority = server.authority
        guard base.query() == nil, base.fragment() == nil, base.user() == nil, base.password() == nil else {
            throw .notAnAddress("a URL with a user, query or fragment")
        }
        var path = base.path(percentEncoded: true)
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// Path and query of a link on the same origin; relative links are resolved against the base. `nil` for a
    /// link elsewhere.
    func target(ofLink link: String) -> String? {
        let directory = URL(string: "\(scheme)://\(authority)\(path)/")
        guard let url = URL(string: link, relativeTo: directory)?.absoluteURL,
            let server = try? ServerAddress(url, plainHTTPHosts: [url.host() ?? ""]), server.scheme == scheme,
            server.authority == authority
        else { return nil }
        return url.requestTarget
    }
}

extension URL {
    /// Path and query, as a request has them.
    var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?" + $0 } ?? "")
    }
}
