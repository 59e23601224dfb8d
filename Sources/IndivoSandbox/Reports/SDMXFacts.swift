import IndivoModel
import IndivoXML

extension ModelCatalog {
    /// The facts of an SDMX document, already valid against its schema.
    func facts(sdmx root: XMLNode) throws -> [FactDraft] { try root.children(named: "Model").map { try fact($0) } }

    private func fact(_ model: XMLNode) throws -> FactDraft {
        let name = model.attr("name") ?? ""
        try require(!name.isEmpty, sentence: "Invalid SDM data: All SDM data instances must specify the model they belong to.")
        guard let shape = self[name] else {
            let isTable = ModelCatalog.otherTables.contains(name.lowercased())
            try require(!isTable, sentence: "Transform outputted a list of fact objects, but not all list elements were facts.")
            throw ContentError(sentence: "Invalid SDM data: SDM model specified a non-existent data-model: \(name)")
        }
        var reader = FactReader(shape)
        var children: [(relation: String, fact: FactDraft)] = []
        var referred: FactDraft?
        for field in model.children(named: "Field") {
            let fieldName = field.attr("name") ?? ""
            try require(!fieldName.isEmpty, sentence: "Invalid SDM data: All SDM data fields must specify a fieldname.")
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
                if relation.name == shape.reference { referred = child } else { children.append((relation.name, child)) }
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
}
