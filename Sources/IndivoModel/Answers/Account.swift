/// An account of a person on a server (element `Account`).
public struct Account: CompoundValue {
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
