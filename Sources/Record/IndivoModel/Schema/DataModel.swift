/// The shape of a data model: its leaves under the names they have in SDMX, and its relations.
public struct DataModel: Sendable, Hashable {
    /// The name that data carries in `Model/@name`.
    public let name: String
    /// The leaves, compound values flattened.
    public let fields: [Field]
    /// The fields that hold other models.
    public let relations: [Relation]

    /// A model of this shape.
    public init(name: String, fields: [Field], relations: [Relation]) {
        self.name = name
        self.fields = fields
        self.relations = relations
    }

    /// The model of a class, found by reflection.
    public init(_ type: IndivoDocument.Type) {
        name = type.modelName
        fields = Self.leaves(of: type).map(\.field)
        relations = ModelSchema.of(type).fields.compactMap { field in
            guard case .document(let related) = field.shape.kind else { return nil }
            return Relation(name: field.name, isList: field.shape.isList, model: related.modelName)
        }
    }

    /// The core models, in alphabetical order.
    public static let core: [DataModel] = IndivoDocument.coreModels.map { DataModel($0) }

    /// A leaf of a data model.
    public struct Field: Sendable, Hashable {
        /// The flattened name, such as `drugName_title`.
        public let name: String
        /// What its text must be.
        public let type: FieldType

        /// A leaf of this name and type.
        public init(name: String, type: FieldType) {
            self.name = name
            self.type = type
        }
    }

    /// What a leaf of a data model holds.
    public enum FieldType: String, Sendable, Hashable {
        /// Any text.
        case string
        /// A decimal number.
        case number
        /// `true` or `false`.
        case boolean
        /// A calendar day.
        case date
        /// An instant, in UTC.
        case dateTime
    }

    /// A relation from one data model to another.
    public struct Relation: Sendable, Hashable {
        /// The field's name.
        public let name: String
        /// One-to-many, or one-to-one.
        public let isList: Bool
        /// The name of the related model.
        public let model: String

        /// A field that holds one object of a model, or any number of them.
        public init(name: String, isList: Bool, model: String) {
            self.name = name
            self.isList = isList
            self.model = model
        }
    }

    /// Leaves, each with the Swift path of its property, such as `drugName.title`.
    package typealias Leaves = [(property: String, field: Field)]

    /// A model's leaves; `nil` for a model without a known class or description.
    package static func leaves(ofModel name: String) -> Leaves? {
        let schema = DocumentClasses.schema(ofModel: name)
        return schema === ModelSchema.of(GenericDocument.self) ? nil : leaves(of: schema)
    }

    /// A class's leaves.
    package static func leaves(of type: IndivoDocument.Type) -> Leaves { leaves(of: ModelSchema.of(type)) }

    private static func leaves(of schema: ModelSchema) -> Leaves {
        schema.leaves.map { ($0.property, Field(name: $0.name, type: $0.type.dataType)) }
    }

    /// What a server asks of the leaves of a core model, by their names; `nil` for other models.
    package static func rules(ofCoreModel name: String) -> [String: LeafRules]? {
        guard let type = IndivoDocument.coreModels.first(where: { $0.modelName == name }) else { return nil }
        let schema = ModelSchema.of(type)
        return Dictionary(
            firstOf: schema.fields.flatMap { field in
                field.leaves.map { (schema.leaves[$0].name, LeafRules(schema.leaves[$0], in: field)) }
            }
        )
    }
}
