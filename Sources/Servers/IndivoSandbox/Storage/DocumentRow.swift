import Foundation
import GRDB

struct DocumentRow: Sendable {
    static let databaseTableName = "document"
    var serial: Int64?
    var id: String
    /// The record it belongs to; nil for an app's own storage.
    var record: String?
    /// The app in whose storage it is; nil for a document of the record itself.
    var app: String?
    var account: String?
    var externalId: String?
    /// Namespace and name of the root element, put together without a separator; nil where the content is not
    /// XML.
    var type: String?
    /// The type of a binary document; nil for text, which is always served as `application/xml`.
    var mimeType: String?
    var size: Int
    var digest: String
    var label: String?
    var status: String
    var neverShare: Bool
    var createdAt: Timestamp
    /// The principal that made it, "" when none is known.
    var creator: String
    /// `Account`, `PHA`, `MachineApp` or `NoUser`.
    var creatorType: String
    var original: String
    var replaces, replacedBy: String?

    /// The columns above, in their order: everything but the content.
    static let columns = """
        serial, id, record, app, account, externalId, type, mimeType, size, digest, label, status,
        neverShare, createdAt, creator, creatorType, original, replaces, replacedBy
        """
    static let states: Set = ["active", "void", "archived"]

    func insert(_ db: Database, content: Data) throws {
        let marks = databaseQuestionMarks(count: 20)
        try db.cachedStatement(
            sql: "INSERT INTO document (\(DocumentRow.columns), content) VALUES (\(marks))"
        ).execute(
            arguments: [
                serial, id, record, app, account, externalId, type, mimeType, size, digest, label, status,
                neverShare, createdAt,
                creator, creatorType, original, replaces, replacedBy, content,
            ])
    }

    func content(_ db: Database) throws -> Data {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT content FROM document WHERE id = ?"),
            arguments: [id]
        ) ?? Data()
    }
}

extension DocumentRow: IdentifiedRow {
    /// By index and not by name: lists read many.
    init(row: Row) {
        self.init(
            serial: row[0],
            id: row[1],
            record: row[2],
            app: row[3],
            account: row[4],
            externalId: row[5],
            type: row[6],
            mimeType: row[7],
            size: row[8],
            digest: row[9],
            label: row[10],
            status: row[11],
            neverShare: row[12],
            createdAt: row[13],
            creator: row[14],
            creatorType: row[15],
            original: row[16],
            replaces: row[17],
            replacedBy: row[18]
        )
    }
}

struct StatusChangeRow: Codable, TableRow {
    static let databaseTableName = "statusChange"
    var status, reason: String
    var at: Timestamp
    var by: String
}

/// The type of a document: namespace and name of its root element, put together without a separator.
enum DocumentType {
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// Whether the server knows the type: it is shipped with some, and learns those that are shared by type.
    static func isKnown(_ type: String, in db: Database) throws -> Bool {
        try shipped.contains { type == namespace + $0 } || RelationCalls.types.contains(type)
            || db.exists("autoshare WHERE type = ?", [type])
    }

    private static let shipped: Set = [
        "Allergy", "Annotation", "AsthmaActionPlan", "Contact", "Demographics", "EncryptedDocument",
        "Equipment", "Genotype",
        "HBA1C", "Immunization", "Lab", "Medication", "Models", "Problem", "Procedure", "SchoolForm",
        "SimpleClinicalNote",
        "Survey", "SurveyAnswers", "UserPreferences", "VitalSign",
    ]

    static func expand(_ name: String) -> String {
        name.contains(":") || name.contains("/") ? name : namespace + name
    }
}
