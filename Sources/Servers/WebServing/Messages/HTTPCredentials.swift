import Foundation
import IndivoBase

/// What an `Authorization` header carries: a name and a password (RFC 7617), or a token (RFC 6750).
package enum HTTPCredentials: Sendable, Hashable {
    case basic(name: String, password: String)
    case bearer(String)

    private static let maximumBytes = 8_192

    /// Reads the header; nil for another scheme, and for what is malformed or longer than eight kilobytes.
    package init?(_ header: String) {
        guard header.utf8.count <= Self.maximumBytes else { return nil }
        let parts = header.split(separator: " ").map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": self = .bearer(parts[1])
        case "basic":
            guard let data = Data(base64Encoded: parts[1]),
                let text = String(validating: data, as: UTF8.self),
                let colon = text.firstIndex(of: ":")
            else { return nil }
            self = .basic(name: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
        default: return nil
        }
    }
}

extension Request {
    package var credentials: HTTPCredentials? { header("Authorization").flatMap(HTTPCredentials.init) }
}
