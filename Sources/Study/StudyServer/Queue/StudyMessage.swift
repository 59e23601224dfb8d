import Crypto
import Foundation
import IndivoBase

/// A delivery of a phone, as it goes from receiver to consumer: encrypted.
public struct StudyMessage: Sendable, Hashable {
    /// What the bytes of a message are.
    public enum Content: String, Sendable, Hashable {
        /// An envelope of C3-PRO, with one FHIR resource.
        case envelope
        /// A package of ResearchKit: a CMS message, or an archive that is not encrypted.
        case package
    }

    /// The same however often it is delivered: of the upload's id, or of its bytes where it has none.
    public let id: String
    /// What the bytes are.
    public let content: Content
    /// The participant whom the delivery names outside of the encryption.
    public let subject: String?
    /// When it was first received, as FHIR writes it.
    public let received: String
    /// The digest of the registered app that delivered it (``clientDigest(_:)``); `nil` for a delivery
    /// without a login.
    public let client: String?
    /// What the sender's own bytes are known by, where another delivery under the same id has to have the
    /// same ones. A queue remembers it, and gives `nil` with the message.
    public let fingerprint: String?
    /// The bytes.
    public let body: Data

    /// A message.
    public init(
        id: String,
        content: Content,
        subject: String? = nil,
        received: String,
        client: String? = nil,
        fingerprint: String? = nil,
        body: Data
    ) {
        self.id = id
        self.content = content
        self.subject = subject
        self.received = received
        self.client = client
        self.fingerprint = fingerprint
        self.body = body
    }

    /// A message with an id of its bytes.
    public init(content: Content, subject: String? = nil, received: String, client: String? = nil, body: Data)
    {
        self.init(
            id: Self.digest(of: body),
            content: content,
            subject: subject,
            received: received,
            client: client,
            body: body
        )
    }

    /// What is kept of a registered app's id.
    public static func clientDigest(_ id: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(("study client\n" + id.lowercased()).utf8)))
    }

    /// The digest that identifies bytes.
    public static func digest(of body: Data) -> String {
        "sha-256:" + Hexadecimal.encode(SHA256.hash(data: body))
    }
}
