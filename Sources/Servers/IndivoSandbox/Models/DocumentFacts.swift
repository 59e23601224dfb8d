import IndivoModel
import IndivoXML

extension ModelCatalog {
    /// The facts of an SDMX document, already valid against its schema, in the order in which the real
    /// server stores them: it takes the last of what it has found first, here and in what facts nest.
    func facts(sdmx root: XMLNode) throws -> [FactDraft] {
        let texts: Set<XMLNode.Kind> = [.text, .cdata]
        return try root.contents().filter { !texts.contains($0.kind) }.reversed().map { try fact($0) }
    }

    /// - Parameter model: A `Model`; or a comment or an instruction, which the real server takes for one.
    private func fact(_ model: XMLNode) throws -> FactDraft {
        let name = model.attr("name") ?? ""
        try require(
            !name.isEmpty,
            sentence: "Invalid SDM data: All SDM data instances must specify the model they belong to."
        )
        guard name.isASCII else { throw NoFacts() }
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
        // Each with the field it stands in; nil for one of a list, whose name is not looked at.
        var nested: [(model: XMLNode, field: String?)] = []
        for field in model.children(named: "Field") {
            let fieldName = field.attr("name") ?? ""
            try require(
                !fieldName.isEmpty,
                sentence: "Invalid SDM data: All SDM data fields must specify a fieldname."
            )
            if let list = field.child(named: "Models") {
                nested += list.children(named: "Model").map { ($0, nil) }
            } else if let child = field.child(named: "Model") {
                nested.append((child, fieldName))
            } else {
                try reader.read(fieldName, field.text())
            }
        }
        var finished = try reader.finish()
        var referred: FactDraft?
        for (model, field) in nested.reversed() {
            let child = try fact(model)
            let relation = shape.relations.first { relation in
                relation.model == child.model && relation.isList == (field == nil)
                    && field.map { $0 == relation.name } ?? true
            }
            guard let relation else { throw NoFacts() }
            if !relation.isList, relation.name == shape.reference {
                referred = child
            } else {
                finished.children.append((relation.name, child))
            }
        }
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
            if let text { try reader.read(field, text) }
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
