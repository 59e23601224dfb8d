#if SMART
import Foundation
import OrderedJSON

/// What an ID token must be (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenRule: Sendable {
    let issuer: String
    let clientID: String
    let nonce: String
    let now: Date

    /// How far the clocks of the server and of this device may be apart, in seconds.
    private static let leeway = 120.0

    /// Who is logged in.
    /// - Throws: What is wrong, as a text without anything of the token.
    func user(in token: String, keys: PublicKeySet) throws(IDTokenRefusal) -> SMARTUser {
        let claims: JSONValue
        do { claims = try keys.claims(of: token, algorithms: [.rs256, .es256]) } catch {
            throw IDTokenRefusal(reason: error.description)
        }
        guard claims["iss"]?.string == issuer else { throw IDTokenRefusal(reason: "it is another issuer's") }
        let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.elements?.compactMap(\.string)
        guard let audiences, audiences.contains(clientID) else {
            throw IDTokenRefusal(reason: "it is for another app")
        }
        guard audiences.count == 1 && claims["azp"] == nil || claims["azp"]?.string == clientID else {
            throw IDTokenRefusal(reason: "it was issued to another app")
        }
        let time = now.timeIntervalSince1970
        guard let end = claims["exp"]?.double, end.isFinite, time < end + Self.leeway else {
            throw IDTokenRefusal(reason: "it has expired; check the device's clock")
        }
        guard let start = claims["iat"]?.double, start.isFinite, start < time + Self.leeway else {
            throw IDTokenRefusal(reason: "it is from the future; check the device's clock")
        }
        guard claims["nonce"]?.string == nonce else {
            throw IDTokenRefusal(reason: "it belongs to another login")
        }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else {
            throw IDTokenRefusal(reason: "it names nobody")
        }
        return SMARTUser(subject: subject, fhirUser: claims["fhirUser"]?.string ?? claims["profile"]?.string)
    }
}

/// Why an ID token is not taken.
struct IDTokenRefusal: Error { let reason: String }
#endif
