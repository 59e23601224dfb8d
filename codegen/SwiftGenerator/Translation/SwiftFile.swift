/// A Swift file as declarations. What translating yields and rendering takes: plain data, all decisions made.
public struct SwiftFile: Sendable, Hashable {
    /// Its name, with `.swift`.
    public var name: String
    /// The names of the files that it is made from.
    public var sources: [String]
    /// The command that generates it again.
    public var command: String?
    /// The modules that it imports.
    public var imports: [String]
    /// The classes, in order.
    public var classes: [SwiftClass] = []
    /// The list of classes, if the file has it.
    public var list: SwiftClassList?
}

/// A document class.
public struct SwiftClass: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The name of the SDML model.
    public var modelName: String
    /// Its documentation, a string a paragraph.
    public var documentation: [String]
    /// Who may use it.
    public var access: GeneratorOptions.Access
    /// Its properties, in the model's order.
    public var properties: [SwiftProperty]
}

/// A property of a document class, wrapped in `@Field`.
public struct SwiftProperty: Sendable, Hashable {
    /// What a property holds.
    public enum Kind: Sendable, Hashable {
        /// One of the type, or none.
        case optional(String)
        /// Any number of the type.
        case array(String)
    }

    /// Its name, without backticks.
    public var name: String
    /// The name of the field in data.
    public var fieldName: String
    /// Names under which older documents hold the field.
    public var formerNames: [String]
    /// What it holds.
    public var kind: Kind
    /// What its column holds; nil for related models, which a report has no column of.
    public var columnType: String?
    /// What a server asks of its value.
    public var rules: [SwiftRule]
    /// Its documentation, a string a paragraph; a paragraph that begins with `- ` is an item of a list.
    public var documentation: [String]
}

/// A static list of document classes.
public struct SwiftClassList: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Who may use it.
    public var access: GeneratorOptions.Access
    /// The names of the classes, in alphabetical order.
    public var classes: [String]
}
