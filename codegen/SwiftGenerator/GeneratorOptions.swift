/// What the generated classes should be like.
public struct GeneratorOptions: Sendable, Hashable {
    /// Who may use what is generated.
    public enum Access: String, Sendable, Hashable, CaseIterable {
        case `public`, package, `internal`

        /// The modifier before a declaration, with a blank after it.
        var modifier: String { self == .internal ? "" : "\(rawValue) " }
    }

    /// Who may use the classes and their properties.
    public var access = Access.public
    /// What stands before the name of every class.
    public var prefix = ""
    /// What stands after the name of every class.
    public var suffix = ""
    /// The name of the one file, without `.swift`, that takes all classes; nil for a file a class.
    public var singleFile: String?
    /// The modules that the files import.
    public var imports = ["Indivo"]
    /// The name of a static list of the classes, in an extension of `IndivoDocument`; nil for none.
    public var listName: String?
    /// Who may use the list; nil for the same as the classes.
    public var listAccess: Access?
    /// Names of models whose classes exist elsewhere, under the same names.
    public var externalModels: Set<String> = []
    /// The command that generates again, named in the head of every file.
    public var command: String?

    /// A public class a file, which imports `Indivo`.
    public init() {}
}
