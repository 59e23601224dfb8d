/// Part of a record that is shared with a group of people (element `Carenet`).
public struct Carenet: CompoundValue {
    @Field(in: .attribute) public var id: String
    @Field(in: .attribute) public var name: String?
    /// Always `explicit`.
    @Field(in: .attribute) public var mode: String?

    public init() {}
}

/// A list of carenets (element `Carenets`).
public struct Carenets: CompoundValue {
    @Field("record_id", in: .attribute) public var recordID: String?
    @Field("Carenet") public var carenets: [Carenet]

    public init() {}
}

/// A member of a carenet (element `CarenetAccount`).
public struct CarenetAccount: CompoundValue {
    /// The account's e-mail address.
    @Field(in: .attribute) public var id: String
    @Field(in: .attribute) public var fullName: String?
    @Field("write", in: .attribute) public var mayWrite: Bool?

    public init() {}
}

/// The members of a carenet (element `CarenetAccounts`).
public struct CarenetAccounts: CompoundValue {
    @Field("CarenetAccount") public var accounts: [CarenetAccount]

    public init() {}
}
