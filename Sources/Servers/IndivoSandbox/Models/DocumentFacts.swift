import IndivoModel
import IndivoXML

extension ModelCatalog {
    /// The facts of an SDMX document, already valid against its schema.
    func facts(sdmx root: XMLNode) throws -> [FactDraft] {
        try root.children(named: "Model").map { try fact($0) }
    }

    private func fact(_ model: XMLNode) throws -> FactDraft {
        let name = model.attr("name") ?? ""
        try require(
            !name.isEmpty,
            sentence: "Invalid SDM data: All SDM data instances must specify the model they belong to."
        )
        guard let shape = self[name] else {
            let isTable = ModelCatalog.otherTables.contains(name.lowercased())
            try require(
                !isTable,
                sentence: "Transform outputted a list of fact objects, but not all list elements were facts."
            )
            throw ContentError(
                sentence: "Invalid SDM data: SDM model specified a non-existent data-model: \(name)"
            )
        }
        var reader = FactReader(shape: shape)
        var children: [(relation: String, fact: FactDraft)] = []
        var referred: FactDraft?
        for field in model.children(named: "Field") {
            let fieldName = field.attr("name") ?? ""
            try require(
                !fieldName.isEmpty,
                sentence: "Invalid SDM data: All SDM data fields must specify a fieldname."
            )
            if let list = field.child(named: "Models") {
                for child in try list.children(named: "Model").map({ try fact($0) }) {
                    // The name of the field is not looked at: the child knows whose list it belongs to.
                    let relation = shape.relations.first { $0.isList && $0.model == child.model }
                    guard let relation else { throw NoFacts() }
                    children.append((relation.name, child))
                }
            } else if let nested = field.child(named: "Model") {
                let child = try fact(nested)
                let relation = shape.relations.first { $0.name == fieldName }
                guard let relation, !relation.isList, relation.model == child.model else { throw NoFacts() }
                if relation.name == shape.reference {
                    referred = child
                } else {
                    children.append((relation.name, child))
                }
            } else {
                try reader.read(fieldName, field.text())
            }
        }
        var finished = try reader.finish()
        finished.children = children
        guard var referred else { return finished }
        // The object referred to holds the list of those who refer to it.
        referred.children.append((ModelCatalog.reverseName(of: name), finished))
        return referred
    }

    /// The fact of a document of a typed root that the server still takes, already valid against its schema.
    func fact(typed root: XMLNode) throws -> FactDraft {
        guard let shape = self[root.name] else { throw NoFacts() }
        var reader = FactReader(shape: shape)
        for (field, path) in ModelCatalog.fields[root.name] ?? [] {
            let names = path.split(separator: "@", maxSplits: 1).map(String.init)
            let node = names[0].split(separator: "/").reduce(root as XMLNode?) {
                $0?.child(named: String($1))
            }
            let text = names.count == 1 ? node?.text() : node?.attr(names[1])
            if let text, !text.isEmpty { try reader.read(field, text) }
        }
        return try reader.finish()
    }

    /// Where the fields of each root are: elements, and attributes of them.
    private static let fields: [String: [(String, String)]] = [
        "Equipment": [
            ("date_started", "dateStarted"), ("date_stopped", "dateStopped"), ("name", "name"),
            ("vendor", "vendor"),
            ("description", "description"),
        ],
        "Procedure": coded("name", "name") + [
            ("date_performed", "datePerformed"), ("provider_name", "provider/name"),
            ("provider_institution", "provider/institution"), ("location", "location"),
            ("comments", "comments"),
        ],
        "SimpleClinicalNote": coded("visit_type", "visitType") + coded("specialty", "specialty") + [
            ("date_of_visit", "dateOfVisit"), ("finalized_at", "finalizedAt"),
            ("visit_location", "visitLocation"),
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
