import Foundation

extension Request {
    /// The address of the client: that of the connection, or the one that the proxy before this server names.
    ///
    /// Of an address of IPv6 it is the network of 64 bits: one client has all of a network's addresses.
    package func client(isBehindProxy: Bool) -> String {
        // The last one is from the proxy; those before it may be from the client.
        guard isBehindProxy, let forwarded = header("X-Forwarded-For")?.split(separator: ",").last else { return peer }
        let text = String(forwarded.trimmingCharacters(in: .whitespaces).prefix(64))
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
        // An address of IPv4 as one of IPv6.
        if bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }

    /// Whether a program on this machine asks, and no proxy for somebody else: that would name them.
    package var isFromThisMachine: Bool { peer.hasPrefix("127.") && header("X-Forwarded-For") == nil && header("Forwarded") == nil }
}
