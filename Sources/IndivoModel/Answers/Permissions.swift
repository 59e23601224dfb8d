/// The actions that are permitted, by type of document (element `Permissions`).
///
/// Servers of version 2.0 always give the same response: everything with every type.
public struct Permissions: CompoundValue {
    /// What may be done with the documents of one type.
    public struct DocumentType: CompoundValue {
        /// The type's URI; `*` for all.
        @Field(in: .attribute) public var type: String
        /// Whether documents of the type may be written.
        @Field("write", in: .attribute) public var mayWrite: Bool?

        /// No type.
        public init() {}
    }

    /// The types for which something is said.
    @Field("DocumentType") public var types: [DocumentType]

    /// Nothing is said.
    public init() {}
}
