/// A graph of RDF statements, written as RDF/XML the way the real server's library does: one `rdf:Description` a
/// subject.
final class RDFGraph {
    static let smart = "http://smartplatforms.org/terms#"

    enum Node: Hashable {
        case resource(String)
        case blank(Int)
    }

    enum Object: Hashable {
        case node(Node)
        case literal(String, dataType: String? = nil)
    }

    private var subjects: [Node] = []
    private var statements: [Node: [(predicate: String, object: Object)]] = [:]
    private var blankCount = 0

    /// A new node without a name.
    func blank() -> Node {
        blankCount += 1
        return .blank(blankCount)
    }

    func describes(_ subject: Node) -> Bool { statements[subject] != nil }

    /// Adds a statement, unless it was made before.
    func add(_ subject: Node, _ predicate: String, _ object: Object) {
        if statements[subject] == nil { subjects.append(subject) }
        let isKnown = statements[subject]?.contains { $0.predicate == predicate && $0.object == object } ?? false
        if !isKnown { statements[subject, default: []].append((predicate, object)) }
    }

    /// Adds a literal; one that is nil or empty states nothing.
    func add(_ subject: Node, _ predicate: String, text: String?) {
        if let text, !text.isEmpty { add(subject, predicate, .literal(text)) }
    }

    func type(_ subject: Node, _ types: String...) {
        for type in types { add(subject, "rdf:type", .node(.resource(RDFGraph.expand(type)))) }
    }

    private static let prefixes = [
        ("dcterms", "http://purl.org/dc/terms/"), ("foaf", "http://xmlns.com/foaf/0.1/"),
        ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"), ("sp", smart), ("v", "http://www.w3.org/2006/vcard/ns#"),
    ]

    /// A prefixed name as a URI.
    private static func expand(_ name: String) -> String {
        for (prefix, uri) in prefixes where name.hasPrefix(prefix + ":") { return uri + name.dropFirst(prefix.count + 1) }
        return name
    }

    var markup: Markup {
        let namespaces = RDFGraph.prefixes.map { Markup(trusted: "\n   xmlns:\($0.0)=\"\($0.1)\"") }
        var markup: Markup = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF\(namespaces)\n>\n"
        for subject in subjects {
            switch subject {
            case .resource(let uri): markup += "  <rdf:Description rdf:about=\"\(uri)\">\n"
            case .blank(let number): markup += "  <rdf:Description rdf:nodeID=\"N\(number)\">\n"
            }
            for (predicate, object) in statements[subject] ?? [] { markup += RDFGraph.statement(predicate, object) }
            markup += "  </rdf:Description>\n"
        }
        return markup + "</rdf:RDF>\n"
    }

    private static func statement(_ predicate: String, _ object: Object) -> Markup {
        let name = Markup(trusted: predicate)
        return switch object {
        case .node(.resource(let uri)): "    <\(name) rdf:resource=\"\(uri)\"/>\n"
        case .node(.blank(let number)): "    <\(name) rdf:nodeID=\"N\(number)\"/>\n"
        case .literal(let text, nil): "    <\(name)>\(text)</\(name)>\n"
        case .literal(let text, let type?): "    <\(name) rdf:datatype=\"\(type)\">\(text)</\(name)>\n"
        }
    }
}

extension Response {
    static func rdf(_ graph: RDFGraph) -> Response { Response(type: "application/rdf+xml", text: graph.markup.description) }
}
