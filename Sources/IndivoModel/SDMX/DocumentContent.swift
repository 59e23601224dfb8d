import IndivoXML

/// What a document of a data model says, by its model's shape, and where its source says it.
struct DocumentContent {
    let layout: FlatLayout
    /// In the order of the layout's leaves.
    let leaves: [String?]
    /// Where the leaves stand in the source.
    let lines: [Int?]
    /// By the name of the relation.
    let relations: [String: [IndivoDocument]]

    init(_ document: IndivoDocument) throws {
        layout = document.flatLayout
        let fields = ModelFields(document.source, layout)
        lines = fields.leaves.map { $0?.line }
        if document is GenericDocument {
            leaves = fields.leaves.map { $0?.text }
            relations = try fields.relations.mapValues { field in
                try field.relatedModels.map { model in
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
        for (leaf, holder) in zip(model.flat.leaves, fields.leaves) {
            guard let text = holder?.text, let error = leaf.type.failure(ofField: text) else { continue }
            problems.all.append(
                DocumentError(
                    .unreadableValue(text: text, error), document: modelName, property: leaf.property,
                    line: holder?.line))
        }
        for (name, field) in fields.relations {
            for related in field.relatedModels {
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
