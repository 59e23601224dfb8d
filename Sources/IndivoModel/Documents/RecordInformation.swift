/// What a server says of a record (element `Record`).
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
