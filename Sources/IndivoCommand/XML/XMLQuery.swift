import IndivoXML

/// A selector or an XPath expression.
enum XMLQuery {
    case selector(XMLSelector)
    case xpath(String, namespaces: [String: String])

    /// - Throws: ``CommandFailure`` for a selector that is none. XPath is understood only when it is evaluated.
    init(_ text: String, isXPath: Bool, namespaces: [String: String]) throws {
        if isXPath {
            if namespaces[""] != nil {
                throw CommandFailure("XPath has no default namespace; give it a prefix, --namespace d=URI")
            }
            self = .xpath(text, namespaces: namespaces)
            return
        }
        do {
            self = .selector(try XMLSelector(text, namespaces: namespaces))
        } catch let error as XMLSelectorError {
            throw CommandFailure(
                "the selector is wrong: \(error); prefixes are declared with --namespace, examples are in "
                    + "indivo select --help")
        }
    }

    /// What the query means in the document of `root`, the root itself included.
    func matches(in root: XMLNode) throws -> XMLXPathResult {
        switch self {
        case .selector(let selector): return .nodes(root.document.find(selector))
        case .xpath(let expression, let namespaces):
            do {
                return try root.document.xpath(expression, namespaces: namespaces)
            } catch let error as XMLError {
                throw CommandFailure("\(error); prefixes are declared with --namespace, see indivo select --help")
            }
        }
    }
}
