/// Which types of documents a record shares by itself, and with which carenets (element `DocumentSchemas`, call
/// `autoshare_list_bytype_all`).
public struct DocumentSchemas: CompoundValue {
    /// A type of documents and the carenets that see every document of it.
    public struct DocumentSchema: CompoundValue {
        /// The type's URI, such as `http://indivo.org/vocab/xml/documents#Equipment`.
        @Field(in: .attribute) public var type: String
        /// The carenets with which documents of the type are shared.
        @Field("Carenet") public var carenets: [Carenet]

        /// A type that is shared with nobody.
        public init() {}
    }

    /// The types that are shared.
    @Field("DocumentSchema") public var types: [DocumentSchema]

    /// No type is shared.
    public init() {}
}
