import Foundation
import GRDB
import IndivoBase

struct AppRow: Codable, IdentifiedRow, PersistableRecord {
    static let databaseTableName = "app"
    var id: String
    var internalId, name, consumerKey, consumerSecret: String
    /// `ui`, or `background` for an autonomous app.
    var mode: String
    /// Where the app starts, with `{record_id}` and `{carenet_id}` to be filled in.
    var startURL: String
    var callbackURL, manifest: String

    var isAutonomous: Bool { mode == "background" }

    static func all(in db: Database) throws -> [AppRow] { try all("ORDER BY rowid", in: db) }

    static func enabled(on record: String, in db: Database) throws -> [AppRow] {
        try all("JOIN share ON share.app = app.id WHERE record = ? ORDER BY share.serial", [record], in: db)
    }

    /// Whether a callback leads to the origin of the app's callback URL or start URL: what comes behind may
    /// differ.
    func isRegistered(callback: String) -> Bool {
        if callback == "oob" { return true }
        return AppRow.origin(callback).map { [callbackURL, startURL].map(AppRow.origin).contains($0) }
            ?? false
    }

    /// Scheme, host and port; `nil` for what is not an address, or has a user's name before the host.
    static func origin(_ address: String) -> String? {
        // What comes behind the path may be a template that no URL could hold.
        let base = String(address.prefix { $0 != "?" && $0 != "#" && $0 != "{" })
        guard isAddress(base), let parts = URLComponents(string: base),
            let scheme = parts.scheme?.lowercased(),
            parts.user == nil, parts.password == nil
        else { return nil }
        guard scheme == "http" || scheme == "https" else { return scheme }
        guard let host = parts.host?.lowercased(), !host.isEmpty else { return nil }
        return "\(scheme)://\(host):\(parts.port ?? (scheme == "http" ? 80 : 443))"
    }

    /// Whether a text is an absolute URL (RFC 3986) to which a browser may be sent: ASCII without blanks and
    /// control characters, and of no scheme that is a program or a page by itself.
    static func isAddress(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first,
            first.isASCIILetter, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return false }
        let scheme = text[..<colon].lowercased()
        return !["javascript", "data", "vbscript"].contains(scheme)
            && scheme.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8.contains($0) }
    }
}

/// An admin app, or a UI server's app ("chrome"), which may act for whoever is logged in.
struct MachineAppRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "machineApp"
    var id, name, consumerKey, consumerSecret: String
    var isChrome: Bool
}
