import IndivoModel

/// A data model as the server works with it: its leaves, what may be nested in it, and what is written beside the
/// leaves.
struct ModelShape: Sendable {
    let name: String
    let fields: [DataModel.Field]
    let fieldTypes: [String: DataModel.FieldType]
    /// What a document may nest.
    let inputs: [Relation]
    /// What reports nest.
    var outputs: [Relation]
    let constraints: ModelConstraints

    struct Relation: Sendable {
        var name: String
        var model: String
        var isList: Bool
        /// The other object is referred to and does not belong to this one. Reports leave it out here and list, with
        /// the other, those who refer to it.
        var isReference = false
    }

    init(_ model: DataModel) {
        name = model.name
        fields = model.fields
        fieldTypes = Dictionary(model.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        inputs = model.relations.map { relation in
            Relation(
                name: relation.name, model: relation.model, isList: relation.isList,
                isReference: ModelShape.references[model.name] == relation.name)
        }
        outputs = inputs.filter { !$0.isReference }
        constraints = ModelConstraints(model)
    }

    /// In the server's own models one one-to-one field is in truth a reference: many may share the object.
    private static let references = ["VitalSigns": "encounter"]
}
