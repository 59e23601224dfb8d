/// What a server says of one record (element `Record`).
public struct RecordInformation: CompoundValue {
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

extension RecordList {
    /// A record in an account's list (element `Record` of `Records`). The same record can occur more than once, once for
    /// each carenet through which it is shared.
    public struct Record: CompoundValue {
        /// The record's id.
        @Field(in: .attribute) public var id: String
        /// The record's label; that of a shared one ends in `(shared)` or `(carenet)`.
        @Field(in: .attribute) public var label: String
        /// Whether the record is another person's, who shares it.
        @Field("shared", in: .attribute) public var isShared: Bool?
        /// What the account is to the record, such as `Guardian`.
        @Field("role_label", in: .attribute) public var roleLabel: String?
        /// The id of the carenet through which the record is shared.
        @Field("carenet_id", in: .attribute) public var carenetID: String?
        /// The name of that carenet.
        @Field("carenet_name", in: .attribute) public var carenetName: String?

        public init() {}
    }
}

/// An account's records (element `Records`).
public struct RecordList: CompoundValue {
    /// The records, in the server's order.
    @Field("Record") public var records: [Record]

    public init() {}
}
