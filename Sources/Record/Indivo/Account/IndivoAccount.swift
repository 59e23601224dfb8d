import OAuth1

/// A person's account, limited to what an app that they granted a token may see.
///
/// ```swift
/// let account = record.account("ana@example.org")
/// for message in try await account.inbox() { print(message.subject ?? "") }
/// ```
public struct IndivoAccount: Sendable {
    /// The server that has the account.
    public let server: IndivoServer
    /// The account's e-mail address.
    public let id: String
    let token: OAuthToken

    /// The account itself (`account_info`).
    /// - Throws: ``IndivoError``.
    public func information() async throws -> Account { try await send(.accountInfo).value(Account.self) }

    /// The records that the account owns, or that are shared with it (`record_list`). A record that is shared
    /// through several carenets is listed once for each.
    /// - Throws: ``IndivoError``.
    public func records() async throws -> [Account.Record] {
        try await send(.recordList).value(RecordList.self).records
    }

    // MARK: Messages

    /// The account's messages, without their bodies (`account_inbox`).
    /// - Throws: ``IndivoError``.
    public func inbox(includingArchived: Bool = false) async throws -> [Message] {
        try await send(.accountInbox, query: includingArchived ? ["include_archive": "1"] : [:]).value(
            Messages.self
        ).messages
    }

    /// Fetches a message with its body, and marks it as read (`account_inbox_message`).
    /// - Throws: ``IndivoError``, not found for an id that is not in the inbox, although the server itself
    ///   responds with 500.
    public func message(_ id: String) async throws -> Message {
        try await send(.accountInboxMessage, path: ["message": id]).value(Message.self)
    }

    /// Archives a message (`account_message_archive`).
    /// - Throws: ``IndivoError``, not found for a message that the inbox does not have.
    public func archive(_ message: Message) async throws {
        _ = try await send(.accountMessageArchive, path: ["message": message.id])
    }

    /// Takes an attachment into the record (`account_inbox_message_attachment_accept`).
    /// - Throws: ``IndivoError``; a server fails (500) on one that was accepted before.
    public func acceptAttachment(_ attachment: Message.Attachment, of message: Message) async throws {
        let call = IndivoCall.accountAttachmentAccept
        guard let number = attachment.number else { throw call.refused("the attachment has no number") }
        try call.require(attachment.documentID?.isEmpty ?? true, "the attachment is in the record already")
        _ = try await send(call, path: ["message": message.id, "number": String(number)])
    }

    /// The account's notifications (`account_notifications`).
    /// - Throws: ``IndivoError``.
    public func notifications() async throws -> [Account.Notification] {
        try await send(.accountNotifications).value(Notifications.self).notifications
    }

    // MARK: Preferences

    /// The preferences that the app keeps for the account (`get_user_preferences`); empty when there are
    /// none.
    ///
    /// A response without a length could be truncated. JSON and XML are accepted if they are complete; any
    /// other content is requested again until two responses in a row are equal.
    /// - Throws: ``IndivoError``.
    public func preferences() async throws -> FileContent {
        try await sendUntilWhole(.getUserPreferences).content
    }

    /// Stores the app's preferences for the account (`set_user_preferences`), replacing those stored before.
    /// - Parameter preferences: XML, or text of any kind.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func setPreferences(_ preferences: FileContent) async throws -> DocumentMetadata {
        try await store(preferences, .setUserPreferences)
    }

    /// Deletes the app's preferences for the account (`delete_user_preferences`).
    /// - Throws: ``IndivoError``.
    public func deletePreferences() async throws { _ = try await send(.deleteUserPreferences) }
}

extension IndivoAccount: CallScope {
    var credentials: OAuthCredentials? { OAuthCredentials(consumer: server.app.consumer, token: token) }
    var variables: [String: String] { ["account": id, "app": server.app.id] }
}
