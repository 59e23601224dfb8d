import Foundation
import IndivoBase

/// The address of a server, taken apart and found fit to send credentials to.
package struct ServerAddress {
    /// `http` or `https`.
    package let scheme: String
    /// Host and port in lower case, without the scheme's own port.
    package let authority: String
    /// Before the paths of calls, escaped, without a slash at the end.
    package let path: String
    private let host: String

    /// An address to which credentials may be sent: with TLS, or of a host to which HTTP is allowed, or this
    /// machine's.
    package init(_ url: URL, plainHTTPHosts: Set<String>) throws(ServerAddressError) {
        guard let address = ServerAddress(url) else { throw .notAnAddress(url.absoluteString) }
        self = address
        guard
            scheme == "https" || Self.isLoopback(host)
                || plainHTTPHosts.contains(where: { $0.lowercased() == host })
        else { throw .plainHTTP(host: host) }
    }

    /// An address in its normal form (RFC 3986, section 6.2), whether or not credentials may be sent to it.
    /// `nil` for what is not a server's.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return nil }
        let path = url.path(percentEncoded: true)
        let port = url.port.flatMap { $0 == (scheme == "http" ? 80 : 443) ? nil : ":\($0)" } ?? ""
        self.scheme = scheme
        self.host = host
        authority = (host.contains(":") ? "[\(host)]" : host) + port
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Whether both are the same place, in whatever spelling.
    package func isSame(as other: ServerAddress?) -> Bool {
        scheme == other?.scheme && authority == other?.authority && path == other?.path
    }

    /// Whether a host is this machine by its name or number (RFC 6761, section 6.3; RFC 1122, section
    /// 3.2.1.3).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

/// Why an address cannot be used.
package enum ServerAddressError: Error, CustomStringConvertible {
    /// It is not the address of a server.
    case notAnAddress(String)
    /// It has no TLS, and leads to another machine.
    case plainHTTP(host: String)

    package var description: String {
        switch self {
        case .notAnAddress(let text):
            "“\(text)” is no address of a server; it looks like https://health.example.org:8000".shown()
        case .plainHTTP(let host):
            "http to \(host) would show what is sent to everybody on the way; "
                + "use https, or, in a network that you trust, name the host in the option plainHTTPHosts"
        }
    }
}
