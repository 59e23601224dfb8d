import Foundation
import IndivoBase
import OAuth1

/// A kept login, with which an app can open the record again without another: a token for one record on one
/// server.
public struct IndivoSession: KeptSession, Hashable {
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
    public init(
        api: URL,
        app: String,
        record: String,
        token: OAuthToken,
        label: String? = nil,
        keptAt: Date = Date()
    ) {
        self.api = api
        self.app = app
        self.record = record
        self.token = token
        self.label = label
        self.keptAt = keptAt
    }

    /// An address in normal form: the same for different spellings of it.
    package static func place(_ url: URL) -> String {
        ServerAddress(url).map { "\($0.scheme)://\($0.authority)\($0.path)" } ?? url.absoluteString
    }

    public var slot: String { [Self.place(api), app, record].joined(separator: "\n") }

    private enum CodingKeys: String, CodingKey { case api, app, record, token, secret, label, keptAt }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        api = try values.decode(URL.self, forKey: .api)
        app = try values.decode(String.self, forKey: .app)
        record = try values.decode(String.self, forKey: .record)
        token = OAuthToken(
            value: try values.decode(String.self, forKey: .token),
            secret: Secret(try values.decode(String.self, forKey: .secret))
        )
        label = try values.decodeIfPresent(String.self, forKey: .label)
        keptAt = try values.decode(Date.self, forKey: .keptAt)
    }

    /// Writes the token and its secret as they are.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(api, forKey: .api)
        try values.encode(app, forKey: .app)
        try values.encode(record, forKey: .record)
        try values.encode(token.value, forKey: .token)
        try values.encode(token.secret.reveal(), forKey: .secret)
        try values.encodeIfPresent(label, forKey: .label)
        try values.encode(keptAt, forKey: .keptAt)
    }
}

extension SessionStore where Self == FileSessionStore<IndivoSession> {
    /// `sessions.json` in the user's own folder for such things: `~/Library/Application Support/Indivo` on
    /// Apple's systems, `$XDG_STATE_HOME/indivo` or `~/.local/state/indivo` elsewhere.
    public static var standard: FileSessionStore<IndivoSession> {
        FileSessionStore(
            file: BaseFolder.standard(.state, onApple: "Indivo").appending(path: "sessions.json")
        )
    }
}
