#if SMART
import Foundation
import HTTPCalls
import IndivoBase

/// What an app keeps of a launch: its tokens, and what they are for.
public struct SMARTSession: KeptSession, Hashable {
    /// The base URL of the FHIR server.
    public let base: URL
    /// The client's id.
    public let clientID: String
    /// Where the tokens are refreshed, revoked and inspected.
    let tokenEndpoint: URL
    let revocationEndpoint: URL?
    let introspectionEndpoint: URL?
    /// What the app was granted.
    public internal(set) var scopes: [SMARTScope]
    /// What the launch is about.
    public internal(set) var context: SMARTContext
    /// Who is logged in; nil without `openid`.
    public internal(set) var user: SMARTUser?
    var accessToken: Secret
    /// When the access token expires, by this device's clock; nil where the server does not say.
    public internal(set) var expiresAt: Date?
    /// The token that gets others; it may be another after each refresh.
    var refreshToken: Secret?
    /// When it was kept.
    public internal(set) var keptAt: Date

    /// The same for sessions of one app on one server, about one patient and one user.
    public var slot: String {
        let place = ServerAddress(base).map { "\($0.scheme)://\($0.authority)\($0.path)" }
        return [place ?? base.absoluteString, clientID, context.patient ?? "", user?.subject ?? ""].joined(
            separator: "\n"
        )
    }

    /// Whether it is with the server of a base URL, whatever its spelling.
    public func isFor(_ base: URL) -> Bool {
        ServerAddress(self.base)?.isSame(as: ServerAddress(base)) == true
    }

    init(
        base: URL,
        clientID: String,
        configuration: SMARTConfiguration,
        scopes: [SMARTScope],
        context: SMARTContext,
        accessToken: Secret,
        keptAt: Date
    ) {
        self.base = base
        self.clientID = clientID
        tokenEndpoint = configuration.tokenEndpoint
        revocationEndpoint = configuration.revocationEndpoint
        introspectionEndpoint = configuration.introspectionEndpoint
        self.scopes = scopes
        self.context = context
        self.accessToken = accessToken
        self.keptAt = keptAt
    }

    private enum CodingKeys: String, CodingKey {
        case base, clientID, tokenEndpoint, revocationEndpoint, introspectionEndpoint, scopes, context, user
        case accessToken, expiresAt, refreshToken, keptAt
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        base = try values.decode(URL.self, forKey: .base)
        clientID = try values.decode(String.self, forKey: .clientID)
        tokenEndpoint = try values.decode(URL.self, forKey: .tokenEndpoint)
        revocationEndpoint = try values.decodeIfPresent(URL.self, forKey: .revocationEndpoint)
        introspectionEndpoint = try values.decodeIfPresent(URL.self, forKey: .introspectionEndpoint)
        scopes = [SMARTScope](parsing: try values.decode(String.self, forKey: .scopes))
        context = try values.decode(SMARTContext.self, forKey: .context)
        user = try values.decodeIfPresent(SMARTUser.self, forKey: .user)
        accessToken = Secret(try values.decode(String.self, forKey: .accessToken))
        expiresAt = try values.decodeIfPresent(Date.self, forKey: .expiresAt)
        refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken).map { Secret($0) }
        keptAt = try values.decode(Date.self, forKey: .keptAt)
    }

    /// Writes the tokens as they are.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(base, forKey: .base)
        try values.encode(clientID, forKey: .clientID)
        try values.encode(tokenEndpoint, forKey: .tokenEndpoint)
        try values.encodeIfPresent(revocationEndpoint, forKey: .revocationEndpoint)
        try values.encodeIfPresent(introspectionEndpoint, forKey: .introspectionEndpoint)
        try values.encode(scopes.text, forKey: .scopes)
        try values.encode(context, forKey: .context)
        try values.encodeIfPresent(user, forKey: .user)
        try values.encode(accessToken.reveal(), forKey: .accessToken)
        try values.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try values.encodeIfPresent(refreshToken?.reveal(), forKey: .refreshToken)
        try values.encode(keptAt, forKey: .keptAt)
    }
}

extension SessionStore where Self == FileSessionStore<SMARTSession> {
    /// `smart-sessions.json` in the user's own folder for such things: `~/Library/Application Support/Indivo`
    /// on Apple's systems, `$XDG_STATE_HOME/indivo` or `~/.local/state/indivo` elsewhere.
    public static var standard: FileSessionStore<SMARTSession> {
        let folder = BaseFolder.standard(.state, onApple: "Indivo")
        return FileSessionStore(file: folder.appending(path: "smart-sessions.json"))
    }
}
#endif
