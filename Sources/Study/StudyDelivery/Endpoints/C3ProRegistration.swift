import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// The proof that an app shows when it registers at a C3-PRO receiver.
///
/// The first receivers ask Apple about an App Store receipt; others may want App Attest, or a code that was
/// sent by post.
public protocol StudyAttestation: Sendable {
    /// The members of the registration that prove the app: `receipt-data`, say.
    func members() async throws -> [JSONMember]

    /// The same, for a challenge of the receiver's where the proof needs one.
    ///
    /// - Parameter challenge: Asks the receiver for a challenge, which it takes once, within minutes.
    func members(challenge: @Sendable () async throws -> Data) async throws -> [JSONMember]
}

extension StudyAttestation {
    public func members(challenge: @Sendable () async throws -> Data) async throws -> [JSONMember] {
        try await members()
    }
}

/// The App Store's receipt, or whatever text a receiver accepts instead.
public struct ReceiptAttestation: StudyAttestation {
    private let receipt: @Sendable () async throws -> String

    /// - Parameter receipt: Gives the receipt in base64.
    public init(_ receipt: @escaping @Sendable () async throws -> String) { self.receipt = receipt }

    public func members() async throws -> [JSONMember] {
        [
            JSONMember(name: "sandbox", value: false),
            JSONMember(name: "receipt-data", value: JSONValue(try await receipt())),
        ]
    }
}

/// A key of Apple's App Attest, which proves that the app is an unmodified copy on a device of Apple's.
public struct KeyAttestation: StudyAttestation {
    private let attest: @Sendable (Data) async throws -> (keyID: String, object: Data)

    /// - Parameter attest: Makes a key (`DCAppAttestService.generateKey`) and has it attested
    ///   (`attestKey(_:clientDataHash:)`, with SHA-256 of the challenge that is given).
    public init(_ attest: @escaping @Sendable (Data) async throws -> (keyID: String, object: Data)) {
        self.attest = attest
    }

    /// - Throws: Always: a key is attested for a challenge.
    public func members() async throws -> [JSONMember] {
        throw StudyError.badInput(reason: "App Attest needs a receiver that gives out challenges")
    }

    public func members(challenge: @Sendable () async throws -> Data) async throws -> [JSONMember] {
        let bytes = try await challenge()
        let (keyID, object) = try await attest(bytes)
        return [
            JSONMember(name: "challenge", value: JSONValue(bytes.base64EncodedString())),
            JSONMember(name: "key-id", value: JSONValue(keyID)),
            JSONMember(name: "attestation", value: JSONValue(object.base64EncodedString())),
        ]
    }
}

/// The credentials that a receiver gave the app when it registered.
public struct C3ProClient: Sendable, Hashable {
    /// The client's id.
    public let id: String
    /// Its secret.
    public let secret: Secret

    /// A client.
    public init(id: String, secret: Secret) {
        self.id = id
        self.secret = secret
    }
}

/// Keeps the credentials of registrations: in the keychain, or a file.
public protocol C3ProClientStore: Sendable {
    /// The credentials for a receiver; `nil` when the app is not registered there.
    func client(of server: String) throws -> C3ProClient?
    /// Stores the credentials for a receiver; `nil` removes them.
    func keep(_ client: C3ProClient?, of server: String) throws
}
