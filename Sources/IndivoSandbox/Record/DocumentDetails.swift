import GRDB
import OrderedJSON

/// What metadata report of documents beyond their own rows: who made them, which version is the latest, and how they are
/// related. It is fetched for a whole list at once, in four queries however long the list is.
struct DocumentDetails {
    struct Relation {
        var type: String
        var count: Int
    }

    private struct Principal: Hashable {
        var id: String
        var type: String
    }

    private var names: [Principal: String] = [:]
    /// The latest version by the id of the first.
    private var latest: [String: DocumentRow] = [:]
    private var asSubject: [String: [Relation]] = [:]
    private var asObject: [String: [Relation]] = [:]

    init(of documents: [DocumentRow], in db: Database) throws {
        let creators = Set(documents.map { Principal(id: $0.creator, type: $0.creatorType) })
        for (type, table, column) in [
            ("Account", "account", "fullName"), ("PHA", "app", "name"), ("MachineApp", "machineApp", "name"),
        ] {
            let ids = creators.filter { $0.type == type }.map(\.id)
            guard !ids.isEmpty else { continue }
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: "SELECT id, \(column) AS name FROM \(table) WHERE id IN \(DocumentDetails.list)"),
                arguments: [DocumentDetails.json(ids)])
            for row in rows { names[Principal(id: row["id"], type: type)] = row["name"] as String }
        }
        // A version that none replaces is the latest itself.
        let originals = Set(documents.filter { $0.replacedBy != nil }.map(\.original))
        if !originals.isEmpty {
            let rows = try DocumentRow.fetch(
                db, "replacedBy IS NULL AND original IN \(DocumentDetails.list)", [DocumentDetails.json(originals)])
            for row in rows { latest[row.original] = row }
        }
        asSubject = try DocumentDetails.relations(of: "subject", documents, in: db)
        asObject = try DocumentDetails.relations(of: "object", documents, in: db)
    }

    /// The full name of a document's creator, "" for nobody and for one that is gone.
    func creatorName(of document: DocumentRow) -> String {
        names[Principal(id: document.creator, type: document.creatorType)] ?? ""
    }

    func latestVersion(of document: DocumentRow) -> DocumentRow? {
        document.replacedBy == nil ? document : latest[document.original]
    }

    /// The relations in which a document is the subject.
    func relationsFrom(_ document: DocumentRow) -> [Relation] { asSubject[document.id] ?? [] }

    /// The relations in which a document is the object.
    func relationsTo(_ document: DocumentRow) -> [Relation] { asObject[document.id] ?? [] }

    private static func relations(
        of end: String, _ documents: [DocumentRow], in db: Database
    ) throws -> [String: [Relation]] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(end) AS document, type, count(*) AS number FROM relation WHERE \(end) IN \(list)
                    GROUP BY document, type ORDER BY min(serial)
                    """),
            arguments: [json(documents.map(\.id))])
        var relations: [String: [Relation]] = [:]
        for row in rows {
            relations[row["document"], default: []].append(Relation(type: row["type"], count: row["number"]))
        }
        return relations
    }

    /// One argument for a list of any length: SQLite allows a statement only so many.
    private static let list = "(SELECT value FROM json_each(?))"

    private static func json(_ ids: some Sequence<String>) -> String {
        JSONValue(ids.map { JSONValue($0) }).text()
    }
}
