import Foundation
import OAuth1

/// What an app keeps of a login to open the record again without another: a token for a record of an account on a server.
public struct IndivoSession: Sendable, Hashable {
    /// The address of the API.
    public let api: URL
    /// The app's id.
    public let app: String
    /// The record's id.
    public let record: String
    /// The token, with its secret.
    public let token: OAuthToken
    /// A name by which the person knows it, such as the record's label; it is about a patient.
    public var label: String?
    /// When it was kept.
    public var keptAt: Date

    /// A session to be kept.
    public init(api: URL, app: String, record: String, token: OAuthToken, label: String? = nil, keptAt: Date = Date()) {
        self.api = api
        self.app = app
        self.record = record
        self.token = token
        self.label = label
        self.keptAt = keptAt
    }

    /// Whether both are for the same record on the same server and for the same app.
    public func isForSameRecord(as other: IndivoSession) -> Bool {
        Self.place(api) == Self.place(other.api) && app == other.app && record == other.record
    }

    /// An address by which two spellings of it are the same.
    static func place(_ url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return "\(scheme)://\(url.host()?.lowercased() ?? ""):\(port)\(path)"
    }
}
