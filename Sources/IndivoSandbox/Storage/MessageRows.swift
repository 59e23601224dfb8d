import Foundation
import GRDB

struct MessageRow: Codable, TableRow, PersistableRecord {
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
}

/// A document that came with a message, not yet in the record unless `document` says so.
struct AttachmentRow: Codable, TableRow, PersistableRecord {
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
    var serial: Int64?
    var id, account, sender, record: String
    var document, appURL: String?
    var content: String
    var receivedAt: Timestamp
}
