#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Indivo

extension OutboxFolder {
    /// Of server, app and record: a SHA-256 digest. It names the folder, and every file in it is bound to it.
    struct Identity: Sendable, Hashable {
        let digest: Data

        private init(_ record: IndivoRecord, api: String) {
            digest = Data(SHA256.hash(data: Data([api, record.server.app.id, record.id].joined(separator: "\n").utf8)))
        }

        /// What the folder is called.
        var name: String { digest.prefix(16).map { String(format: "%02x", $0) }.joined() }

        /// The identity that the record's outbox has in a folder of outboxes.
        ///
        /// All spellings of one address give one identity. Earlier versions took the address as it was spelled, and
        /// their files are bound to that: where there is such an outbox it keeps the identity that it has.
        static func find(_ record: IndivoRecord, in root: String) -> Identity {
            let spellings = spellings(of: record.server.api)
            let known = spellings.map { Identity(record, api: $0) }
            return known.first { OutboxFolder.isOutbox(root + "/" + $0.name) }
                ?? Identity(record, api: normalized(record.server.api))
        }

        /// As the app spells the address, the normalised form, and other common spellings of it.
        private static func spellings(of api: URL) -> [String] {
            let normal = normalized(api)
            var spellings = [api.absoluteString, normal, normal + "/"]
            if let parts = URLComponents(string: normal), parts.port == nil {
                var explicit = parts
                explicit.port = parts.scheme == "http" ? 80 : 443
                if let text = explicit.string { spellings += [text, text + "/"] }
            }
            return spellings
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
}
