import IndivoModel

/// A data model as the server works with it, with what is written beside its leaves and relations.
@dynamicMemberLookup
struct ModelShape: Sendable {
    private let model: DataModel
    let fieldTypes: [String: DataModel.FieldType]
    /// The relation to an object that does not belong to this one. Reports leave it out here and list, with the other object,
    /// those who refer to it.
    let reference: String?
    /// What reports nest.
    var outputs: [DataModel.Relation]
    let constraints: ModelConstraints

    init(_ model: DataModel) {
        self.model = model
        fieldTypes = Dictionary(model.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        // In the server's own models one one-to-one field is in truth a reference: many may share the object.
        let reference = model.name == "VitalSigns" ? "encounter" : nil
        outputs = model.relations.filter { $0.name != reference }
        constraints = ModelConstraints(model)
        self.reference = reference
    }

    subscript<Value>(dynamicMember member: KeyPath<DataModel, Value>) -> Value { model[keyPath: member] }
}
