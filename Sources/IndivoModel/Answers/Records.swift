/// What a server says of one record (element `Record`).
public struct RecordInformation: CompoundValue {
    /// The document that holds the demographics.
    public struct DemographicsReference: CompoundValue {
        @Field("document_id", in: .attribute) public var documentID: String?

        public init() {}
    }

    /// When and by whom the record was made.
    public struct Creation: CompoundValue {
        @Field(in: .attribute) public var at: XMLDateTime?
        @Field(in: .attribute) public var by: String?

        public init() {}
    }

    @Field(in: .attribute) public var id: String
    /// The name given to the record when it was made, mostly the patient's.
    @Field(in: .attribute) public var label: String
    @Field public var demographics: DemographicsReference?
    @Field public var created: Creation?

    public init() {}
}

/// A record in an account's list (element `Record` of `Records`). The same record can occur more than once, once for
/// each carenet through which it is shared.
public struct RecordListing: CompoundValue {
    @Field(in: .attribute) public var id: String
    /// The record's label; that of a shared one ends in `(shared)` or `(carenet)`.
    @Field(in: .attribute) public var label: String
    @Field("shared", in: .attribute) public var isShared: Bool?
    @Field("role_label", in: .attribute) public var roleLabel: String?
    @Field("carenet_id", in: .attribute) public var carenetID: String?
    @Field("carenet_name", in: .attribute) public var carenetName: String?

    public init() {}
}

/// An account's records (element `Records`).
public struct RecordList: CompoundValue {
    @Field("Record") public var records: [RecordListing]

    public init() {}
}
