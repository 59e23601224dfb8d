import FHIR
import IndivoXML
import OrderedJSON

/// What a profile asks of a narrative's XHTML (the extensions `narrative-source-control` and
/// `narrative-language-control` of an element).
struct NarrativeControl: Sendable, Hashable {
    private static let sources: Set<String> = ["boilerplate", "generated", "original"]

    /// Whether each part says by its class where it comes from.
    var asksForSource = false
    /// `_no`, `_yes`, `_resource`, or a language that there must be a section for.
    var languages: [String] = []

    /// What is wrong with a narrative.
    ///
    /// - Parameter language: The language of the resource.
    func problems(in narrative: String, language: String?) -> [String] {
        guard let root = try? XMLNode(parsing: narrative) else { return [] }
        var problems: [String] = []
        if asksForSource, !Self.hasSource(root) {
            problems.append("a part of the narrative has no class boilerplate, generated or original")
        }
        let sections = root.contents().filter { $0.kind == .element && $0.name == "div" }.compactMap { node in
            node.attributes.first { $0.name == "lang" }?.value
        }
        for asked in languages {
            switch asked {
            case "_no":
                if !sections.isEmpty {
                    problems.append("the narrative has sections of languages, which are not allowed")
                }
            case "_yes": if sections.isEmpty { problems.append("the narrative has no sections of languages") }
            case "_resource":
                if let language, !sections.contains(language) {
                    problems.append("the narrative has no section in the language of the resource")
                }
            default:
                if !sections.contains(asked) {
                    problems.append("the narrative has no section in a language that it must have")
                }
            }
        }
        return problems
    }

    /// Whether each text is in an element whose class says where it comes from.
    private static func hasSource(_ node: XMLNode) -> Bool {
        let classes = node.attributes.first { $0.name == "class" }?.value.split(separator: " ") ?? []
        if classes.contains(where: { sources.contains(String($0)) }) { return true }
        return node.contents().allSatisfy { child in
            if child.kind == .element { return hasSource(child) }
            guard child.kind == .text || child.kind == .cdata else { return true }
            return child.text().allSatisfy(\.isWhitespace)
        }
    }
}
