/// A data model for which there is no class, only a description made while the program runs, such as from
/// SDML. Its documents are ``GenericDocument``s; tools check and convert them by its types and rules.
package struct RuntimeModel: Sendable {
    /// One field of the model.
    package struct Field: Sendable {
        fileprivate let declared: DeclaredField
        /// The model that a relation leads to.
        fileprivate var related: String?

        /// A field with a value: a leaf, or a compound that is flattened.
        package static func value(
            _ name: String,
            _ type: any FieldElement.Type,
            formerly: [String] = [],
            rules: [FieldRule] = []
        ) -> Self {
            let shape = FieldSchema.Shape(kind: type._kind, isList: false)
            return Self(
                declared: DeclaredField(
                    property: name,
                    name: name,
                    formerly: formerly,
                    rules: rules,
                    shape: shape
                )
            )
        }

        /// A field with related models, one or many.
        package static func relation(
            _ name: String,
            to model: String,
            isList: Bool,
            formerly: [String] = [],
            rules: [FieldRule] = []
        ) -> Self {
            let shape = FieldSchema.Shape(kind: .document(GenericDocument.self), isList: isList)
            let declared = DeclaredField(
                property: name,
                name: name,
                formerly: formerly,
                rules: rules,
                shape: shape
            )
            return Self(declared: declared, related: model)
        }
    }

    package let name: String
    let schema: ModelSchema
    /// By the name of the relation, the model it leads to.
    let relatedModels: [String: String]

    package init(name: String, fields: [Field]) {
        self.name = name
        // Nothing is read through the offset: there is no object with such a property.
        schema = ModelSchema(typeName: name, modelName: name, fields.map(\.declared))
        relatedModels = Dictionary(
            fields.compactMap { field in field.related.map { (field.declared.name, $0) } },
            uniquingKeysWith: { $1 }
        )
    }

    /// Makes the model known. It replaces a class that is registered for the same name.
    package func register() { DocumentClasses.register(self) }
}
