/// A server's report on a request token to its own pages, before a person agrees to it (element `RequestToken`, call
/// `request_token_info`).
public struct RequestTokenInformation: CompoundValue {
    /// Whether the app is new to the record.
    public enum Kind: String, LexicalValue, CaseIterable {
        /// The app was not given the record before.
        case new
        /// The app has the record already.
        case same
    }

    /// The record or the carenet that the token is bound to; without an id when it is bound to none.
    public struct Reference: CompoundValue {
        /// The id of the record or the carenet.
        @Field(in: .attribute) public var id: String?

        /// Bound to nothing.
        public init() {}
    }

    /// The app that asks, as servers described apps before they had manifests.
    public struct App: CompoundValue {
        /// The app's id, in the form of an e-mail address.
        @Field(in: .attribute) public var id: String
        /// What people call the app.
        @Field public var name: String?
        /// What the app does, in its own words.
        @Field("description") public var details: String?
        /// Whether the app works without a person at its pages.
        @Field("autonomous") public var isAutonomous: CapitalizedBool?
        /// Why the app works on its own; autonomous apps only.
        @Field public var autonomousReason: String?
        /// Whether the app's pages may stand in a frame of the server's.
        @Field("frameable") public var isFrameable: CapitalizedBool?
        /// Whether the app has pages.
        @Field("ui") public var hasUI: CapitalizedBool?

        /// An app without a name.
        public init() {}
    }

    /// The request token, without its secret.
    @Field(in: .attribute) public var token: String
    /// The record that the token is bound to.
    @Field public var record: Reference?
    /// The carenet that the token is bound to.
    @Field public var carenet: Reference?
    /// Whether the app is new to the record.
    @Field public var kind: Kind?
    /// The app that asks.
    @Field("App") public var app: App?
    /// What the app may do; servers of version 2.0 leave it empty.
    @Field("Permissions") public var permissions: Permissions?

    /// A token that is bound to nothing.
    public init() {}
}

/// A boolean as servers spell it about apps: `True` or `False`. Read in any letter case.
public struct CapitalizedBool: LexicalValue, ExpressibleByBooleanLiteral, CustomStringConvertible {
    /// Whether it is true.
    public let isTrue: Bool

    /// A boolean with a capital.
    public init(_ isTrue: Bool) { self.isTrue = isTrue }

    /// A boolean written in code.
    public init(booleanLiteral isTrue: Bool) { self.isTrue = isTrue }

    /// Reads `True` or `False`, in any letter case.
    public init(lexical text: String) throws(LexicalError) { isTrue = try Bool.fromField(text) }

    /// `True` or `False`.
    public var lexical: String { isTrue ? "True" : "False" }
    /// `True` or `False`.
    public var description: String { lexical }
    /// A boolean.
    public static var dataType: DataFieldType { .boolean }
}
