/// Models that were read together, from one or many files. What parsing yields and generating takes: plain
/// data.
public struct SDMLSchema: Sendable, Hashable {
    /// The models by name in alphabetical order, nested ones too.
    public let models: [SDMLModel]

    /// A schema of these models.
    public init(models: [SDMLModel]) {
        self.models = models.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The model of this name.
    public func model(named name: String) -> SDMLModel? { models.first { $0.name == name } }
}

/// A model: a named list of fields.
public struct SDMLModel: Sendable, Hashable {
    /// The name that data carries in `Model/@name`.
    public let name: String
    /// The fields, in the order of the file.
    public let fields: [SDMLField]
    /// What the notes say about the model.
    public let notes: ModelNotes
    /// The name of the file that defines it.
    public let fileName: String
    /// Where it is defined.
    public let location: SourceLocation
}

/// A field of a model.
public struct SDMLField: Sendable, Hashable {
    /// The name that data carries in `Field/@name`.
    public let name: String
    /// What it holds.
    public let type: SDMLFieldType
    /// What the notes say about it.
    public internal(set) var notes = FieldNotes()
    /// Where it is declared.
    public let location: SourceLocation
}

/// What a field holds.
public enum SDMLFieldType: Sendable, Hashable {
    case value(SDMLType)
    /// One object of the model of this name: the model itself, nested, in SDML.
    case one(String)
    /// Any number of objects of the model of this name: a list of one nested model in SDML.
    case many(String)
}
