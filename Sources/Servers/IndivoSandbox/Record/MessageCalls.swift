import Foundation
import GRDB

/// The calls by which messages and notifications about a record reach its accounts, and the accounts'
/// inboxes.
enum MessageCalls {
    static let routes: [Route] =
        Route.below(
            "/records/{record}",
            [
                .post("record_send_message", "/inbox/{message}", .message) { call in
                    let form = call.request.form
                    for account in try call.record.recipients(in: call.db) {
                        _ = try deliver(
                            form,
                            to: account,
                            record: call.record.id,
                            externalId: call["message"],
                            call
                        )
                    }
                    return .ok
                },
                // An attachment to a message nobody has is accepted, and goes nowhere.
                .post("record_message_attach", "/inbox/{message}/attachments/{number}", .message) { call in
                    // Whoever sent it: the real server asks for the record and the id alone.
                    let messages = try MessageRow.all(
                        "WHERE record = ? AND externalId = ?",
                        [call.record.id, call["message"]],
                        in: call.db
                    )
                    for message in messages {
                        guard let number = PythonText.integer(call["number"]),
                            number <= message.attachmentCount, Int32(exactly: number) != nil
                        else {
                            let count = message.attachmentCount
                            throw Refusal.serverFails(why: "the message announced \(count) attachments")
                        }
                        let content: DocumentContent
                        do {
                            content = try DocumentContent(call.request.body, contentType: "application/xml")
                        } catch let error as ContentError {
                            throw Refusal.serverFails(why: error.sentence)
                        }
                        let problem =
                            "Duplicate attachment number. Each attachment number must be unique and 1-indexed"
                        try require(
                            AttachmentRow.find(message.id, number, in: call.db) == nil,
                            .badRequest(problem)
                        )
                        let type = content.type ?? ""
                        try Refusal.check("type of an attachment", type, hasAtMost: 250)
                        try AttachmentRow(
                            message: message.id,
                            number: number,
                            type: type,
                            content: content.data
                        ).insert(call.db)
                    }
                    return .ok
                },
                .post("record_notify", "/notifications/", .message, notify),
                .post("record_notify", "/notify", .message, notify),
            ]
        )
        + Route.below(
            "/accounts/{account}",
            [
                .get("account_inbox", "/inbox/", .ownerAccount) { call in
                    let archived =
                        call.request.query["include_archive"] == nil ? " AND archivedAt IS NULL" : ""
                    let rest = try "WHERE account = ?\(archived) ORDER BY \(order(call, messageColumns))"
                    let messages = try MessageRow.all(rest, [call.account.id], in: call.db)
                    let markup = try messages.map { try $0.markup(in: call.db, isListed: true) }
                    return .xml("<Messages>\(markup)</Messages>")
                },
                .post("account_send_message", "/inbox/", .admin) { call in
                    let form = call.request.form
                    let message = try deliver(form, to: call.account.id, externalId: form["message_id"], call)
                    return .xml(try message.markup(in: call.db))
                },
                Route(["GET"], "account_inbox_message", "/inbox/{message}", .ownerAccount) { call in
                    var message = try call.inboxMessage
                    if message.readAt == nil {
                        message.readAt = call.now
                        try message.update(call.db, columns: ["readAt"])
                    }
                    return .xml(try message.markup(in: call.db))
                },
                .post("account_message_archive", "/inbox/{message}/archive", .ownerAccount) {
                    try $0.execute(
                        "UPDATE message SET archivedAt = ifnull(archivedAt, ?) WHERE id = ?",
                        [$0.now, $0.inboxMessage.id]
                    )
                },
                // Takes an attachment into the record, as a document of the sender's making.
                .post(
                    "account_inbox_message_attachment_accept",
                    "/inbox/{message}/attachments/{number}/accept",
                    .ownerAccount
                ) { call in
                    let message = try call.inboxMessage
                    let text = call["number"]
                    let number = try PythonText.integer(text).orThrow(
                        .badRequest("invalid literal for int() with base 10: '\(text)'")
                    )
                    guard let record = message.record,
                        let attachment = try AttachmentRow.find(message.id, number, in: call.db)
                    else { throw Refusal.serverFails(why: "the message has no attachment \(number)") }
                    let isNew = attachment.document == nil
                    try require(isNew, .serverFails(why: "the attachment was accepted before"))
                    let document = try call.store.create(
                        DocumentContent(attachment.content, contentType: "application/xml"),
                        in: DocumentScope(record: record),
                        by: call.principal.effective
                    )
                    return try call.execute(
                        "UPDATE attachment SET document = ? WHERE message = ? AND number = ?",
                        [document.id, message.id, number]
                    )
                },
                .get("account_notifications", "/notifications/", .ownerAccount) { call in
                    let rest = try "WHERE account = ? ORDER BY \(order(call, notificationColumns))"
                    let notifications = try NotificationRow.all(rest, [call.account.id], in: call.db)
                    let markup = try notifications.map { try $0.markup(in: call.db) }
                    return .xml("<Notifications>\(markup)</Notifications>")
                },
            ]
        )

