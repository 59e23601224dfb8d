import IndivoXML

/// A field of the document that an object was read from, and what the object's model knows of it.
public struct SourceField: Sendable, Hashable {
    /// What the model says of a field's name.
    public enum Meaning: Sendable, Hashable {
        /// A field of the model.
        case known
        /// The name that the field of this name had once. Servers refuse it.
        case formerly(String)
        /// None of the model's fields. Servers refuse it.
        case unknown
    }

    /// The name in the document.
    public let name: String
    /// The line it stands on, from 1, where that is known.
    public let line: Int?
    /// What the field is to the document's class.
    public let meaning: Meaning
}

extension IndivoDocument {
    /// The fields of the data model's document that the object was read from, in their order; related models' own
    /// fields are theirs. Empty for a document that was not read.
    public final var sourceFields: [SourceField] {
        guard type(of: self).format.isDataModel, let source else { return [] }
        let layout = flatLayout
        return source.ownChildren(named: "Field").map { element in
            let name = element.attr("name") ?? ""
            let known = layout.leafByName[name].map { layout.leaves[$0.leaf].name } ?? layout.relationByName[name]?.name
            let meaning: SourceField.Meaning =
                switch known {
                case nil: .unknown
                case name: .known
                case let current?: .formerly(current)
                }
            return SourceField(name: name, line: element.line, meaning: meaning)
        }
    }

    /// Reads a model as the class that is registered for it, or else as a ``GenericDocument``.
    ///
    /// - Parameters:
    ///   - model: The `Model` element.
    ///   - problems: What could not be read is added here.
    /// - Throws: ``DocumentError`` when the element is no model that the class can be read from.
    package static func registered(
        for model: XMLNode, problems: inout [DocumentError]
    ) throws -> IndivoDocument {
        try DocumentClasses.type(ofModel: model.attr("name") ?? "").read(from: model, problems: &problems)
    }

    /// The line of the source where the document starts, from 1; `nil` when it was not read from a text.
    public final var sourceLine: Int? { source?.line }

    /// Whether there is a class or at least a description of the document's model.
    package final var isKnownModel: Bool {
        !(self is GenericDocument) || DocumentClasses.runtimeModel(named: modelName) != nil
    }

    /// The documents inside this one, in the order of the model's relations.
    package final func relatedDocuments() throws -> [IndivoDocument] {
        let content = try DocumentContent(self)
        return content.layout.entries.flatMap { entry -> [IndivoDocument] in
            guard case .relation(_, let index) = entry else { return [] }
            return content.relations[index]
        }
    }

    /// The shape of the document's model.
    final var flatLayout: FlatLayout {
        self is GenericDocument ? DocumentClasses.flatLayout(ofModel: modelName) : Layout.of(type(of: self)).flat
    }
}
