import GRDB

/// Writes what is known of documents as XML. What their own rows do not say (who made them, which version is
/// the latest, and how they are related) is fetched in four queries, however long the list is.
struct DocumentMarkup {
    /// By the ids and types of creators.
    private var names: [[String]: String] = [:]
    /// The latest version by the id of the first.
    private var latest: [String: DocumentRow] = [:]
    private var asSubject: [String: Markup] = [:]
    private var asObject: [String: Markup] = [:]

    init(of documents: [DocumentRow], in db: Database) throws {
        let list = "(SELECT value FROM json_each(:ids))"
        let creators = Set(documents.filter { !$0.creator.isEmpty }.map(\.creator))
        if !creators.isEmpty {
            let sql = """
                SELECT id, 'Account', fullName FROM account WHERE id IN \(list)
                UNION ALL SELECT id, 'PHA', name FROM app WHERE id IN \(list)
                UNION ALL SELECT id, 'MachineApp', name FROM machineApp WHERE id IN \(list)
                """
            for row in try Row.fetchAll(db.cachedStatement(sql: sql), arguments: ["ids": creators.jsonList]) {
                names[[row[0], row[1]]] = row[2] as String
            }
        }
        // A version that none replaces is the latest itself.
        let originals = Set(documents.filter { $0.replacedBy != nil }.map(\.original))
        if !originals.isEmpty {
            let condition = "WHERE replacedBy IS NULL AND original IN \(list)"
            for row in try DocumentRow.all(condition, ["ids": originals.jsonList], in: db) {
                latest[row.original] = row
            }
        }
        func relations(of end: String) throws -> [String: Markup] {
            let sql = """
                SELECT \(end), type, count(*)
                FROM relation
                WHERE \(end) IN \(list)
                GROUP BY \(end), type
                ORDER BY min(serial)
                """
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: sql),
                arguments: ["ids": documents.map(\.id).jsonList]
            )
            return rows.reduce(into: [:]) { relations, row in
                relations[row[0], default: .empty] +=
                    "<relation type=\"\(row[1] as String)\" count=\"\(row[2] as Int)\" />"
            }
        }
        asSubject = try relations(of: "subject")
        asObject = try relations(of: "object")
    }

    /// The shell that stands where a report has no document.
    static let none: Markup = """
        <Document id="" type="" size="" digest="" record_id=""><nevershare>false</nevershare></Document>
        """

    /// Responses to a new relation do not say which version is the latest, and reports do not name the
    /// record.
    func markup(of document: DocumentRow, latest isLatestSaid: Bool = true, recordId: Bool = true) -> Markup {
        let creator = names[[document.creator, document.creatorType]] ?? ""
        let last = (document.replacedBy == nil ? document : latest[document.original]).map { last -> Markup in
            "<latest id=\"\(last.id)\" createdAt=\"\(last.createdAt.text)\" createdBy=\"\(last.creator)\" />"
        }
        return """
            <Document id="\(document.id)" type="" size="\(document.size)" digest="\(document.digest)" \
            record_id="\(recordId ? document.record ?? "" : "")">\
            <createdAt>\(document.createdAt.text)</createdAt>\
            <creator id="\(document.creator)" type="\(document.creatorType)">\
            <fullname>\(creator)</fullname></creator>\
            \(document.replacedBy.map { "<replacedBy id=\"\($0)\"/>" })\
            \(document.replaces.map { "<replaces id=\"\($0)\"/>" })\
            <original id="\(document.original)"/>\(isLatestSaid ? last : nil)\
            \(document.label.flatMap { $0.isEmpty ? nil : "<label>\($0)</label>" })\
            <status>\(document.status)</status>\
            <nevershare>\(document.neverShare ? "true" : "false")</nevershare>\
            \(asSubject[document.id].map { "<relatesTo>\($0)</relatesTo>" })\
            \(asObject[document.id].map { "<isRelatedFrom>\($0)</isRelatedFrom>" })</Document>
            """
    }
}

extension Call {
    func metadata(of document: DocumentRow, latest: Bool = true, declaration: Bool = true) throws -> Response
    {
        .xml(
            try DocumentMarkup(of: [document], in: db).markup(of: document, latest: latest),
            declaration: declaration
        )
    }

    func list(_ documents: [DocumentRow], total: Int, record: String, app: String? = nil) throws -> Response {
        let markup = try DocumentMarkup(of: documents, in: db)
        let pha: Markup? = app.map { " pha=\"\($0)\"" }
        let items = documents.map { markup.markup(of: $0) }
        return .xml(
            "<Documents record_id=\"\(record)\" total_document_count=\"\(total)\"\(pha)>\(items)</Documents>"
        )
    }
}
