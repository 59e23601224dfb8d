/// A concept with its code: a title for people, an identifier within a code system for programs.
///
/// SDML type `CodedValue`: `_title`, `_system` and `_identifier`.
public struct CodedValue: CompoundValue {
    /// The concept in words.
    @Field(formerly: "code_title") public var title: String?
    /// The system the identifier belongs to.
    @Field(formerly: "code_system") public var system: CodeSystem?
    /// The code.
    @Field(formerly: "code_identifier") public var identifier: String?

    public init() {}

    /// A code, what it means in words, and the system it is a code of.
    public init(title: String?, system: CodeSystem? = nil, identifier: String? = nil) {
        self.title = title
        self.system = system
        self.identifier = identifier
    }
}
