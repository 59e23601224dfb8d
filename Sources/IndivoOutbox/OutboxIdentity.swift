#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Indivo
import URLCoding

/// Whose outbox it is: of a server, an app and a record.
struct OutboxIdentity: Sendable, Hashable {
    /// All spellings of one address give one text.
    let text: String

    init(of record: IndivoRecord) {
        text = [Self.normalized(record.server.api), record.server.app.id, record.id].joined(separator: "\n")
    }

    /// What the outbox's folder is called: a digest, since the ids say whose it is.
    var folderName: String {
        Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)).prefix(16))
    }

    /// Scheme and host in lower case, without the scheme's own port and a slash at the end (RFC 3986, section 6.2).
    private static func normalized(_ api: URL) -> String {
        guard let scheme = api.scheme?.lowercased(), let host = api.host(percentEncoded: true)?.lowercased() else {
            return api.absoluteString
        }
        let port = api.port.flatMap { $0 == (scheme == "http" ? 80 : 443) ? nil : ":\($0)" } ?? ""
        var path = api.path(percentEncoded: true)
        if path.hasSuffix("/") { path.removeLast() }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port)\(path)"
    }
}
