/// A message in an account's inbox (element `Message`).
public struct Message: CompoundValue {
    /// How urgent a message is. Servers take and give any text, so that there are more than the known ones.
    public struct Severity: LexicalValue, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The text in the message.
        public let name: String

        public init(_ name: String) { self.name = name }
        public init(lexical text: String) { name = text }
        public init(stringLiteral name: String) { self.name = name }
        public var lexical: String { name }
        public var description: String { name }

        public static let low = Severity("low")
        public static let medium = Severity("medium")
        public static let high = Severity("high")
    }

    /// A document that came with the message.
    public struct Attachment: CompoundValue {
        /// Counted from 1.
        @Field("num", in: .attribute) public var number: Int?
        /// The type of the attached document.
        @Field(in: .attribute) public var type: String?
        /// In bytes; lists repeat the type here.
        @Field(in: .attribute) public var size: String?
        /// The document's id once it was accepted into the record.
        @Field("doc_id", in: .attribute) public var documentID: String?

        public init() {}
    }

    /// The record a message is about.
    public struct RecordReference: CompoundValue {
        @Field(in: .attribute) public var id: String?
        @Field(in: .attribute) public var label: String?

        public init() {}
    }

    /// The server's id, not the one chosen when the message was sent.
    @Field(in: .attribute) public var id: String
    @Field public var sender: String?
    @Field("received_at") public var receivedAt: XMLDateTime?
    @Field("read_at") public var readAt: XMLDateTime?
    @Field("archived_at") public var archivedAt: XMLDateTime?
    @Field public var subject: String?
    /// Lists leave it out. Markdown has become HTML.
    @Field public var body: String?
    @Field public var severity: Severity?
    @Field public var record: RecordReference?
    @Field("attachment") public var attachments: [Attachment]

    public init() {}
}

/// An inbox (element `Messages`).
public struct Messages: CompoundValue {
    @Field("Message") public var messages: [Message]

    public init() {}
}

/// A notification of an account (element `Notification`).
public struct AccountNotification: CompoundValue {
    @Field(in: .attribute) public var id: String
    @Field public var sender: String?
    @Field("received_at") public var receivedAt: XMLDateTime?
    @Field public var content: String?
    @Field public var record: Message.RecordReference?
    @Field public var document: Message.RecordReference?

    public init() {}
}

/// An account's notifications (element `Notifications`).
public struct Notifications: CompoundValue {
    @Field("Notification") public var notifications: [AccountNotification]

    public init() {}
}
