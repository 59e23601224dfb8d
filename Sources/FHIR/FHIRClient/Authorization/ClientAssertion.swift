import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// Signs the JWT by which a client identifies itself to a token endpoint, as SMART backend services want it
/// (SMART App Launch 2.1, "Client Authentication: Asymmetric"; RFC 7523).
///
/// `BackendKey`, which needs the trait `SMART`, signs with a private key in PEM. Where the key is elsewhere,
/// such as in a key store, a closure signs:
///
/// ```swift
/// let assertion = ClientAssertion(clientID: "uploader", keyID: "key-1", algorithm: .es384) { message in
///     try await keyStore.sign(message)
/// }
/// ```
public struct ClientAssertion: Sendable {
    /// How it is signed (RFC 7518, section 3.1).
    public enum Algorithm: String, Sendable, Hashable {
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        case rs384 = "RS384"
        /// ECDSA with P-384 and SHA-384; the signature is R and S, 48 bytes each.
        case es384 = "ES384"
    }

    /// The client's id: issuer and subject of the assertion.
    public let clientID: String
    /// The id under which the token endpoint knows the public key.
    public let keyID: String
    /// How it is signed.
    public let algorithm: Algorithm

    private let sign: @Sendable (Data) async throws -> Data

    /// - Parameter sign: Gives the signature of a message, with the private key, which stays where it is.
    public init(
        clientID: String,
        keyID: String,
        algorithm: Algorithm,
        sign: @escaping @Sendable (Data) async throws -> Data
    ) {
        self.clientID = clientID
        self.keyID = keyID
        self.algorithm = algorithm
        self.sign = sign
    }

    /// A new assertion for a token endpoint, good for five minutes and for one use.
    func signed(audience: String, at now: Date) async throws -> String {
        let header: JSONValue = ["alg": JSONValue(algorithm.rawValue), "kid": JSONValue(keyID), "typ": "JWT"]
        let time = Int(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": JSONValue(clientID), "sub": JSONValue(clientID), "aud": JSONValue(audience),
            "exp": JSONValue(time + 300), "iat": JSONValue(time),
            "jti": JSONValue(UUID().uuidString.lowercased()),
        ]
        var jws = JWS(header: Data(header.utf8()), payload: Data(claims.utf8()))
        jws.signature = try await sign(jws.signingInput)
        return jws.compact
    }
}
