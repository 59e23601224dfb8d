import Foundation
import IndivoXML

/// RDF/XML as a list of statements in which nodes without a name are told by what is said of them.
enum RDFComparison {
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static var facts: Regex<Substring> { /\/records\/[^\/]+\/[a-z_]+\/[0-9a-f-]{36}$/ }

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
        /// What is said of a node, and of those it leads to.
        func said(of node: String, _ depth: Int) -> String {
            guard depth < 6 else { return "…" }
            return (statements[node] ?? []).map { statement in
                let object =
                    statement.isNode && isNameless(statement.object)
                    ? "(" + said(of: statement.object, depth + 1) + ")" : statement.object
                return "\(statement.predicate) \(object)"
            }.sorted().joined(separator: "; ")
        }
        return statements.keys.flatMap { subject -> [String] in
            let start = isNameless(subject) ? "_" : subject
            return isNameless(subject) && !isFact(subject) ? [] : ["\(start): \(said(of: subject, 0))"]
        }.sorted()
    }

    private static func name(_ resource: String?, _ node: String?) -> String {
        resource ?? "_:" + (node ?? "")
    }

    private static func isFact(_ node: String) -> Bool { node.firstMatch(of: facts) != nil }
    private static func isNameless(_ node: String) -> Bool { node.hasPrefix("_:") || isFact(node) }
}
