import IndivoXML

/// SDMX, the XML form of data models: `<Models><Model name="…"><Field name="…">`.
enum SDMX {
    /// The namespace a server wants SDMX in. What it sends itself is in none.
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// The `Model` elements of a `Models` root.
    static func models(in root: XMLNode) throws -> [XMLNode] {
        guard root.kind == .element, root.name == "Models" else {
            throw DocumentError(
                .notADocument(found: describe(root), expected: "the root element <Models>"), document: "SDMX",
                line: root.line)
        }
        return root.ownChildren(named: "Model")
    }

    /// The one `Model` of a class in an element that is it or holds it.
    static func soleModel(in element: XMLNode, for type: IndivoDocument.Type) throws -> XMLNode {
        var model = element
        if element.name == "Models" {
            let models = try models(in: element)
            guard models.count == 1 else {
                throw DocumentError(
                    .notADocument(
                        found: "\(models.count) models in one document",
                        expected: "one (read several with SDMXDocument)"),
                    document: type.modelName, line: element.line)
            }
            model = models[0]
        }
        guard model.kind == .element, model.name == "Model" else {
            throw DocumentError(
                .notADocument(found: describe(model), expected: "<Model name=\"\(type.modelName)\">"),
                document: type.modelName, line: model.line)
        }
        guard type.isModel(model) else {
            throw DocumentError(.otherModel(model.attr("name") ?? ""), document: type.modelName, line: model.line)
        }
        return model
    }

    static func root(holding document: IndivoDocument, naming: FieldNaming) throws -> XMLNode {
        try PreparedDocument(new: [document], naming: naming).root
    }

    static func describe(_ node: XMLNode) -> String { node.kind == .element ? "<\(node.qualifiedName)>" : "no element" }
}

extension IndivoDocument {
    /// Whether a `Model` element is of this class's model.
    static func isModel(_ element: XMLNode) -> Bool { isModel(element, ModelSchema.of(self)) }

    static func isModel(_ element: XMLNode, _ schema: ModelSchema) -> Bool {
        if self is GenericDocument.Type || self == IndivoDocument.self { return true }
        guard let name = element.view?.attribute("name") else { return schema.modelName.isEmpty }
        return isText(schema.modelName, name)
    }
}
