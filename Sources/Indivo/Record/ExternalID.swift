import Foundation

/// The external id under which a document is stored: an id of the app's, unique within app and record, beside the one that
/// the server makes.
///
/// ```swift
/// try await record.add(medication)                                    // .generated
/// try await record.add(medication, externalID: "visit-7")
/// try await record.add(medication, externalID: .chosen(visit.id))     // a String known at run time
/// ```
public enum ExternalID: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The library makes one. When the response is lost, the library searches for the document by this id, and sends it
    /// again only if it is not there.
    case generated
    /// The app's own; ASCII without `/?#;`. A lost response is handled as with ``generated``.
    case chosen(String)
    /// The document is stored without one. When the response is lost, nobody knows whether the document was stored, and
    /// the library does not send it again.
    case none

    public init(stringLiteral id: String) { self = .chosen(id) }

    /// The app's own.
    var chosen: String? { if case .chosen(let id) = self { id } else { nil } }
}

/// The external id of a request.
struct SentID: Sendable {
    let text: String
    /// Whether the library made it for this document, or the document went out under it before: one of the same content that
    /// is stored under it already is this document. Under an id that the app chose, it is if it was created since the
    /// request was sent.
    var isOfThisDocument = true

    /// An id that was never used: a UUID in the 22 characters of base64url (RFC 4648, section 5), since paths are bounded.
    static func made() -> SentID {
        let text = withUnsafeBytes(of: UUID().uuid) { Data($0) }.base64EncodedString().prefix { $0 != "=" }
        return SentID(text: String(text).replacing("+", with: "-").replacing("/", with: "_"))
    }
}
