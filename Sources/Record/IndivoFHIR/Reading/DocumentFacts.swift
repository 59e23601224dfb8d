import Foundation
import Indivo

/// The facts of a document, before they become FHIR.
struct DocumentFacts {
    private(set) var facts: [FactFields] = []
    /// Whether the facts are all that the document says.
    private(set) var isWhole = true
    /// The media type, as far as it can be known: a server hands texts back as XML, whatever they were.
    let contentType: String

    /// The roots of nested XML that are facts, with the elements in them that may come more than once.
    private static let nested: [String: Set<String>] = [
        "Demographics": ["telephone"], "Equipment": [], "Procedure": [], "SimpleClinicalNote": ["signature"],
    ]
    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    init(_ content: FileContent) {
        guard ["application/xml", "text/xml"].contains(content.contentType) else {
            contentType = content.contentType
            return
        }
        guard let root = try? content.xml() else {
            let isText = String(validating: content.data, as: UTF8.self) != nil
            contentType = isText ? "text/plain; charset=utf-8" : "application/octet-stream"
            return
        }
        contentType = "application/xml"
        guard root.namespace == nil || root.namespace == Self.namespace else { return }
        if root.name == "Models" {
            facts = root.children(named: "Model").map { FactFields(model: $0) }
            isWhole = facts.count == root.children().count && root.attributes.isEmpty
        } else if root.name == "Model" {
            facts = [FactFields(model: root)]
        } else if let lists = Self.nested[root.name] {
            facts = [FactFields(nested: root, lists: lists)]
            isWhole = root.attributes.isEmpty
        }
    }
}
