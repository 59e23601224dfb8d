import FHIRTables
import ShownText
import Suggestions

/// What may be wrong with a search that a server refused: names that R4 does not have. A server may have others of its own,
/// so that nothing is said before it refuses.
enum FHIRSearchHints {
    /// - Parameter parameters: As they are given to the tool, `NAME=VALUE`.
    static func hints(type: String, parameters: [String]) -> [String] {
        let types = Definitions.r4.resourceNames
        guard types.contains(type) else {
            return ["R4 has no resource “\(type)”".shown() + Spelling.question(about: type, among: types.sorted())]
        }
        let common = SearchParameter.r4.filter { $0.resource == "Resource" || $0.resource == "DomainResource" }.map(\.name)
        let own = SearchParameter.r4.filter { $0.resource == type }.map(\.name)
        // R4 has the parameters of some types in tables that are not here: then nothing is known of them.
        guard !own.isEmpty else { return [] }
        return parameters.compactMap { parameter in
            // Of a chain or a modifier the part before.
            let name = String(parameter.prefix { !"=:.".contains($0) })
            guard !(own + common + results).contains(name) else { return nil }
            return "R4 has no search parameter “\(name)” of \(type)".shown()
                + Spelling.question(about: name, among: own + common + results)
        }
    }

    /// How a result is given, and what is searched in other ways (FHIR R4, search).
    private static let results = [
        "_sort", "_count", "_include", "_revinclude", "_summary", "_total", "_elements", "_contained", "_containedType", "_format",
        "_pretty", "_has", "_text", "_content", "_list", "_type", "_query", "_filter",
    ]
}
