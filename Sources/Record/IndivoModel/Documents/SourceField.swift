import IndivoXML

/// A field of the document that an object was read from, and what the object's model knows of it.
package struct SourceField: Sendable, Hashable {
    /// What a field's name means in the model.
    package enum Meaning: Sendable, Hashable {
        /// A field of the model.
        case known
        /// A former name of the field with this name. Servers refuse it.
        case formerly(String)
        /// None of the model's fields. Servers refuse it.
        case unknown
        /// A relation whose models are not where a server looks for them: it refuses the document, or makes
        /// no facts of it.
        case misplacedModels(String)
    }

    /// The name in the document.
    package let name: String
    /// The line it stands on, from 1, where that is known.
    package let line: Int?
    /// What the field is to the document's class.
    package let meaning: Meaning
}

extension FieldSchema {
    fileprivate func misplacedModels(in holder: XMLNode) -> SourceField.Meaning? {
        let hasList = holder.ownChild(named: "Models") != nil
        if shape.isList {
            return hasList ? nil : .misplacedModels("has no <Models>, in which servers look for its models")
        }
        return hasList
            ? .misplacedModels("has a <Models> around its one model, and servers make no facts of it") : nil
    }
}

extension IndivoDocument {
    /// The document's content as it would be sent: fields that were not changed keep their text.
    final func sentContent() throws -> FieldTable {
        if self is GenericDocument { return try content() }
        if type(of: self).format.isDataModel { try schema.checkDataModel() }
        return FieldTable(self, over: source)
    }

    /// The fields of the data model's document that was read, in order, without those of related models;
    /// empty for a new one.
    package final var sourceFields: [SourceField] {
        guard type(of: self).format.isDataModel, let source else { return [] }
        let schema = schema
        return source.ownChildren(named: "Field").map { element in
            let name = element.attr("name") ?? ""
            let meaning: SourceField.Meaning =
                switch schema.field(named: name) {
                case (.leaf(let index), let rank)?: rank == 0 ? .known : .formerly(schema.leaves[index].name)
                case (.relation(let index), 0)?:
                    schema.relations[index].misplacedModels(in: element) ?? .known
                case (.relation(let index), _)?: .formerly(schema.relations[index].name)
                case (.group, _)?, nil: .unknown
                }
            return SourceField(name: name, line: element.line, meaning: meaning)
        }
    }

    /// Reads a `Model` element as the class that is registered for it, or else as a ``GenericDocument``.
    package static func registered(for model: XMLNode, problems: inout [DocumentError]) throws
        -> IndivoDocument
    {
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
        let content = try content()
        return content.relations.indices.flatMap { content.documents(of: $0) }
    }

    /// The schema of the document's model.
    final var schema: ModelSchema {
        self is GenericDocument ? DocumentClasses.schema(ofModel: modelName) : ModelSchema.of(type(of: self))
    }

    /// The content of a data model's document, by its model's schema. An object gives its values; a document
    /// without a class of its own gives its source.
    final func content() throws -> FieldTable {
        guard self is GenericDocument else {
            try schema.checkDataModel()
            return FieldTable(self)
        }
        var table = FieldTable(source, schema, .dataModel)
        for index in table.relations.indices {
            table.relations[index].items = try table.models(of: index).map { model in
                let type = DocumentClasses.type(ofModel: model.attr("name") ?? "")
                return .document(try type.read(from: model, collecting: ReadingProblems()))
            }
        }
        return table
    }

    /// The properties that have a value, in the order of their declaration; a list is followed by its count.
    package final func presentProperties() throws -> [String] {
        let isModel = type(of: self).format.isDataModel
        let table = isModel ? try content() : FieldTable(self)
        return table.schema.fields.compactMap { field in
            if let relation = field.relation {
                let count = table.relations[relation].items.count
                if count == 0 { return nil }
                return field.shape.isList ? "\(field.property) (\(count))" : field.property
            }
            if !isModel, let group = field.group {
                return table.groups[group].isPresent ? field.property : nil
            }
            let isUnderstood = field.leaves.contains { index in
                isModel
                    ? table.leaves[index].hasText && !table.isUnreadable(index)
                    : table.leaves[index].isPresent
            }
            return isUnderstood ? field.property : nil
        }
    }
}
