import Foundation
import IndivoBase

#if canImport(CLibOAuth)
import CLibOAuth
#elseif canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// HMAC-SHA1 and SHA-1 as liboauth computes them, or else CryptoKit, given in base64.
package enum HMACSHA1 {
    #if canImport(CLibOAuth)
    /// The first call into liboauth sets up its cryptographic library, and two threads that do so at once
    /// crash. A static is initialised exactly once, by the first thread that touches it, while others
    /// wait.
    private static let isWarm: Bool = {
        free(oauth_sign_hmac_sha1("a", "b"))
        return true
    }()

    /// base64(HMAC-SHA1(key, message)); lengths are passed along, so a NUL in either is a byte like any
    /// other.
    package static func signature(of message: [UInt8], key: [UInt8]) throws(OAuthSigningError) -> String {
        _ = isWarm
        return try taken(
            withChars(of: message) { message, length in
                withChars(of: key) { key, keyLength in
                    oauth_sign_hmac_sha1_raw(message, length, key, keyLength)
                }
            }
        )
    }

    /// base64(SHA-1(body)): the value of `oauth_body_hash`.
    static func digest(of body: [UInt8]) throws(OAuthSigningError) -> String {
        _ = isWarm
        let parameter = try taken(
            withChars(of: body) { body, length in oauth_body_hash_data(length, body) }
        )
        return String(parameter.dropFirst("oauth_body_hash=".count))
    }

    /// The bytes as C sees them: a pointer that is never NULL, and how many bytes count.
    private static func withChars<Result>(
        of bytes: [UInt8],
        _ body: (UnsafePointer<CChar>, Int) -> Result
    ) -> Result {
        (bytes.isEmpty ? [0] : bytes).withUnsafeBufferPointer { buffer in
            // The buffer is not empty, so it has a base address; UInt8 and CChar have the same layout.
            buffer.baseAddress!.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                body($0, bytes.count)
            }
        }
    }

    /// Copies and frees what liboauth allocated.
    private static func taken(_ text: UnsafeMutablePointer<CChar>?) throws(OAuthSigningError) -> String {
        guard let text else { throw .noDigest }
        defer { free(text) }
        return String(cString: text)
    }
    #else
    /// base64(HMAC-SHA1(key, message)).
    package static func signature(of message: [UInt8], key: [UInt8]) throws(OAuthSigningError) -> String {
        Data(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: key)))
            .base64EncodedString()
    }

    /// base64(SHA-1(body)): the value of `oauth_body_hash`.
    static func digest(of body: [UInt8]) throws(OAuthSigningError) -> String {
        Data(Insecure.SHA1.hash(data: body)).base64EncodedString()
    }
    #endif
}
