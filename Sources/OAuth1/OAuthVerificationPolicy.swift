/// What an ``OAuthVerifier`` accepts.
public struct OAuthVerificationPolicy: Sendable, Hashable {
    /// How the base string is made.
    public var rule: SignatureRule
    /// How many seconds a timestamp may lie in the past.
    public var maximumAge: Int
    /// How many seconds a timestamp may lie in the future; nil for any number.
    public var maximumLead: Int?
    /// How many characters a nonce may have.
    public var maximumNonceLength: Int
    /// Whether the scheme must be spelled `OAuth`, where HTTP allows any letter case.
    public var requiresExactScheme: Bool

    /// What a verifier asks of requests.
    public init(
        rule: SignatureRule, maximumAge: Int = 300, maximumLead: Int? = 300, maximumNonceLength: Int = 255,
        requiresExactScheme: Bool = false
    ) {
        self.rule = rule
        self.maximumAge = maximumAge
        self.maximumLead = maximumLead
        self.maximumNonceLength = maximumNonceLength
        self.requiresExactScheme = requiresExactScheme
    }

    /// RFC 5849, with timestamps at most five minutes off either way.
    public static let rfc5849 = OAuthVerificationPolicy(rule: .rfc5849)

    /// As an Indivo X server accepts: five minutes into the past and any time ahead, nonces of 100 characters,
    /// and the scheme to the letter.
    public static let indivo = OAuthVerificationPolicy(
        rule: .indivo, maximumAge: 300, maximumLead: nil, maximumNonceLength: 100, requiresExactScheme: true)
}
