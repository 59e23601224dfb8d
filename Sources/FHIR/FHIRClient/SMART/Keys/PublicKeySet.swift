#if SMART
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// A JSON Web Key set (RFC 7517, section 5), as a server publishes it. Keys that cannot be used are left out.
package struct PublicKeySet: Sendable {
    package let keys: [PublicKey]

    /// The longest text of a set that is read, and the most keys in it.
    package static let maximumBytes = 256 << 10
    package static let maximumKeys = 100

    /// - Throws: ``JSONWebTokenError`` for what is no set, and for one of too many bytes or keys.
    package init(parsing bytes: Data) throws(JSONWebTokenError) {
        guard bytes.count <= Self.maximumBytes else { throw .keySetTooLarge }
        guard let json = try? JSONValue(parsing: bytes) else { throw .noKeySet }
        try self.init(json)
    }

    package init(_ json: JSONValue) throws(JSONWebTokenError) {
        guard let elements = json["keys"]?.elements else { throw .noKeySet }
        // Counted before any is read: reading one takes time.
        guard elements.prefix(Self.maximumKeys + 1).count <= Self.maximumKeys else { throw .keySetTooLarge }
        keys = elements.compactMap(PublicKey.init)
    }

    /// The claims of a token (RFC 7519) that a key of the set signed by one of these algorithms.
    /// - Throws: ``JSONWebTokenError``; nothing is said of the claims of a token that does not verify.
    package func claims(of token: String, algorithms: Set<SignatureAlgorithm>) throws(JSONWebTokenError)
        -> JSONValue
    {
        guard token.utf8.count <= 64 << 10, let jws = JWS(token),
            let header = try? JSONValue(parsing: jws.header)
        else { throw .malformed }
        // An extension that must be understood is not (RFC 7515, section 4.1.11).
        guard header["crit"] == nil else { throw .malformed }
        guard let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init),
            algorithms.contains(algorithm)
        else { throw .algorithm }
        let id = header["kid"]?.string
        let candidates = keys.filter { key in
            key.isFor(algorithm) && (id == nil || key.id == nil || key.id == id)
        }
        guard !candidates.isEmpty else { throw .unknownKey }
        // A few: each takes a processor's time.
        guard candidates.prefix(10).contains(where: { $0.verifies(jws, by: algorithm) }) else {
            throw .signature
        }
        guard let claims = try? JSONValue(parsing: jws.payload), claims.kind == .object else {
            throw .malformed
        }
        return claims
    }
}

/// Why a JSON Web Token is not taken. Nothing of the token is in it.
package enum JSONWebTokenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The token is not a signed one in compact form.
    case malformed
    /// It is signed by an algorithm that is not allowed here, or not at all.
    case algorithm
    /// No key of the set is the one that the token names.
    case unknownKey
    /// The signature is not the key's.
    case signature
    /// The response is not a key set.
    case noKeySet
    /// The key set has more than 256 kB or 100 keys.
    case keySetTooLarge

    package var description: String {
        switch self {
        case .malformed: "it is not a signed JSON Web Token"
        case .algorithm: "it is signed by an algorithm that is not allowed"
        case .unknownKey: "it names a key that is not in the key set"
        case .signature: "its signature is wrong"
        case .noKeySet: "the key set is not a JSON Web Key set"
        case .keySetTooLarge: "the key set has more than 256 kB or 100 keys"
        }
    }
}
#endif
