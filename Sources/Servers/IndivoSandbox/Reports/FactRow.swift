import GRDB
import OrderedJSON

/// The values of a fact's leaf fields by their flattened names.
typealias FactValues = JSONValue

/// An object of a data model in the database.
struct FactRow: TableRow {
    static let databaseTableName = "fact"
    static let columns = "fact.serial, fact.id, fact.model, fact.document, fact.createdAt, fact.body"

    var serial: Int64
    var id, model, document: String
    var createdAt: Timestamp
    /// Its leaf fields, in JSON.
    var body: String

    /// By index and not by name: reports read many.
    init(row: Row) {
        serial = row[0]
        id = row[1]
        model = row[2]
        document = row[3]
        createdAt = row[4]
        body = row[5]
    }

    func values() throws -> FactValues { try JSONValue(parsing: body) }

    /// Facts by a condition on them and on the documents that state them, and what follows it.
    static func fetch(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws
        -> [FactRow]
    {
        try all("JOIN document ON document.id = fact.document WHERE \(condition)", arguments, in: db)
    }

    /// The facts of a document, those nested in others aside.
    static func all(ofDocument document: String?, in db: Database) throws -> [FactRow] {
        try all("WHERE document = ? AND parent IS NULL ORDER BY serial", [document], in: db)
    }

    /// The fact in which this one is nested, or to which it refers.
    func parent(in db: Database) throws -> FactRow? {
        try FactRow.first("WHERE serial = (SELECT parent FROM fact WHERE serial = ?)", [serial], in: db)
    }

    /// What is nested in facts, at any depth: a query for each level, however many facts there are.
    static func children(of facts: [FactRow], in db: Database) throws -> FactChildren {
        var children = FactChildren()
        var level = facts.map(\.serial)
        while !level.isEmpty {
            let sql = """
                SELECT \(columns), parent, relation
                FROM fact
                WHERE parent IN (SELECT value FROM json_each(?))
                ORDER BY serial
                """
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: sql),
                arguments: [JSONValue(level.map { JSONValue($0) }).text()]
            )
            for row in rows {
                children.facts[row["parent"], default: [:]][row["relation"] ?? "", default: []].append(
                    FactRow(row: row)
                )
            }
            level = rows.map { $0["serial"] }
        }
        return children
    }

    static func insert(
        _ facts: [FactDraft],
        of document: String,
        record: String,
        at now: Timestamp,
        _ source: IdentifierSource,
        in db: Database
    ) throws {
        let sql = """
            INSERT INTO fact (id, model, record, document, createdAt, parent, relation, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        let statement = try db.cachedStatement(sql: sql)
        func insert(_ fact: FactDraft, parent: Int64?, relation: String?) throws {
            let members = fact.values.sorted { $0.key < $1.key }.map {
                JSONMember(name: $0.key, value: $0.value)
            }
            let body = JSONValue(members: members).text()
            try statement.execute(arguments: [
                source.id(.fact), fact.model, record, document, now, parent, relation, body,
            ])
            let serial = db.lastInsertedRowID
            for child in fact.children { try insert(child.fact, parent: serial, relation: child.relation) }
        }
        for fact in facts { try insert(fact, parent: nil, relation: nil) }
    }
}

/// What is nested in facts, by the fact and the name of the relation.
struct FactChildren {
    fileprivate var facts: [Int64: [String: [FactRow]]] = [:]

    /// What is nested in a fact under a name.
    func of(_ fact: FactRow, _ relation: String) -> [FactRow] { facts[fact.serial]?[relation] ?? [] }
}
