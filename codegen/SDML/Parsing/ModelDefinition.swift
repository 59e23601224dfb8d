/// A model as one place of one file states it. Linking makes models of definitions.
struct ModelDefinition {
    struct Field {
        var name: String
        var type: SDMLFieldType
        var location: SourceLocation
    }

    var name: String
    var fields: [Field]
    /// Whether it stands inside another model.
    var isNested: Bool
    /// Whether something in it could not be read, so that it says less than was meant.
    var isDamaged: Bool
    var location: SourceLocation
    var fileName: String

    /// Only a name: nested, it refers to the model that is defined elsewhere under this name.
    var isReference: Bool { isNested && fields.isEmpty && !isDamaged }

    /// Whether two definitions of the same name define the same; the order of fields makes no difference.
    func agrees(with other: ModelDefinition) -> Bool {
        Dictionary(fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
            == Dictionary(other.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
    }
}
