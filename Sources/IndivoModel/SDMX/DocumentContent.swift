import IndivoXML

/// What a document of a data model says, by its model's shape, and where its source says it.
struct DocumentContent {
    let layout: FlatLayout
    /// In the order of the layout's leaves.
    let leaves: [String?]
    /// Where the leaves stand in the source.
    let lines: [Int?]
    /// In the order of the layout's relations.
    let relations: [[IndivoDocument]]

    init(_ document: IndivoDocument) throws {
        layout = document.flatLayout
        let fields = ModelFields(document.source, layout)
        lines = layout.leaves.indices.map { fields.line(of: $0) }
        if document is GenericDocument {
            leaves = layout.leaves.indices.map { fields.text(of: $0)?.string }
            relations = try layout.relations.indices.map { relation in
                try fields.models(of: relation).map { model in
                    let type = DocumentClasses.type(ofModel: model.attr("name") ?? "")
                    return try type.read(from: model, collecting: ReadingProblems())
                }
            }
        } else {
            let writer = try FlatWriter(document)
            leaves = writer.leaves
            relations = writer.relations
        }
    }
}

extension GenericDocument {
    /// Notes the values that are none by the description of the model, if there is one, those of related models too.
    func collectUnreadable(into problems: ReadingProblems) throws {
        guard let model = DocumentClasses.runtimeModel(named: modelName) else { return }
        let fields = ModelFields(source, model.flat)
        for (index, leaf) in model.flat.leaves.enumerated() {
            guard let text = fields.text(of: index)?.string, let error = leaf.type.failure(ofField: text)
            else { continue }
            problems.all.append(
                DocumentError(
                    .unreadableValue(text: text, error), document: modelName, property: leaf.property,
                    line: fields.line(of: index)))
        }
        for (index, relation) in model.flat.relations.enumerated() {
            let name = relation.name
            for related in fields.models(of: index) {
                let found = related.attr("name") ?? ""
                if let expected = model.relatedModels[name], expected != found {
                    problems.all.append(
                        DocumentError(
                            .notADocument(
                                found: "<Model name=\"\(found)\">", expected: "<Model name=\"\(expected)\">"),
                            document: modelName, property: name, line: related.line))
                }
                _ = try DocumentClasses.type(ofModel: found).read(from: related, collecting: problems)
            }
        }
    }
}
