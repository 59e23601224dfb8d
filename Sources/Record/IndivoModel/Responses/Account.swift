/// An account of a person on a server (element `Account`).
public struct Account: ServerResponse {
    /// Where an account stands.
    public enum State: String, LexicalValue, CaseIterable {
        /// Made, and not set up by the person yet.
        case uninitialized
        /// In use.
        case active
        /// Closed for now.
        case disabled
        /// Closed for good.
        case retired
    }

    /// A way to log in.
    public struct AuthSystem: CompoundValue {
        /// The system's name, such as `password`.
        @Field(in: .attribute) public var name: String?
        /// The name by which the person logs in there.
        @Field("username", in: .attribute) public var userName: String?

        public init() {}
    }

    /// A record in an account's list (element `Record` of `Records`). The same record can occur more than
    /// once, once for each carenet through which it is shared.
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
        @Field("carenet_name", in: .attribute) public var carenetName: String?

        public init() {}
    }

    /// A notification of an account (element `Notification`).
    public struct Notification: CompoundValue {
        /// The notification's id.
        @Field(in: .attribute) public var id: String
        /// The id of the app that sent it.
        @Field public var sender: String?
        /// When it arrived.
        @Field("received_at") public var receivedAt: XMLDateTime?
        /// What it says.
        @Field public var content: String?
        /// The record it is about.
        @Field public var record: Message.RecordReference?
        /// The document it is about; a label of `None` stands for nil.
        @Field public var document: Message.RecordReference?

        public init() {}
    }

    /// The e-mail address that names the account.
    @Field(in: .attribute) public var id: String
    /// The person's name.
    @Field public var fullName: String?
    /// Where the person is written to.
    @Field public var contactEmail: String?
    /// The last time somebody logged in; `nil` when nobody has.
    @Field public var lastLoginAt: XMLDateTime?
    /// How often somebody logged in.
    @Field public var totalLoginCount: Int?
    /// How often a login has failed since the last that did not.
    @Field public var failedLoginCount: Int?
    /// Where the account stands.
    @Field public var state: State?
    /// When it came to stand there.
    @Field public var lastStateChange: XMLDateTime?
    /// The ways to log in.
    @Field("authSystem") public var authSystems: [AuthSystem]

    public init() {}
}

/// An account's records (element `Records`).
package struct RecordList: ServerResponse {
    package static let elementName = "Records"
    @Field("Record") package var records: [Account.Record]

    package init() {}
}

/// An account's notifications (element `Notifications`).
package struct Notifications: ServerResponse {
    @Field("Notification") package var notifications: [Account.Notification]

    package init() {}
}
