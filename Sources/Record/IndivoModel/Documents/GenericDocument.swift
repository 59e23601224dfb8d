import IndivoXML

/// A document of a model for which there is no class: its fields can be read by name, and nothing of it is
/// lost.
public final class GenericDocument: IndivoDocument {
    /// The model's name as the document gives it.
    override public var modelName: String { source?.attr("name") ?? "GenericDocument" }

    /// The plain fields in the document's order, related models left out.
    public var fields: [(name: String, value: String)] {
        source?.ownChildren(named: "Field").compactMap { field in
            guard let name = field.attr("name"), field.relatedModels.isEmpty else { return nil }
            return (name, field.text())
        } ?? []
    }

    /// The text of a field, by its name in XML.
    public subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    /// Collects the values that the model's description, if there is one, does not allow, also those of
    /// related models.
    func collectUnreadable(into problems: ReadingProblems) throws {
        guard let model = DocumentClasses.runtimeModel(named: modelName) else { return }
        let fields = FieldTable(source, model.schema, .dataModel)
        for (index, leaf) in model.schema.leaves.enumerated() {
            guard let text = fields.text(of: index)?.string else { continue }
            do throws(LexicalError) { _ = try leaf.type.read(text, isField: true) } catch {
                let reason = DocumentError.Reason.unreadableValue(text: text, error)
                let line = fields.line(of: index)
                problems.all.append(
                    DocumentError(reason, document: modelName, property: leaf.property, line: line)
                )
            }
        }
        for (index, relation) in model.schema.relations.enumerated() {
            for related in fields.models(of: index) {
                let found = related.attr("name") ?? ""
                if let expected = model.relatedModels[relation.name], expected != found {
                    let error = DocumentError(
                        found: "<Model name=\"\(found)\">",
                        expected: "<Model name=\"\(expected)\">",
                        document: modelName,
                        property: relation.name,
                        line: related.line
                    )
                    problems.all.append(error)
                }
                _ = try DocumentClasses.type(ofModel: found).read(from: related, collecting: problems)
            }
        }
    }
}
