import Foundation

/// The address of a server, taken apart and found fit to send credentials to.
struct ServerAddress {
    /// In lower case.
    let scheme: String
    /// Host and port as both signature rules write them: in lower case, without the scheme's own port.
    let authority: String
    /// Before the paths of calls, escaped, without a slash at the end.
    let path: String

    /// - Parameter plainHTTPHosts: The hosts to which HTTP without TLS is allowed, beside this machine itself.
    /// - Throws: ``ServerAddressError``
    init(_ url: URL, plainHTTPHosts: Set<String>) throws(ServerAddressError) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else {
            throw ServerAddressError(
                description: "“\(url.absoluteString)” is no address of a server; it looks like https://indivo.example.org:8000")
        }
        guard scheme == "https" || Self.isLoopback(host) || plainHTTPHosts.contains(where: { $0.lowercased() == host })
        else {
            throw ServerAddressError(
                description: "http to \(host) would show the patient's data to everybody on the way; use https, or, in a "
                    + "network that you trust, name the host in IndivoServer.Options.plainHTTPHosts")
        }
        self.scheme = scheme
        let path = url.path(percentEncoded: true)
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        let bracketed = host.contains(":") ? "[\(host)]" : host
        if let port = url.port, port != (scheme == "http" ? 80 : 443) {
            authority = "\(bracketed):\(port)"
        } else {
            authority = bracketed
        }
    }

    /// Whether a host is this machine by its name or number (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

/// Why an address cannot be used.
struct ServerAddressError: Error, CustomStringConvertible {
    let description: String
}
