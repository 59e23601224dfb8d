import Foundation
import GRDB
import OrderedJSON

/// The values of a fact's leaf fields by their flattened names.
typealias FactValues = JSONValue

/// An object of a data model in the database.
struct FactRow: Sendable {
    var serial: Int64
    var id: String
    var model: String
    var document: String
    var createdAt: Timestamp
    /// Its leaf fields, in JSON.
    var body: String

    static let columns = "fact.serial, fact.id, fact.model, fact.document, fact.createdAt, fact.body"

    /// Facts by a condition on them and on the documents that state them, and what follows it.
    static func fetch(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [FactRow] {
        try fetchAll(
            db, sql: "SELECT \(columns) FROM fact JOIN document ON document.id = fact.document WHERE \(condition)",
            arguments: arguments)
    }

    func values() throws -> FactValues { try JSONValue(parsing: body) }
}

extension FactRow: FetchableRecord {
    /// By index and not by name: reports read many.
    init(row: Row) {
        self.init(serial: row[0], id: row[1], model: row[2], document: row[3], createdAt: row[4], body: row[5])
    }
}

struct FactStore {
    let db: Database

    func insert(_ facts: [FactDraft], of document: String, record: String, at now: Timestamp, _ source: IdentifierSource) throws {
        for fact in facts { try insert(fact, document, record, now, source, parent: nil, relation: nil) }
    }

    private func insert(
        _ fact: FactDraft, _ document: String, _ record: String, _ now: Timestamp, _ source: IdentifierSource,
        parent: Int64?, relation: String?
    ) throws {
        let members = fact.values.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) }
        try db.cachedStatement(
            sql: """
                INSERT INTO fact (id, model, record, document, createdAt, parent, relation, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [source.id(.fact), fact.model, record, document, now, parent, relation, JSONValue(members: members).text()])
        let serial = db.lastInsertedRowID
        for child in fact.children {
            try insert(child.fact, document, record, now, source, parent: serial, relation: child.relation)
        }
    }

    func delete(of document: String) throws {
        try db.execute(sql: "DELETE FROM fact WHERE document = ?", arguments: [document])
    }

    /// The facts of a document, those nested in others aside.
    func facts(of document: String) throws -> [FactRow] {
        try FactRow.fetch(db, "fact.document = ? AND fact.parent IS NULL ORDER BY fact.serial", [document])
    }

    /// The fact in which this one is nested, or to which it refers.
    func parent(of fact: FactRow) throws -> FactRow? {
        try FactRow.fetch(db, "fact.serial = (SELECT parent FROM fact WHERE serial = ?)", [fact.serial]).first
    }

    /// What is nested in facts, at any depth: a query for each level, however many facts there are.
    func children(of facts: [FactRow]) throws -> FactChildren {
        var children = FactChildren()
        var level = facts.map(\.serial)
        while !level.isEmpty {
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(FactRow.columns), fact.parent, fact.relation FROM fact
                        WHERE fact.parent IN (SELECT value FROM json_each(?)) ORDER BY fact.serial
                        """),
                arguments: [JSONValue(level.map { JSONValue($0) }).text()])
            for row in rows {
                children.facts[row["parent"], default: [:]][row["relation"] ?? "", default: []].append(FactRow(row: row))
            }
            level = rows.map { $0["serial"] }
        }
        return children
    }
}

/// What is nested in facts, by the fact and the name of the relation.
struct FactChildren {
    fileprivate var facts: [Int64: [String: [FactRow]]] = [:]

    /// What is nested in a fact under a name.
    func of(_ fact: FactRow, _ relation: String) -> [FactRow] { facts[fact.serial]?[relation] ?? [] }
}
