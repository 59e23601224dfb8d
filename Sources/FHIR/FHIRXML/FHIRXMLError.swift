import FHIR
import IndivoXML

/// Why a text is not a resource in XML, or why a resource cannot be written in XML, and where.
///
/// An error names no content: that may be somebody's health record.
public struct FHIRXMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        // MARK: Reading and writing

        /// There is no resource of R4 where one is needed.
        case notAResource
        /// It is a resource of another type: `found`, or none of R4.
        case wrongType(expected: String, found: String?)
        /// The type has no element of this name.
        case unknownElement
        /// An element that is there once at most is there several times.
        case repeated
        /// Elements are nested deeper than the limit.
        case tooDeep(limit: Int)

        // MARK: Reading

        /// It is not XML, or exceeds one of the limits.
        case notXML(XMLError)
        /// The encoding is not UTF-8.
        case notUTF8
        /// There is a document type declaration.
        case documentType
        /// An element is not in the namespace of FHIR, or narrative not in that of XHTML.
        case wrongNamespace
        /// The type has no attribute of this name.
        case unknownAttribute
        /// Elements of one name do not follow each other.
        case divided
        /// There is text between elements.
        case unexpectedText
        /// The resource is too large as JSON.
        case tooLarge

        // MARK: Writing

        /// The JSON is not of the kind that the element's type has: a string, a number, an array…
        case wrongKind
        /// A `null`, an empty array, or an empty sibling of a value.
        case empty
        /// A string has a character that XML has no way to write.
        case unwritableCharacter
        /// A narrative is not one `div` of XHTML.
        case notXHTML
    }

    /// What is wrong.
    public let reason: Reason
    /// The path of the element, or of its parent: `Patient.contact.name`.
    public let path: String
    /// The line of the text that was read, from 1; of what is written, that of its JSON if it was parsed.
    public let line: Int?
    /// The column, from 1, in Unicode scalars.
    public let column: Int?

    /// The line and column with the path and the reason.
    public var description: String {
        var parts: [String] = []
        if let line, let column { parts.append("\(line):\(column)") }
        if !path.isEmpty { parts.append(path) }
        return (parts + [reason.description]).joined(separator: ": ")
    }
}

extension FHIRXMLError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAResource: "there is no resource of R4"
        case .wrongType(let expected, let found):
            FHIRParsingError.wrongType(expected: expected, found: found).description
        case .unknownElement: "the type has no such element"
        case .repeated: "the element can be there only once"
        case .tooDeep(let limit): "elements are nested deeper than the limit of \(limit)"
        case .notXML(let error): error.message
        case .notUTF8: "the encoding is not UTF-8, which FHIR asks for"
        case .documentType: "a document type declaration is not allowed"
        case .wrongNamespace: "the element is not in the namespace that it must be in"
        case .unknownAttribute: "the type has no such attribute"
        case .divided: "elements of one name must follow each other"
        case .unexpectedText: "text between elements is not allowed"
        case .tooLarge: "the resource is too large"
        case .wrongKind: "the JSON is not of the kind that the element's type has"
        case .empty: "null, an empty array or an empty object cannot be written in XML here"
        case .unwritableCharacter: "the string has a character that XML cannot carry"
        case .notXHTML: "the narrative is not one div of XHTML"
        }
    }
}
