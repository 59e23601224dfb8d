/// What a server says of one record (element `Record`).
public struct RecordInformation: ServerResponse {
    package static let elementName = "Record"

    /// The document that holds the demographics.
    public struct DemographicsReference: CompoundValue {
        /// The document's id.
        @Field("document_id", in: .attribute) public var documentID: String?

        public init() {}
    }

    /// When and by whom the record was made.
    public struct Creation: CompoundValue {
        /// When.
        @Field(in: .attribute) public var at: XMLDateTime?
        /// The id of the app, or the e-mail address of the account.
        @Field(in: .attribute) public var by: String?

        public init() {}
    }

    /// The record's id.
    @Field(in: .attribute) public var id: String
    /// The name given to the record when it was made, mostly the patient's.
    @Field(in: .attribute) public var label: String
    /// The document that holds the demographics; `nil` for a record that has none.
    @Field public var demographics: DemographicsReference?
    /// When and by whom the record was made.
    @Field public var created: Creation?

    public init() {}
}
