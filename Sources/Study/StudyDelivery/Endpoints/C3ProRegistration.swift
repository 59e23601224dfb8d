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
