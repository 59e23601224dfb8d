import Foundation
import GRDB

struct MessageRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "message"
    var serial: Int64?
    var id, account, sender: String
    var record: String?
    /// The id that the sender gave it.
    var externalId: String?
    var subject, body: String
    /// `plaintext` or `markdown`.
    var bodyType: String
    var severity: String
    /// How many attachments the sender announced.
    var attachmentCount: Int
    var receivedAt: Timestamp
    var readAt, archivedAt: Timestamp?

    /// - Parameter isListed: Whether it stands in an inbox: without its body, and an attachment's type where
    ///   its size should be.
    func markup(in db: Database, isListed: Bool = false) throws -> Markup {
        let attachments = try AttachmentRow.all("WHERE message = ? ORDER BY number", [id], in: db).map {
            attachment -> Markup in
            let size = isListed ? attachment.type : String(attachment.content.count)
            let document: Markup? = isListed ? nil : attachment.document.map { " doc_id=\"\($0)\"" }
            return
                """
                <attachment num="\(attachment.number)" type="\(attachment.type)" \
                size="\(size)"\(document) />
                """
        }
        func time(_ name: Markup, _ at: Timestamp?) -> Markup? {
            at == nil && !isListed ? nil : "<\(name)>\(at?.text ?? "")</\(name)>"
        }
        let html = bodyType == "markdown" && !isListed ? MessageRow.html(markdown: body).description : body
        return """
            <Message id="\(id)"><sender>\(sender)</sender><received_at>\(receivedAt.text)</received_at>\
            \(time("read_at", readAt))\(time("archived_at", archivedAt))<subject>\(subject)</subject>\
            \(isListed ? nil : "<body>\(html)</body>")<severity>\(severity)</severity>\
            \(record.map { "<record id=\"\($0)\" />" })\(attachments)</Message>
            """
    }

    /// The little of Markdown that messages are written in: paragraphs, emphasis and links. Everything else
    /// stays text.
    private static func html(markdown text: String) -> Markup {
        Markup(
            text.replacing("\r\n", with: "\n").split(separator: "\n\n").map { paragraph in
                var inline = Markup.escape(paragraph.trimmingCharacters(in: .newlines))
                inline.replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/) {
                    "<a href=\"\($0.output.2)\">\($0.output.1)</a>"
                }
                inline.replace(/\*\*([^*]+)\*\*/) { "<strong>\($0.output.1)</strong>" }
                inline.replace(/\*([^*]+)\*/) { "<em>\($0.output.1)</em>" }
                return "<p>\(Markup(trusted: inline))</p>"
            }
        )
    }
}

/// A document that came with a message, not yet in the record unless `document` says so.
struct AttachmentRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "attachment"
    var message: String
    var number: Int
    var type: String
    var content: Data
    var document: String?

    static func find(_ message: String, _ number: Int, in db: Database) throws -> AttachmentRow? {
        try first("WHERE message = ? AND number = ?", [message, number], in: db)
    }
}

struct NotificationRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "notification"
    var serial: Int64?
    var id, account, sender, record: String
    var document, appURL: String?
    var content: String
    var receivedAt: Timestamp

    func markup(in db: Database) throws -> Markup {
        let label = try RecordRow.find(record, in: db)?.label ?? ""
        let title = try DocumentRow.find(document, in: db)?.label ?? "None"
        let about: Markup = document.map { "<document id=\"\($0)\" label=\"\(title)\" />" } ?? "<document />"
        return """
            <Notification id="\(id)"><sender>\(sender)</sender><received_at>\(receivedAt.text)</received_at>\
            <content>\(content)</content><record id="\(record)" label="\(label)" />\(about)</Notification>
            """
    }
}
