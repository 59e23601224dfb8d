import GRDB

/// Paging and filters of document lists: `limit`, `offset`, `order_by`, `status`, `type`.
struct DocumentQuery {
    var limit = 100
    var offset = 0
    /// A column of the document, with its direction.
    var order = "createdAt DESC, serial DESC"
    var status: String? = "active"
    var type: String?

    /// Reads the parameters of a list.
    /// - Throws: ``Refusal`` for one the real server does not take.
    init(_ query: FormFields) throws {
        let arguments = try ListArguments(query)
        try arguments.checkPage()
        limit = arguments.limit
        offset = arguments.offset
        status = arguments.status
        type = query["type"].map(DocumentType.expand)
        if let field = arguments.orderBy { order = try DocumentQuery.order(field) }
    }

    init() {}

    /// The columns that documents can be ordered by, by the names the real server has for them.
    private static let columns = [
        "created_at": "createdAt", "label": "label", "size": "size", "digest": "digest", "id": "id", "status": "status",
        "external_id": "externalId", "mime_type": "mimeType", "creator": "creator", "nevershare": "neverShare",
        "original": "original", "replaced_by": "replacedBy", "fqn": "type",
    ]

    private static func order(_ field: String) throws -> String {
        let descends = field.hasPrefix("-")
        let name = descends ? String(field.dropFirst()) : field
        // The real server fails on a column it does not have, and on none.
        guard let column = columns[name] else { throw Refusal.badRequest("Invalid order by field: \(name)") }
        // Ties come in the order of storage, either way; but no two documents of the real server are as old as each other.
        let serial = descends && column == "createdAt" ? "serial DESC" : "serial"
        return "\(column)\(descends ? " DESC" : ""), \(serial)"
    }

    /// The documents that meet `condition` and the filters, a page of them, and how many there are in all.
    ///
    /// As on the real server a list by type is given whole.
    func fetch(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> (documents: [DocumentRow], total: Int) {
        var condition = condition
        var arguments = arguments
        if let status {
            condition += " AND status = ?"
            arguments += [status]
        }
        if let type {
            condition += " AND type = ?"
            arguments += [type]
        }
        let total = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM document WHERE \(condition)"), arguments: arguments) ?? 0
        let page: StatementArguments = type == nil ? [limit, offset] : [-1, 0]
        let documents = try DocumentRow.fetch(
            db, "\(condition) ORDER BY \(order) LIMIT ? OFFSET ?", arguments + page)
        return (documents, total)
    }
}

/// The states a document can be in.
enum DocumentStatus {
    static let all: Set<String> = ["active", "void", "archived"]
}

/// The type of a document: namespace and name of its root element, put together without a separator.
enum DocumentType {
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// Whether the server reads the content of documents of the type, or has one.
    static func isKnown(_ type: String, in db: Database) throws -> Bool {
        let roots = ["Models", "Demographics", "Equipment", "Procedure", "SimpleClinicalNote"]
        if roots.contains(where: { type == namespace + $0 }) { return true }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM document WHERE type = ?)", arguments: [type]) ?? false
    }

    /// A bare name stands for one in Indivo's namespace.
    static func expand(_ name: String) -> String {
        name.contains(":") || name.contains("/") ? name : namespace + name
    }
}
