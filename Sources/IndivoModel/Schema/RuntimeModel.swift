/// A data model for which there is no class, only a description made while the program runs, such as from SDML.
///
/// Its documents are ``GenericDocument``s. That they have types and rules all the same is for tools that check and
/// convert documents of models they were not built with.
package struct RuntimeModel: Sendable {
    /// One field of the model.
    package struct Field: Sendable {
        let name: String
        let formerly: [String]
        let rules: [FieldRule]
        let shape: FieldShape
        /// The model that a relation leads to.
        let related: String?

        private init(
            _ name: String, _ formerly: [String], _ rules: [FieldRule], _ shape: FieldShape, _ related: String?
        ) {
            self.name = name
            self.formerly = formerly
            self.rules = rules
            self.shape = shape
            self.related = related
        }

        /// A field with a value: a leaf, or a compound that is flattened.
        package static func value(
            _ name: String, _ type: any FieldElement.Type, formerly: [String] = [], rules: [FieldRule] = []
        ) -> Self {
            Self(name, formerly, rules, FieldShape(kind: type._kind, isList: false), nil)
        }

        /// A field with related models, one or many.
        package static func relation(
            _ name: String, to model: String, isList: Bool, formerly: [String] = [], rules: [FieldRule] = []
        ) -> Self {
            Self(name, formerly, rules, FieldShape(kind: .document(GenericDocument.self), isList: isList), model)
        }
    }

    package let name: String
    let schema: ModelSchema
    /// By the name of the relation, the model it leads to.
    let relatedModels: [String: String]

    package init(name: String, fields: [Field]) {
        self.name = name
        // Nothing is read through offset and access: there is no object with such a property.
        schema = ModelSchema(
            typeName: name, modelName: name,
            fields.map { field in
                DeclaredField(
                    property: field.name, name: field.name, formerly: field.formerly, rules: field.rules,
                    shape: field.shape)
            })
        relatedModels = Dictionary(
            fields.compactMap { field in field.related.map { (field.name, $0) } }, uniquingKeysWith: { $1 })
    }

    /// Makes the model known. It replaces a class that is registered for the same name.
    package func register() { DocumentClasses.register(self) }
}
