#if SMART
import Crypto
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// A private key on P-256, made when it is needed, for tokens by ES256.
package struct SigningKey: Sendable {
    private let key = P256.Signing.PrivateKey()
    /// What its signatures name it by.
    package let id: String

    package init(id: String) { self.id = id }

    /// A signed token with these claims.
    package func token(_ claims: JSONValue) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": JSONValue(id), "typ": "JWT"]
        var jws = JWS(header: Data(header.utf8()), payload: Data(claims.utf8()))
        jws.signature = try key.signature(for: jws.signingInput).rawRepresentation
        return jws.compact
    }

    /// The public key, as it is published.
    package var publicJWK: JSONValue {
        let point = key.publicKey.rawRepresentation
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": JSONValue(id),
            "x": JSONValue(Base64URL.encode(point.prefix(32))),
            "y": JSONValue(Base64URL.encode(point.suffix(32))),
        ]
    }
}
#endif
