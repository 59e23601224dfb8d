import Foundation
import IndivoBase
import IndivoModel
import OAuth1

/// Random secrets, comparisons that take the same time whatever they find, and how tokens are kept. A token
/// is a bearer's name; its secret is the key of HMAC-SHA1, so the server must have the secret itself to
/// verify a signature, not a hash of it. Both are 20 letters and digits (119 bits) from the system's
/// generator. The database holds SHA-256 of the token, and the secret enciphered under a key that only the
/// token gives: whoever reads the file alone can neither use nor sign with any token in it. A consumer's
/// secret cannot be kept so, because the consumer key that comes with a request is no secret; it is stored as
/// it is.
enum Secrets {
    /// 20 random letters and digits, the form of the real server's tokens and secrets.
    static func token() -> String { RandomToken.make() }

    /// An id in the form of the server's: a random UUID in lower case.
    static func id() -> String { UUID().uuidString.lowercased() }

    static func fingerprint(_ token: String) -> String { SHA256Sum.hex(Array(token.utf8)) }

    /// HMAC-SHA256 in counter mode. Each token is random and has one secret, so no part of the stream is ever
    /// used twice.
    static func conceal(_ secret: Data, under token: String) -> Data {
        var stream: [UInt8] = []
        var counter: UInt8 = 0
        while stream.count < secret.count {
            stream += SHA256Sum.authenticationCode(
                Array("token secret".utf8) + [counter],
                key: Array(token.utf8)
            )
            counter &+= 1
        }
        return Data(zip(secret, stream).map { $0 ^ $1 })
    }

    /// A random number of so many digits, as a person would read it out.
    static func digits(_ count: Int) -> String {
        (0..<count).map { _ in String(Int.random(in: 0...9)) }.joined()
    }
}
