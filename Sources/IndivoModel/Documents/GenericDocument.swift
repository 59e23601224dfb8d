import IndivoXML

/// A document of a model for which there is no class: its fields can be read by name, and nothing of it is lost.
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
}
