// Whoever signs has the forms, the escapes and the secrets with it.
@_exported import IndivoBase

/// What a request is signed with: a consumer, and a token once there is one (RFC 5849, 1.1).
///
/// Without a token a request is signed for the consumer alone, as when it asks for temporary credentials
/// ("two-legged"); with one it acts for the person who granted the token ("three-legged").
public struct OAuthCredentials: Sendable, Hashable {
    /// The app that signs.
    public var consumer: OAuthConsumer
    /// The temporary or access token it signs with, if any.
    public var token: OAuthToken?

    /// An app's credentials, and those of whoever let it act for them.
    public init(consumer: OAuthConsumer, token: OAuthToken? = nil) {
        self.consumer = consumer
        self.token = token
    }

    /// The HMAC key: both secrets percent-encoded and joined by `&`, the right side empty without a token
    /// (RFC 5849, 3.4.2).
    var signingKey: [UInt8] {
        consumer.secret.percentEncoded + [UInt8(ascii: "&")] + (token?.secret.percentEncoded ?? [])
    }
}

/// An app as the server knows it: the "client credentials" of RFC 5849, commonly a consumer key and secret.
public struct OAuthConsumer: Sendable, Hashable {
    /// The key, sent as `oauth_consumer_key`.
    public var key: String
    /// The secret shared with the server; never sent.
    public var secret: Secret

    /// An app's key and secret.
    public init(key: String, secret: Secret) {
        self.key = key
        self.secret = secret
    }
}

/// A token and its secret: "temporary credentials" before the person agreed, "token credentials" after (RFC
/// 5849, 1.1).
public struct OAuthToken: Sendable, Hashable {
    /// The token, sent as `oauth_token`.
    public var value: String
    /// The secret that came with it; never sent.
    public var secret: Secret

    /// A token and its secret.
    public init(value: String, secret: Secret) {
        self.value = value
        self.secret = secret
    }
}

extension Secret {
    /// The secret's UTF-8, percent-encoded: one half of a signing key (RFC 5849, section 3.4.2).
    var percentEncoded: [UInt8] { withBytes { PercentEncoding.encodedBytes($0) } }
}
