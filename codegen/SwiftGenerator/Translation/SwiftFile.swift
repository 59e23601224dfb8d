import SDML

/// A Swift file as declarations. What translating yields and rendering takes: plain data, all decisions made.
struct SwiftFile {
    /// Its name, with `.swift`.
    var name: String
    /// The names of the files that it is made from.
    var sources: [String]
    /// The command that generates it again.
    var command: String?
    var imports: [String]
    var classes: [SwiftClass] = []
    var list: SwiftClassList?
}

/// A document class.
struct SwiftClass {
    var name: String
    /// The name of the SDML model.
    var modelName: String
    /// A string a paragraph.
    var documentation: [String]
    var access: GeneratorOptions.Access
    /// In the model's order.
    var properties: [SwiftProperty]
}

/// A property of a document class, wrapped in `@Field`.
struct SwiftProperty {
    /// Without backticks.
    var name: String
    /// The name of the field in data.
    var fieldName: String
    /// Names under which older documents hold the field.
    var formerNames: [String]
    /// Such as `Double?` or `[Fill]`.
    var type: String
    /// What its column holds; nil for related models, which a report has no column of.
    var columnType: String?
    /// What a server asks of its value.
    var rules: [SDMLRule]
    /// A string a paragraph; a paragraph that begins with `- ` is an item of a list.
    var documentation: [String]
}

/// A static list of document classes.
struct SwiftClassList {
    var name: String
    var access: GeneratorOptions.Access
    /// In alphabetical order.
    var classes: [String]
}
