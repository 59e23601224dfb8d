import IndivoModel
import IndivoXML

/// Turns the typed documents the server still takes (Equipment, Procedure, SimpleClinicalNote), already valid against
/// their schemas, into facts.
struct TypedDocumentFacts {
    let models: ModelCatalog

    func read(_ root: XMLNode) throws -> [FactDraft] {
        guard let shape = models[root.name] else { throw NoFacts() }
        var reader = FactReader(shape)
        for (field, text) in fields(of: root) {
            if let text, !text.isEmpty { try reader.read(field, text) }
        }
        return [try reader.finish()]
    }

    private func fields(of root: XMLNode) -> [(String, String?)] {
        func text(_ path: String...) -> String? {
            var node: XMLNode? = root
            for name in path { node = node?.child(named: name) }
            return node?.text()
        }
        /// A coded value becomes four fields: its text, and its attributes.
        func code(_ element: String, _ field: String) -> [(String, String?)] {
            let node = root.child(named: element)
            return [(field, node?.text())] + ["type", "value", "abbrev"].map { (field + "_" + $0, node?.attr($0)) }
        }
        switch root.name {
        case "Equipment":
            return [
                ("date_started", text("dateStarted")), ("date_stopped", text("dateStopped")), ("name", text("name")),
                ("vendor", text("vendor")), ("description", text("description")),
            ]
        case "Procedure":
            return code("name", "name") + [
                ("date_performed", text("datePerformed")), ("provider_name", text("provider", "name")),
                ("provider_institution", text("provider", "institution")), ("location", text("location")),
                ("comments", text("comments")),
            ]
        default:
            return code("visitType", "visit_type") + code("specialty", "specialty") + [
                ("date_of_visit", text("dateOfVisit")), ("finalized_at", text("finalizedAt")),
                ("visit_location", text("visitLocation")), ("signed_at", text("signature", "at")),
                ("provider_name", text("signature", "provider", "name")),
                ("provider_institution", text("signature", "provider", "institution")),
                ("chief_complaint", text("chiefComplaint")), ("content", text("content")),
            ]
        }
    }
}
