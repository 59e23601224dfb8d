import IndivoXML

/// RDF/XML as a list of statements in which nodes without a name are told by what is said of them.
enum RDFComparison {
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

    static func canonical(_ text: String) -> [String] {
        guard let root = try? XMLNode(parsing: text) else { return [text] }
        var statements: [String: [(predicate: String, object: String, isNode: Bool)]] = [:]
        for description in root.children() {
            let subject = name(description.attr("rdf:about"), description.attr("rdf:nodeID"))
            for property in description.children() {
                let predicate = (property.namespace ?? "") + property.name
                let resource = property.attr("rdf:resource")
                let node = property.attr("rdf:nodeID")
                if resource != nil || node != nil {
                    statements[subject, default: []].append((predicate, name(resource, node), true))
                } else {
                    let type = property.attr("rdf:datatype").map { "^^" + $0 } ?? ""
                    statements[subject, default: []].append(
                        (predicate, "\"\(property.text())\"\(type)", false)
                    )
                }
            }
        }
        var known: [[String: String]] = Array(repeating: [:], count: 6)
        /// What is said of a node, and of those it leads to.
        func said(of node: String, _ depth: Int) -> String {
            guard depth < known.count else { return "…" }
            if let said = known[depth][node] { return said }
            let said = (statements[node] ?? []).map { statement in
                let object =
                    statement.isNode && isNameless(statement.object)
                    ? "(" + said(of: statement.object, depth + 1) + ")" : statement.object
                return "\(statement.predicate) \(object)"
            }.sorted().joined(separator: "; ")
            known[depth][node] = said
            return said
        }
        return statements.keys.flatMap { subject -> [String] in
            let start = isNameless(subject) ? "_" : subject
            return isNameless(subject) && !isFact(subject) ? [] : ["\(start): \(said(of: subject, 0))"]
        }.sorted()
    }

    private static func name(_ resource: String?, _ node: String?) -> String {
        resource ?? "_:" + (node ?? "")
    }

    /// Whether a node is a fact of a record: `…/records/RECORD/problems/ID`.
    private static func isFact(_ node: String) -> Bool {
        let parts = node.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 4, parts[parts.count - 4] == "records" else { return false }
        return parts[parts.count - 1].utf8.count == 36
    }

    private static func isNameless(_ node: String) -> Bool { node.hasPrefix("_:") || isFact(node) }
}
