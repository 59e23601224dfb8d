/// Part of a record that is shared with a group of people (element `Carenet`).
public struct Carenet: CompoundValue {
    /// The carenet's id.
    @Field(in: .attribute) public var id: String
    /// The carenet's name, such as `Family`.
    @Field(in: .attribute) public var name: String?
    /// Always `explicit`.
    @Field(in: .attribute) public var mode: String?

    public init() {}
}

/// A list of carenets (element `Carenets`).
public struct Carenets: CompoundValue {
    /// The record's id.
    @Field("record_id", in: .attribute) public var recordID: String?
    /// The carenets, in the server's order.
    @Field("Carenet") public var carenets: [Carenet]

    public init() {}
}

extension Carenet {
    /// A member of a carenet (element `CarenetAccount`).
    public struct Account: CompoundValue {
        /// The account's e-mail address.
        @Field(in: .attribute) public var id: String
        /// The person's name.
        @Field(in: .attribute) public var fullName: String?
        /// Whether the person may also write.
        @Field("write", in: .attribute) public var mayWrite: Bool?

        public init() {}
    }
}

/// The members of a carenet (element `CarenetAccounts`).
public struct CarenetAccounts: CompoundValue {
    /// The members, in the server's order.
    @Field("CarenetAccount") public var accounts: [Carenet.Account]

    public init() {}
}
