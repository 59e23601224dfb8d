import Foundation
import IndivoBase
import OrderedJSON

/// The proof that an app shows when it registers at a C3-PRO receiver.
///
/// The first receivers ask Apple about an App Store receipt; others may want App Attest, or a code that was
/// sent by post.
public struct StudyAttestation: Sendable {
    let members: @Sendable (_ challenge: @Sendable () async throws -> Data) async throws -> [JSONMember]

    /// A proof of one's own.
    ///
    /// - Parameter members: Gives the members of the registration that prove the app: `receipt-data`, say.
    ///   Where the proof needs a challenge, `challenge` asks the receiver for one, which it takes once,
    ///   within minutes.
    public init(
        _ members:
            @escaping @Sendable (_ challenge: @Sendable () async throws -> Data) async throws -> [JSONMember]
    ) {
        self.members = members
    }

    /// The App Store's receipt, or whatever text a receiver accepts instead.
    ///
    /// - Parameter receipt: Gives the receipt in base64.
    public static func receipt(_ receipt: @escaping @Sendable () async throws -> String) -> StudyAttestation {
        StudyAttestation { _ in
            [
                JSONMember(name: "sandbox", value: false),
                JSONMember(name: "receipt-data", value: JSONValue(try await receipt())),
            ]
        }
    }

    /// A key of Apple's App Attest, which proves that the app is an unmodified copy on a device of Apple's.
    ///
    /// - Parameter attest: Makes a key (`DCAppAttestService.generateKey`) and has it attested
    ///   (`attestKey(_:clientDataHash:)`, with SHA-256 of the challenge that is given).
    public static func appAttest(
        _ attest: @escaping @Sendable (Data) async throws -> (keyID: String, object: Data)
    ) -> StudyAttestation {
        StudyAttestation { challenge in
            let bytes = try await challenge()
            let (keyID, object) = try await attest(bytes)
            return [
                JSONMember(name: "challenge", value: JSONValue(bytes.base64EncodedString())),
                JSONMember(name: "key-id", value: JSONValue(keyID)),
                JSONMember(name: "attestation", value: JSONValue(object.base64EncodedString())),
            ]
        }
    }
}

/// The credentials that a receiver gave the app when it registered.
public struct C3ProClient: Sendable, Hashable {
    /// The client's id.
    public let id: String
    public let secret: Secret

    /// A client.
    public init(id: String, secret: Secret) {
        self.id = id
        self.secret = secret
    }
}
