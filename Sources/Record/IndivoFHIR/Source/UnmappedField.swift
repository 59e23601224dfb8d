/// A field of a record that an export could not put into FHIR. It names the field, and never quotes its
/// value.
public struct UnmappedField: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Why it is not in the bundle.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// The mapping has no element for it: a field of another app or a newer server.
        case noElement = "no-element"
        /// The text is not a value of its kind, such as a date or a number.
        case unreadable
        /// Only a part of the value is in the bundle, as of a time without a zone, or of a number with more
        /// digits than FHIR takes.
        case inexact
        /// Another value for the same element is in the bundle.
        case repeated
        /// What it belongs to is missing, such as the number of a unit.
        case noFact = "no-fact"
    }

    /// The document: its id in the record, or its name in a folder.
    public let document: String
    /// The model or root element; empty for a document's metadata.
    public let model: String
    /// The field's path in the document, such as `fulfillments[0].pbm` or `metadata.digest`.
    public let field: String
    /// Why it is not in the bundle.
    public let reason: Reason

    public var description: String {
        "\(document): \(model.isEmpty ? field : "\(model).\(field)"): \(reason.rawValue)"
    }
}
