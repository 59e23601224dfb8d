/// An account of a person on a server (element `Account`).
public struct Account: CompoundValue {
    /// Where an account stands.
    public enum State: String, LexicalValue, CaseIterable {
        case uninitialized, active, disabled, retired
    }

    /// A way to log in.
    public struct AuthSystem: CompoundValue {
        @Field(in: .attribute) public var name: String?
        @Field("username", in: .attribute) public var userName: String?

        public init() {}
    }

    /// The e-mail address that names the account.
    @Field(in: .attribute) public var id: String
    @Field public var fullName: String?
    @Field public var contactEmail: String?
    @Field public var lastLoginAt: XMLDateTime?
    @Field public var totalLoginCount: Int?
    @Field public var failedLoginCount: Int?
    @Field public var state: State?
    @Field public var lastStateChange: XMLDateTime?
    @Field("authSystem") public var authSystems: [AuthSystem]

    public init() {}
}
