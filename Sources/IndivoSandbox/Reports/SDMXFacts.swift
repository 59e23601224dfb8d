import IndivoModel
import IndivoXML

/// Turns an SDMX document, already valid against its schema, into facts.
struct SDMXFacts {
    let models: ModelCatalog

    func read(_ root: XMLNode) throws -> [FactDraft] { try root.children(named: "Model").map { try fact($0) } }

    private func fact(_ model: XMLNode) throws -> FactDraft {
        let name = model.attr("name") ?? ""
        guard !name.isEmpty else {
            throw ContentError(sentence: "Invalid SDM data: All SDM data instances must specify the model they belong to.")
        }
        guard let shape = models[name] else {
            guard !ModelCatalog.otherTables.contains(name.lowercased()) else {
                throw ContentError(sentence: "Transform outputted a list of fact objects, but not all list elements were facts.")
            }
            throw ContentError(sentence: "Invalid SDM data: SDM model specified a non-existent data-model: \(name)")
        }
        var reader = FactReader(shape)
        var children: [FactDraft.Child] = []
        var referred: FactDraft?
        for field in model.children(named: "Field") {
            let fieldName = field.attr("name") ?? ""
            guard !fieldName.isEmpty else {
                throw ContentError(sentence: "Invalid SDM data: All SDM data fields must specify a fieldname.")
            }
            if let list = field.child(named: "Models") {
                for child in try list.children(named: "Model").map({ try fact($0) }) {
                    // The name of the field is not looked at: the child knows whose list it belongs to.
                    guard let relation = shape.inputs.first(where: { $0.isList && $0.model == child.model }) else {
                        throw NoFacts()
                    }
                    children.append(FactDraft.Child(relation: relation.name, fact: child))
                }
            } else if let nested = field.child(named: "Model") {
                let child = try fact(nested)
                guard let relation = shape.inputs.first(where: { $0.name == fieldName }), !relation.isList,
                    relation.model == child.model
                else { throw NoFacts() }
                if relation.isReference {
                    referred = child
                } else {
                    children.append(FactDraft.Child(relation: relation.name, fact: child))
                }
            } else {
                try reader.read(fieldName, field.text())
            }
        }
        var finished = try reader.finish()
        finished.children = children
        guard var referred else { return finished }
        // The object referred to holds the list of those who refer to it.
        referred.children.append(FactDraft.Child(relation: ModelCatalog.reverseName(of: shape.name), fact: finished))
        return referred
    }
}
