import Foundation
import GRDB

struct MessageMarkup {
    let db: Database

    /// An inbox. Here an attachment's type stands where its size should.
    func messages(_ messages: [MessageRow]) throws -> Markup {
        let items = try messages.map { message -> Markup in
            let attachments = try self.attachments(of: message).map { attachment -> Markup in
                """
                <attachment num="\(attachment.number)" type="\(attachment.type)" size="\(attachment.type)" />
                """
            }
            return """
                <Message id="\(message.id)"><sender>\(message.sender)</sender>\
                <received_at>\(message.receivedAt.text)</received_at>\
                <read_at>\(message.readAt?.text ?? "")</read_at>\
                <archived_at>\(message.archivedAt?.text ?? "")</archived_at>\
                <subject>\(message.subject)</subject><severity>\(message.severity)</severity>\
                \(recordElement(message))\(attachments)</Message>
                """
        }
        return "<Messages>\(items)</Messages>"
    }

    /// One message, with its body.
    func message(_ message: MessageRow) throws -> Markup {
        let attachments = try self.attachments(of: message).map { attachment -> Markup in
            var markup: Markup = """
                <attachment num="\(attachment.number)" type="\(attachment.type)" size="\(attachment.content.count)"
                """
            if let document = attachment.document { markup += " doc_id=\"\(document)\"" }
            return markup + " />"
        }
        var markup: Markup = """
            <Message id="\(message.id)"><sender>\(message.sender)</sender>\
            <received_at>\(message.receivedAt.text)</received_at>
            """
        if let at = message.readAt { markup += "<read_at>\(at.text)</read_at>" }
        if let at = message.archivedAt { markup += "<archived_at>\(at.text)</archived_at>" }
        let body = message.bodyType == "markdown" ? MessageMarkup.html(markdown: message.body).description : message.body
        return markup + """
            <subject>\(message.subject)</subject><body>\(body)</body><severity>\(message.severity)</severity>\
            \(recordElement(message))\(attachments)</Message>
            """
    }

    func notifications(_ notifications: [NotificationRow]) throws -> Markup {
        let items = try notifications.map { notification -> Markup in
            let label = try RecordRow.find(notification.record, in: db)?.label ?? ""
            var document: Markup = "<document />"
            if let id = notification.document {
                let row = try DocumentRow.fetchFirst(db, "id = ?", [id])
                document = "<document id=\"\(id)\" label=\"\(row?.label ?? "None")\" />"
            }
            return """
                <Notification id="\(notification.id)"><sender>\(notification.sender)</sender>\
                <received_at>\(notification.receivedAt.text)</received_at><content>\(notification.content)</content>\
                <record id="\(notification.record)" label="\(label)" />\(document)</Notification>
                """
        }
        return "<Notifications>\(items)</Notifications>"
    }

    private func attachments(of message: MessageRow) throws -> [AttachmentRow] {
        try AttachmentRow.fetchAll(db, sql: "SELECT * FROM attachment WHERE message = ? ORDER BY number", arguments: [message.id])
    }

    private func recordElement(_ message: MessageRow) -> Markup {
        message.record.map { "<record id=\"\($0)\" />" } ?? .empty
    }

    /// The little of Markdown that messages are written in: paragraphs, emphasis and links. Everything else stays text.
    private static func html(markdown text: String) -> Markup {
        Markup(
            text.replacing("\r\n", with: "\n").split(separator: "\n\n").map { paragraph in
                var inline = Markup.escape(paragraph.trimmingCharacters(in: .newlines))
                inline.replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/) { "<a href=\"\($0.output.2)\">\($0.output.1)</a>" }
                inline.replace(/\*\*([^*]+)\*\*/) { "<strong>\($0.output.1)</strong>" }
                inline.replace(/\*([^*]+)\*/) { "<em>\($0.output.1)</em>" }
                return "<p>\(Markup(trusted: inline))</p>"
            })
    }
}
