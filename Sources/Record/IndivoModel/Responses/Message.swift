/// A message in an account's inbox (element `Message`).
public struct Message: ServerResponse {
    /// How urgent a message is. Servers accept any text, so that values other than the known ones occur.
    public struct Severity: LexicalValue, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The text in the message.
        public let name: String

        /// A severity by its text.
        public init(_ name: String) { self.name = name }
        public init(lexical text: String) { name = text }
        public var lexical: String { name }

        /// The least urgent.
        public static let low = Severity("low")
        /// Urgent.
        public static let medium = Severity("medium")
        /// The most urgent.
        public static let high = Severity("high")
    }

    /// A document that came with the message.
    public struct Attachment: CompoundValue {
        /// Counted from 1.
        @Field("num", in: .attribute) public var number: Int?
        /// The type of the attached document.
        @Field(in: .attribute) public var type: String?
        /// In bytes; lists have the type here again.
        @Field(in: .attribute) public var size: String?
        /// The document's id once it was accepted into the record.
        @Field("doc_id", in: .attribute) public var documentID: String?

        public init() {}
    }

    /// The record a message is about.
    public struct RecordReference: CompoundValue {
        /// The record's id.
        @Field(in: .attribute) public var id: String?
        /// The record's label.
        @Field(in: .attribute) public var label: String?

        public init() {}
    }

    /// The server's id, not the one chosen when the message was sent.
    @Field(in: .attribute) public var id: String
    /// The id of the app, or the e-mail address of the account, that sent it.
    @Field public var sender: String?
    /// When it arrived.
    @Field("received_at") public var receivedAt: XMLDateTime?
    /// When the person read it; `nil` for one that is new.
    @Field("read_at") public var readAt: XMLDateTime?
    /// When the person put it away; `nil` for one in the inbox.
    @Field("archived_at") public var archivedAt: XMLDateTime?
    /// What it is about.
    @Field public var subject: String?
    /// Lists leave it out. Markdown has become HTML.
    @Field public var body: String?
    /// How urgent it is.
    @Field public var severity: Severity?
    /// The record it is about.
    @Field public var record: RecordReference?
    /// The documents that came with it.
    @Field("attachment") public var attachments: [Attachment]

    public init() {}
}

/// An inbox (element `Messages`).
package struct Messages: ServerResponse {
    @Field("Message") package var messages: [Message]

    package init() {}
}
