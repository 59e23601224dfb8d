import Foundation
import IndivoBase

/// One HTTP request: nothing in it is decoded that a signature needs as it was sent.
package struct Request: Sendable {
    /// The method as it was sent: methods are written in capitals, and `get` is another than `GET`.
    package var method: String
    /// The path of the request line, percent-escapes and all.
    package var rawPath: String
    /// What follows the first `?` of the request line, "" for nothing.
    package var rawQuery: String
    /// Header values by lower-case name.
    package var headers: [String: String]
    package var body: Data
    /// The address of the client.
    package var peer: String

    package init(
        method: String,
        target: String,
        headers: [String: String] = [:],
        body: Data = Data(),
        peer: String = "127.0.0.1"
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = String(parts[0])
        rawQuery = parts.count > 1 ? String(parts[1]) : ""
        self.method = method
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    package func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// Whether the Host header is an address or `localhost`, with any port. A page elsewhere whose name was
    /// made to lead here (DNS rebinding) sends its own name, and could read what it gets.
    package var namesThisMachine: Bool {
        guard let host = header("Host")?.lowercased() else { return false }
        if host.hasPrefix("[") {
            let name = host.prefix { $0 != "]" }.dropFirst()
            let rest = host.dropFirst(name.count + 2)
            return !name.isEmpty && name.utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
                && (rest.isEmpty || rest.first == ":") && rest.dropFirst().utf8.allSatisfy(\.isASCIIDigit)
        }
        let name = host.prefix { $0 != ":" }
        guard host.dropFirst(name.count + 1).utf8.allSatisfy(\.isASCIIDigit) else { return false }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return name == "localhost"
            || numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil && $0.first != "+" }
    }

    /// Whether the Host header is the name under which a proxy with TLS serves the pages, or, where there is
    /// none, an address or `localhost`.
    package func isFor(host: String?) -> Bool {
        guard let host = host?.lowercased() else { return namesThisMachine }
        guard let named = header("Host")?.lowercased() else { return false }
        return named == host || named == host + ":443"
    }

    /// Whether a form was sent by a page of this server, or by a client that is not a browser. A browser
    /// reports the site in `Sec-Fetch-Site`, which also holds behind a proxy that ends TLS and has another
    /// name than this server. Without that header, `Origin` has to name the host of the request, whatever its
    /// scheme.
    package var isFromOwnPage: Bool {
        if let site = header("Sec-Fetch-Site") { return site == "same-origin" || site == "none" }
        guard let origin = header("Origin") else { return true }
        guard let scheme = origin.range(of: "://"), let host = header("Host") else { return false }
        return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }

    /// The value of a cookie.
    package func cookie(_ name: String) -> String? {
        let pairs = (header("Cookie") ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return pairs.first { $0.count == 2 && $0[0] == name }?[1]
    }

    /// The address of the client: that of the connection, or the one that the proxy before this server names.
    /// Of an address of IPv6 it is the network of 64 bits: one client has all of a network's addresses.
    package func client(isBehindProxy: Bool) -> String {
        // The last one is from the proxy; those before it may be from the client.
        guard isBehindProxy, let forwarded = header("X-Forwarded-For")?.split(separator: ",").last else {
            return peer
        }
        let text = String(forwarded.trimmingCharacters(in: .whitespaces).prefix(64))
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
        // An address of IPv4 as one of IPv6.
        if bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map {
            String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }

    /// Whether a program on this machine asks, and no proxy for somebody else: that would name them.
    package var isFromThisMachine: Bool {
        peer.hasPrefix("127.") && header("X-Forwarded-For") == nil && header("Forwarded") == nil
    }

    /// Whether a program on this machine asks by the machine's own name: no page of a browser here whose name
    /// was made to lead here.
    package var isFromThisMachineByName: Bool { isFromThisMachine && namesThisMachine }
}
