import IndivoXML

/// Why a document could not be read or written: which document, which property, where, and what to do.
public struct DocumentError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Reason: Hashable, Sendable {
        /// A value's text is not of the property's type.
        case unreadableValue(text: String, LexicalError)
        /// A value that must be there is not.
        case missingValue
        /// The XML is well-formed but is not a document of this kind.
        case notADocument(found: String, expected: String)
        /// The document holds another model than the class stands for.
        case otherModel(String)
        /// The class declares a field that the format cannot hold.
        case unsupportedField(String)
    }

    /// What went wrong.
    public let reason: Reason
    /// The model or class.
    public let document: String
    /// The property's path, such as `quantitativeResult.normalRange.minimum`; empty for the document itself.
    public let property: String
    /// The line in the source, counted from 1, where it is known.
    public let line: Int?

    init(_ reason: Reason, document: String, property: String = "", line: Int? = nil) {
        self.reason = reason
        self.document = document
        self.property = property
        self.line = line
    }

    init(found: String, expected: String, document: String, property: String = "", line: Int? = nil) {
        self.init(
            .notADocument(found: found, expected: expected),
            document: document,
            property: property,
            line: line
        )
    }

    /// - Parameter element: What was found instead of the expected element.
    init(_ element: XMLNode, isNot expected: String, document: String, showsNamespace: Bool = false) {
        let found = element.kind == .element ? "<\(element.qualifiedName)>" : "no element"
        let namespace = showsNamespace ? element.namespace.map { " in \($0)" } ?? "" : ""
        self.init(found: found + namespace, expected: expected, document: document, line: element.line)
    }

    public var description: String {
        let place =
            (property.isEmpty ? document : "\(document).\(property)") + (line.map { " (line \($0))" } ?? "")
        return "\(place): \(explanation)"
    }

    /// What is wrong, without the document, the property and the line.
    var explanation: String {
        switch reason {
        case .unreadableValue(_, let error): "\(error)"
        case .missingValue: "the value is required, and the document has none"
        case .notADocument(let found, let expected): "found \(found), expected \(expected)"
        case .otherModel(let name):
            "the document is a “\(name)”; read it with that class, or with SDMXDocument"
        case .unsupportedField(let why): why
        }
    }
}
