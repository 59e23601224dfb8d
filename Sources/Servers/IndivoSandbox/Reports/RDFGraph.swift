/// A graph of RDF statements, written as the real server's library does: one `rdf:Description` a subject.
final class RDFGraph {
    static let smart = "http://smartplatforms.org/terms#"

    enum Node: Hashable {
        case resource(String)
        case blank(Int)

        /// The attribute that names it: as what is described, or as what a statement leads to.
        fileprivate func attribute(_ name: Markup) -> Markup {
            switch self {
            case .resource(let uri): "rdf:\(name)=\"\(uri)\""
            case .blank(let number): "rdf:nodeID=\"N\(number)\""
            }
        }
    }

    private var subjects: [Node] = []
    /// As they are written.
    private var statements: [Node: [String]] = [:]
    private var blankCount = 0

    /// A new node without a name.
    func blank() -> Node {
        blankCount += 1
        return .blank(blankCount)
    }

    func describes(_ subject: Node) -> Bool { statements[subject] != nil }

    /// Adds a statement, unless it was made before.
    private func add(_ subject: Node, _ statement: Markup) {
        if statements[subject] == nil { subjects.append(subject) }
        let text = statement.description
        if statements[subject]?.contains(text) != true { statements[subject, default: []].append(text) }
    }

    func add(_ subject: Node, _ predicate: String, _ object: Node) {
        add(subject, "    <\(predicate) \(object.attribute("resource"))/>\n")
    }

    /// Adds a literal, of a type of XML Schema if one is named.
    func add(_ subject: Node, _ predicate: String, text: String, type: String? = nil) {
        let type: Markup? = type.map { " rdf:datatype=\"http://www.w3.org/2001/XMLSchema#\($0)\"" }
        add(subject, "    <\(predicate)\(type)>\(text)</\(predicate)>\n")
    }

    /// Says of what type a subject is, by a prefixed name.
    func type(_ subject: Node, _ type: String) {
        let prefix = RDFGraph.prefixes.first { type.hasPrefix($0.0 + ":") }
        add(subject, "rdf:type", .resource(prefix.map { $0.1 + type.dropFirst($0.0.count + 1) } ?? type))
    }

    private static let prefixes = [
        ("dcterms", "http://purl.org/dc/terms/"), ("foaf", "http://xmlns.com/foaf/0.1/"),
        ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"), ("sp", smart),
        ("v", "http://www.w3.org/2006/vcard/ns#"),
    ]

    var markup: Markup {
        let namespaces = RDFGraph.prefixes.map { Markup(trusted: "\n   xmlns:\($0.0)=\"\($0.1)\"") }
        var markup: Markup = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF\(namespaces)\n>\n"
        for subject in subjects {
            let statements = Markup(trusted: (statements[subject] ?? []).joined())
            markup += "  <rdf:Description \(subject.attribute("about"))>\n\(statements)  </rdf:Description>\n"
        }
        return markup + "</rdf:RDF>\n"
    }
}

extension Response {
    static func rdf(_ graph: RDFGraph) -> Response {
        Response(type: "application/rdf+xml", text: graph.markup.description)
    }
}
