#if Tool && Sandbox
import IndivoXML

/// A selector or an XPath expression, checked before the first file is read.
struct XMLQuery {
    /// What a query gives on one document.
    enum Answer {
        case nodes(XMLSelection)
        /// The value of an expression that means no nodes; as text, and whether it counts as a match.
        case value(String, isMatch: Bool)
    }

    private let selector: XMLSelector

    init(_ text: String, isXPath: Bool, namespaces: [String: String]) throws {
        do {
            selector = try XMLSelector(text, namespaces: namespaces)
        } catch let error as XMLSelectorError {
            throw CommandFailure("the selector is wrong: \(error); indivo select --help shows examples")
        }
    }

    /// What the query means in the document of `root`, the root itself included.
    func matches(in root: XMLNode) throws -> Answer {
        .nodes(root.document.find(selector))
    }
}
#endif
