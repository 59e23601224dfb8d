import Foundation

/// The external id of a request.
struct SentID: Sendable, Hashable {
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
    static func made() -> SentID {
        let bytes = withUnsafeBytes(of: UUID().uuid) { Data($0) }
        let text = bytes.base64EncodedString().prefix { $0 != "=" }
            .replacing("+", with: "-").replacing("/", with: "_")
        return SentID(text: String(text), origin: .ofThisDocument)
    }

    /// An app's own id.
    static func chosen(_ text: String) -> SentID { SentID(text: text, origin: .chosen) }

    /// An id under which the document went out before.
    static func usedBefore(_ text: String) -> SentID { SentID(text: text, origin: .ofThisDocument) }
}
