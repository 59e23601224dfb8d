import IndivoModel
import IndivoXML

extension ModelCatalog {
    /// The fact of a document of a typed root that the server still takes, already valid against its schema.
    func fact(typed root: XMLNode) throws -> FactDraft {
        guard let shape = self[root.name] else { throw NoFacts() }
        var reader = FactReader(shape)
        for (field, path) in ModelCatalog.fields[root.name] ?? [] {
            let names = path.split(separator: "@", maxSplits: 1).map(String.init)
            let node = names[0].split(separator: "/").reduce(root as XMLNode?) { $0?.child(named: String($1)) }
            let text = names.count == 1 ? node?.text() : node?.attr(names[1])
            if let text, !text.isEmpty { try reader.read(field, text) }
        }
        return try reader.finish()
    }

    /// Where the fields of each root are: elements, and attributes of them.
    private static let fields: [String: [(String, String)]] = [
        "Equipment": [
            ("date_started", "dateStarted"), ("date_stopped", "dateStopped"), ("name", "name"), ("vendor", "vendor"),
            ("description", "description"),
        ],
        "Procedure": coded("name", "name") + [
            ("date_performed", "datePerformed"), ("provider_name", "provider/name"),
            ("provider_institution", "provider/institution"), ("location", "location"), ("comments", "comments"),
        ],
        "SimpleClinicalNote": coded("visit_type", "visitType") + coded("specialty", "specialty") + [
            ("date_of_visit", "dateOfVisit"), ("finalized_at", "finalizedAt"), ("visit_location", "visitLocation"),
            ("signed_at", "signature/at"), ("provider_name", "signature/provider/name"),
            ("provider_institution", "signature/provider/institution"), ("chief_complaint", "chiefComplaint"),
            ("content", "content"),
        ],
    ]

    /// A coded value becomes four fields: its text, and its attributes.
    private static func coded(_ field: String, _ element: String) -> [(String, String)] {
        [(field, element)] + ["type", "value", "abbrev"].map { ("\(field)_\($0)", "\(element)@\($0)") }
    }
}
