import Foundation

/// An id under which a document goes out, other than the one that the server makes.
struct ExternalID: Sendable, Hashable {
    /// What is known of a document that is stored under it already.
    enum Origin: Sendable, Hashable {
        /// The library made it for this document, or the document went out under it before: one of the same content is
        /// this document.
        case ofThisDocument
        /// The app chose it: one of the same content is this document if it was created since the request was sent.
        case chosen
    }

    let text: String
    let origin: Origin

    /// An id that was never used: a UUID in the 22 characters of base64url (RFC 4648, section 5), since paths are bounded.
    static func made() -> ExternalID {
        let bytes = withUnsafeBytes(of: UUID().uuid) { Data($0) }
        let text = bytes.base64EncodedString().prefix { $0 != "=" }
            .replacing("+", with: "-").replacing("/", with: "_")
        return ExternalID(text: String(text), origin: .ofThisDocument)
    }

    /// An app's own id.
    static func chosen(_ text: String) -> ExternalID { ExternalID(text: text, origin: .chosen) }

    /// An id under which the document went out before.
    static func usedBefore(_ text: String) -> ExternalID { ExternalID(text: text, origin: .ofThisDocument) }
}
