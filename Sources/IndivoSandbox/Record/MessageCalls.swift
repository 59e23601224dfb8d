import Foundation
import GRDB

/// The calls by which messages and notifications about a record reach its accounts, and the accounts' inboxes.
enum MessageCalls {
    static let routes: [Route] = [
        .post("record_send_message", "/records/{record}/inbox/{message}", .message, send),
        .post("record_message_attach", "/records/{record}/inbox/{message}/attachments/{number}", .message, attach),
        .post("record_notify", "/records/{record}/notifications/", .message, notify),
        .post("record_notify", "/records/{record}/notify", .message, notify),
        .get("account_inbox", "/accounts/{account}/inbox/", .ownerAccount, inbox),
        .post("account_send_message", "/accounts/{account}/inbox/", .admin, sendToAccount),
        .get("account_inbox_message", "/accounts/{account}/inbox/{message}", .ownerAccount, writes: true, read),
        .post("account_message_archive", "/accounts/{account}/inbox/{message}/archive", .ownerAccount) { call in
            try call.execute("UPDATE message SET archivedAt = ? WHERE id = ?", [call.now, call.inboxMessage.id])
        },
        .post(
            "account_inbox_message_attachment_accept",
            "/accounts/{account}/inbox/{message}/attachments/{number}/accept", .ownerAccount, accept),
        .get("account_notifications", "/accounts/{account}/notifications/", .ownerAccount, notifications),
    ]

    private static func send(_ call: Call) throws -> Response {
        let form = call.request.form
        let record = try call.record
        for account in try record.recipients(in: call.db) {
            _ = try deliver(form, to: account, record: record.id, externalId: call["message"], call)
        }
        return .ok
    }

    private static func sendToAccount(_ call: Call) throws -> Response {
        let form = call.request.form
        let account = try call.account.id
        let message = try deliver(form, to: account, record: nil, externalId: form["message_id"], call)
        return .xml(try MessageMarkup(db: call.db).message(message))
    }

    private static func deliver(
        _ form: FormFields, to account: String, record: String?, externalId: String?, _ call: Call
    ) throws -> MessageRow {
        let sender = call.principal.effective.id
        if let externalId,
            try call.db.exists("message WHERE account = ? AND sender = ? AND externalId = ?", [account, sender, externalId])
        {
            throw Refusal.badRequest("Duplicate external id. Each message requires a unique message_id")
        }
        let subject = form["subject"] ?? "[no subject]"
        let severity = form["severity"] ?? "low"
        // The real server fails on what its columns have no room for, and on a count that is no number.
        try check("message_id", externalId ?? "", hasAtMost: 250)
        try check("subject", subject, hasAtMost: 100)
        try check("severity", severity, hasAtMost: 100)
        guard let count = PythonText.integer(form["num_attachments"] ?? "0") else {
            throw Refusal.badRequest("num_attachments must be a number")
        }
        let message = MessageRow(
            id: call.server.identifiers.id(.message), account: account, sender: sender, record: record,
            externalId: externalId, subject: subject, body: form["body"] ?? "[no body]",
            bodyType: form["body_type"] ?? "plaintext", severity: severity, attachmentCount: count, receivedAt: call.now)
        try message.insert(call.db)
        return message
    }

    /// An attachment to a message nobody has is accepted, and goes nowhere.
    private static func attach(_ call: Call) throws -> Response {
        let messages = try MessageRow.fetchAll(
            call.db, sql: "SELECT * FROM message WHERE record = ? AND sender = ? AND externalId = ?",
            arguments: [try call.record.id, call.principal.effective.id, call["message"]])
        for message in messages {
            // The real server fails on these; what is wrong is said here.
            guard let number = PythonText.integer(call["number"]), number <= message.attachmentCount else {
                throw Refusal.badRequest("The message announced \(message.attachmentCount) attachments")
            }
            let content = try DocumentContent(call.request.body, contentType: "application/xml")
            if try AttachmentRow.find(message.id, number, in: call.db) != nil {
                throw Refusal.badRequest("Duplicate attachment number. Each attachment number must be unique and 1-indexed")
            }
            try AttachmentRow(message: message.id, number: number, type: content.type ?? "", content: content.data).insert(call.db)
        }
        return .ok
    }

