import OAuth1

/// The identity of an app on an Indivo server, as its administrator registered it.
public struct AppCredentials: Sendable, Hashable {
    /// The app's id, shaped like an e-mail address: `meds@apps.example.org`.
    public let id: String
    let consumer: OAuthConsumer

    /// - Parameters:
    ///   - consumerKey: The OAuth consumer key, often equal to the id.
    ///   - consumerSecret: The secret that goes with it. Anything shipped in an app can be read out of it.
    public init(id: String, consumerKey: String, consumerSecret: Secret) {
        self.id = id
        consumer = OAuthConsumer(key: consumerKey, secret: consumerSecret)
    }

    /// The OAuth consumer key.
    public var consumerKey: String { consumer.key }
}
