/// Why a signed request is refused. For the server's own log: a client need not know more than that it was refused.
public enum OAuthRefusal: Error, Hashable, CustomStringConvertible {
    /// A parameter that must be there is absent or empty.
    case missingParameter(name: String)
    /// The scheme is not spelled `OAuth`.
    case schemeNotExact
    /// `oauth_version` is not 1.0.
    case unsupportedVersion(String)
    /// `oauth_signature_method` is not HMAC-SHA1.
    case unsupportedSignatureMethod(String)
    /// `oauth_timestamp` is not a whole number.
    case malformedTimestamp
    /// `oauth_timestamp` lies too far in the past.
    case timestampTooOld(seconds: Int)
    /// `oauth_timestamp` lies too far in the future.
    case timestampInFuture(seconds: Int)
    /// `oauth_nonce` has more characters than are accepted.
    case nonceTooLong
    /// The nonce was used before.
    case nonceAlreadyUsed
    /// The consumer is not known.
    case unknownConsumer
    /// The token is not known, not in force, or another consumer's.
    case unknownToken
    /// The request has no base string.
    case noBaseString(SignatureBaseStringError)
    /// The signature is not the one that these secrets give.
    case wrongSignature
    /// `oauth_body_hash` is not the hash of the body.
    case wrongBodyHash
    /// `oauth_content_type` is not the request's content type; only ``SignatureRule/indivo`` checks it.
    case wrongContentType

    public var description: String {
        switch self {
        case .missingParameter(let name):
            "the parameter “\(name)” is missing"
        case .schemeNotExact:
            "the Authorization header's scheme is not spelled “OAuth”"
        case .unsupportedVersion(let version):
            "oauth_version is “\(version)”; only 1.0 is supported"
        case .unsupportedSignatureMethod(let method):
            "oauth_signature_method is “\(method)”; only HMAC-SHA1 is supported"
        case .malformedTimestamp:
            "oauth_timestamp is not a whole number of seconds"
        case .timestampTooOld(let seconds):
            "oauth_timestamp lies \(seconds) seconds in the past; compare the clocks of client and server"
        case .timestampInFuture(let seconds):
            "oauth_timestamp lies \(seconds) seconds in the future; compare the clocks of client and server"
        case .nonceTooLong:
            "oauth_nonce is too long"
        case .nonceAlreadyUsed:
            "oauth_nonce was used before; sign every sending anew"
        case .unknownConsumer:
            "the consumer key is not known"
        case .unknownToken:
            "the token is not known, or belongs to another consumer"
        case .noBaseString(let error):
            "the signature cannot be verified: \(error)"
        case .wrongSignature:
            "the signature does not fit the request; compare the secrets, and the base strings of client and server"
        case .wrongBodyHash:
            "oauth_body_hash is not the hash of the body that arrived"
        case .wrongContentType:
            "oauth_content_type is not the content type that arrived"
        }
    }
}
