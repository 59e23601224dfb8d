/// Part of a record that is shared with a group of people (element `Carenet`).
public struct Carenet: CompoundValue {
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

    /// The carenet's id.
    @Field(in: .attribute) public var id: String
    /// The carenet's name, such as `Family`.
    @Field(in: .attribute) public var name: String?
    /// Always `explicit`.
    @Field(in: .attribute) public var mode: String?

    public init() {}
}

/// A list of carenets (element `Carenets`).
package struct Carenets: ServerResponse {
    @Field("record_id", in: .attribute) package var recordID: String?
    @Field("Carenet") package var carenets: [Carenet]

    package init() {}
}

/// The members of a carenet (element `CarenetAccounts`).
package struct CarenetAccounts: ServerResponse {
    @Field("CarenetAccount") package var accounts: [Carenet.Account]

    package init() {}
}
