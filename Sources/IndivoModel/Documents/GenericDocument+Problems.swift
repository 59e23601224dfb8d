import IndivoXML

extension GenericDocument {
    /// Notes the values that are none by the description of the model, if there is one, those of related models too.
    func collectUnreadable(into problems: ReadingProblems) throws {
        guard let model = DocumentClasses.runtimeModel(named: modelName) else { return }
        let fields = FieldTable(source, model.schema, .dataModel)
        for (index, leaf) in model.schema.leaves.enumerated() {
            guard let text = fields.text(of: index)?.string, let error = leaf.type.failure(ofField: text)
            else { continue }
            problems.all.append(
                DocumentError(
                    .unreadableValue(text: text, error), document: modelName, property: leaf.property,
                    line: fields.line(of: index)))
        }
        for (index, relation) in model.schema.relations.enumerated() {
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
