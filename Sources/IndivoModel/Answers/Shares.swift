/// With whom a record is shared as a whole (element `Shares`, call `record_shares`): people, and apps on their behalf.
public struct Shares: CompoundValue {
    /// One share. Either an account or an app is named; a person's role is not reported here.
    public struct Share: CompoundValue {
        /// The share's id.
        @Field(in: .attribute) public var id: String
        /// The e-mail address of the account that has the share.
        @Field(in: .attribute) public var account: String?
        /// The id of the app that has the share.
        @Field("pha", in: .attribute) public var appID: String?

        /// A share with nobody.
        public init() {}
    }

    /// The record's id.
    @Field("record", in: .attribute) public var recordID: String?
    /// The shares, in the server's order.
    @Field("Share") public var shares: [Share]

    /// No shares.
    public init() {}
}