    /// Counts as the real server's database does, by code points.
    private static func check(_ name: String, _ text: String, hasAtMost count: Int) throws {
        guard text.unicodeScalars.count <= count else { throw Refusal.badRequest("A \(name) has at most \(count) characters") }
    }

    private static func notify(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let content = form["content"], !content.isEmpty else { throw Refusal.badRequest("") }
        try check("notification", content, hasAtMost: 500)
        let record = try call.record
        // An empty one means none.
        let about = form["document_id"].flatMap { $0.isEmpty ? nil : $0 }
        if let id = about {
            guard let document = try DocumentRow.fetchFirst(call.db, "id = ?", [id]) else {
                throw Refusal.badRequest("There is no document \(id)")
            }
            guard document.record == record.id else {
                throw Refusal.permissionDenied(why: "the document of the notification is another record's")
            }
        }
        for account in try record.recipients(in: call.db) {
            try NotificationRow(
                id: call.server.identifiers.id(.notification), account: account, sender: call.principal.effective.id,
                record: record.id, document: about, appURL: form["app_url"], content: content, receivedAt: call.now
            ).insert(call.db)
        }
        return .ok
    }

    private static func inbox(_ call: Call) throws -> Response {
        let archived = call.request.query["include_archive"] == nil ? " AND archivedAt IS NULL" : ""
        let messages = try MessageRow.fetchAll(
            call.db, sql: "SELECT * FROM message WHERE account = ?\(archived) ORDER BY \(order(call, messageColumns))",
            arguments: [call.account.id])
        return .xml(try MessageMarkup(db: call.db).messages(messages))
    }

    private static let messageColumns = [
        "received_at": "receivedAt", "read_at": "readAt", "archived_at": "archivedAt", "subject": "subject",
        "severity": "severity", "body": "body", "sender": "sender", "id": "id", "created_at": "receivedAt",
    ]
    private static let notificationColumns = ["created_at": "receivedAt", "content": "content", "sender": "sender", "id": "id"]

    /// The order asked for; the newest first unless there is one.
    private static func order(_ call: Call, _ columns: [String: String]) throws -> String {
        let list = try ListArguments(call.request.query)
        return try list.orderBy == "" ? newestFirst : list.order(columns) ?? newestFirst
    }

    private static let newestFirst = "receivedAt DESC, serial DESC"

    private static func read(_ call: Call) throws -> Response {
        var message = try call.inboxMessage
        if message.readAt == nil {
            message.readAt = call.now
            try call.db.execute(sql: "UPDATE message SET readAt = ? WHERE id = ?", arguments: [call.now, message.id])
        }
        return .xml(try MessageMarkup(db: call.db).message(message))
    }

    /// Takes an attachment into the record, as a document of the sender's making.
    private static func accept(_ call: Call) throws -> Response {
        let message = try call.inboxMessage
        guard let number = PythonText.integer(call["number"]), let record = message.record,
            let attachment = try AttachmentRow.find(message.id, number, in: call.db)
        else { throw Refusal.badRequest("The message has no attachment \(call["number"])") }
        guard attachment.document == nil else { throw Refusal.badRequest("The attachment was accepted before") }
        let document = try call.store.create(
            DocumentContent(attachment.content, contentType: "application/xml"), in: DocumentScope(record: record),
            by: call.principal.effective)
        return try call.execute(
            "UPDATE attachment SET document = ? WHERE message = ? AND number = ?", [document.id, message.id, number])
    }

    private static func notifications(_ call: Call) throws -> Response {
        let notifications = try NotificationRow.fetchAll(
            call.db, sql: "SELECT * FROM notification WHERE account = ? ORDER BY \(order(call, notificationColumns))",
            arguments: [call.account.id])
        return .xml(try MessageMarkup(db: call.db).notifications(notifications))
    }
}

extension Call {
    /// The message of the account that the URL names. The real server fails on one that is not there.
    fileprivate var inboxMessage: MessageRow {
        get throws {
            let message = try MessageRow.fetchOne(
                db, sql: "SELECT * FROM message WHERE id = ? AND account = ?",
                arguments: [self["message"], try account.id])
            guard let message else { throw Refusal.badRequest("The inbox has no message \(self["message"])") }
            return message
        }
    }
}