    private static func deliver(
        _ form: FormFields,
        to account: String,
        record: String? = nil,
        externalId: String?,
        _ call: Call
    ) throws -> MessageRow {
        let sender = call.principal.effective.id
        // No message has an id that is nil.
        let same = "message WHERE account = ? AND sender = ? AND externalId = ?"
        let isKnown = try call.db.exists(same, [account, sender, externalId])
        try require(!isKnown, .badRequest("Duplicate external id. Each message requires a unique message_id"))
        let subject = form["subject"] ?? "[no subject]"
        let severity = form["severity"] ?? "low"
        let bodyType = form["body_type"] ?? "plaintext"
        try check(form)
        try Refusal.check("message_id", externalId ?? "", hasAtMost: 250)
        try Refusal.check("subject", subject, hasAtMost: 100)
        try Refusal.check("severity", severity, hasAtMost: 100)
        try Refusal.check("body_type", bodyType, hasAtMost: 100)
        let number = PythonText.integer(form["num_attachments"] ?? "0").flatMap { Int32(exactly: $0) }
        let count = try number.orThrow(.serverFails(why: "num_attachments must be a number of 32 bits"))
        let message = MessageRow(
            id: call.server.identifiers.id(.message),
            account: account,
            sender: sender,
            record: record,
            externalId: externalId,
            subject: subject,
            body: form["body"] ?? "[no body]",
            bodyType: bodyType,
            severity: severity,
            attachmentCount: Int(count),
            receivedAt: call.now
        )
        try message.insert(call.db)
        return message
    }

    private static func check(_ form: FormFields) throws {
        let isText = !form.pairs.contains { $0.value.hasZeroByte }
        try require(isText, .serverFails(why: ContentError.zeroByte.sentence))
    }

    private static func notify(_ call: Call) throws -> Response {
        let form = call.request.form
        let content = try form["content"].orThrow(.badRequest())
        let appURL = form["app_url"]
        try check(form)
        try Refusal.check("notification", content, hasAtMost: 500)
        try Refusal.check("app_url", appURL ?? "", hasAtMost: 500)
        let record = try call.record
        // An empty one means none.
        let about = form["document_id"].flatMap { $0.isEmpty ? nil : $0 }
        if let id = about {
            let document = try DocumentRow.find(id, in: call.db).orThrow(
                .serverFails(why: "there is no document \(id)")
            )
            let why = "the document of the notification is another record's"
            try require(document.record == record.id, .permissionDenied(why: why))
        }
        for account in try record.recipients(in: call.db) {
            try NotificationRow(
                id: call.server.identifiers.id(.notification),
                account: account,
                sender: call.principal.effective.id,
                record: record.id,
                document: about,
                appURL: appURL,
                content: content,
                receivedAt: call.now
            ).insert(call.db)
        }
        return .ok
    }

    private static let messageColumns = [
        "received_at": "receivedAt", "read_at": "readAt", "archived_at": "archivedAt", "subject": "subject",
        "severity": "severity", "body": "body", "sender": "sender", "id": "id", "created_at": "receivedAt",
    ]
    private static let notificationColumns = [
        "created_at": "receivedAt", "content": "content", "sender": "sender", "id": "id",
    ]

    /// The order asked for; the newest first unless there is one.
    private static func order(_ call: Call, _ columns: [String: String]) throws -> String {
        let list = try ListArguments(call.request.query)
        return try list.order(columns) ?? newestFirst
    }

    private static let newestFirst = "receivedAt DESC, serial DESC"
}

extension Call {
    /// The message of the account that the URL names.
    fileprivate var inboxMessage: MessageRow {
        get throws {
            try MessageRow.first("WHERE id = ? AND account = ?", [self["message"], account.id], in: db)
                .orThrow(.serverFails(why: "the inbox has no message \(self["message"])"))
        }
    }
}
