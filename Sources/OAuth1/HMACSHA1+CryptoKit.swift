#if !canImport(CLibOAuth)
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation

/// HMAC-SHA1 and SHA-1 as CryptoKit computes them, given in base64.
package enum HMACSHA1 {
    /// base64(HMAC-SHA1(key, message)).
    package static func signature(of message: [UInt8], key: [UInt8]) throws(OAuthSigningError) -> String {
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: key))
        return Data(code).base64EncodedString()
    }

    /// base64(SHA-1(body)): the value of `oauth_body_hash`.
    static func digest(of body: [UInt8]) throws(OAuthSigningError) -> String {
        Data(Insecure.SHA1.hash(data: body)).base64EncodedString()
    }
}
#endif
