import GRDB

/// Writes what is known of documents as XML.
///
/// What their own rows do not say (who made them, which version is the latest, and how they are related) is fetched for a
/// whole list at once, in four queries however long the list is.
struct DocumentMarkup {
    private struct Creator: Hashable {
        var id: String
        var type: String
    }

    private var names: [Creator: String] = [:]
    /// The latest version by the id of the first.
    private var latest: [String: DocumentRow] = [:]
    private var asSubject: [String: Markup] = [:]
    private var asObject: [String: Markup] = [:]

    init(of documents: [DocumentRow], in db: Database) throws {
        let list = "(SELECT value FROM json_each(:ids))"
        let creators = Set(documents.filter { !$0.creator.isEmpty }.map(\.creator))
        if !creators.isEmpty {
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, 'Account' AS type, fullName AS name FROM account WHERE id IN \(list)
                        UNION ALL SELECT id, 'PHA', name FROM app WHERE id IN \(list)
                        UNION ALL SELECT id, 'MachineApp', name FROM machineApp WHERE id IN \(list)
                        """),
                arguments: ["ids": creators.jsonList])
            for row in rows { names[Creator(id: row["id"], type: row["type"])] = row["name"] as String }
        }
        // A version that none replaces is the latest itself.
        let originals = Set(documents.filter { $0.replacedBy != nil }.map(\.original))
        if !originals.isEmpty {
            let rows = try DocumentRow.fetch(db, "replacedBy IS NULL AND original IN \(list)", ["ids": originals.jsonList])
            for row in rows { latest[row.original] = row }
        }
        func relations(of end: String) throws -> [String: Markup] {
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(end) AS document, type, count(*) AS number FROM relation WHERE \(end) IN \(list)
                        GROUP BY document, type ORDER BY min(serial)
                        """),
                arguments: ["ids": documents.map(\.id).jsonList])
            return rows.reduce(into: [:]) { relations, row in
                relations[row["document"], default: .empty] +=
                    "<relation type=\"\(row["type"] as String)\" count=\"\(row["number"] as Int)\" />"
            }
        }
        asSubject = try relations(of: "subject")
        asObject = try relations(of: "object")
    }

    /// The shell that stands where a report has no document.
    static let none: Markup = """
        <Document id="" type="" size="" digest="" record_id=""><nevershare>false</nevershare></Document>
        """

    /// One of the documents.
    /// - Parameters:
    ///   - latest: Whether to say which version is the latest; responses to a new relation do not.
    ///   - recordId: Whether to name the record; reports do not.
    func markup(of document: DocumentRow, latest isLatestSaid: Bool = true, recordId: Bool = true) -> Markup {
        let creator = names[Creator(id: document.creator, type: document.creatorType)] ?? ""
        var markup: Markup = """
            <Document id="\(document.id)" type="" size="\(document.size)" digest="\(document.digest)" \
            record_id="\(recordId ? document.record ?? "" : "")"><createdAt>\(document.createdAt.text)</createdAt>\
            <creator id="\(document.creator)" type="\(document.creatorType)"><fullname>\(creator)</fullname></creator>
            """
        if let id = document.replacedBy { markup += "<replacedBy id=\"\(id)\"/>" }
        if let id = document.replaces { markup += "<replaces id=\"\(id)\"/>" }
        markup += "<original id=\"\(document.original)\"/>"
        if isLatestSaid, let last = document.replacedBy == nil ? document : latest[document.original] {
            markup += """
                <latest id="\(last.id)" createdAt="\(last.createdAt.text)" createdBy="\(last.creator)" />
                """
        }
        if let label = document.label, !label.isEmpty { markup += "<label>\(label)</label>" }
        markup += "<status>\(document.status)</status><nevershare>\(document.neverShare ? "true" : "false")</nevershare>"
        if let relations = asSubject[document.id] { markup += "<relatesTo>\(relations)</relatesTo>" }
        if let relations = asObject[document.id] { markup += "<isRelatedFrom>\(relations)</isRelatedFrom>" }
        return markup + "</Document>"
    }
}

extension Call {
    func metadata(of document: DocumentRow, latest: Bool = true, declaration: Bool = true) throws -> Response {
        .xml(try DocumentMarkup(of: [document], in: db).markup(of: document, latest: latest), declaration: declaration)
    }

    func list(_ documents: [DocumentRow], total: Int, record: String, app: String? = nil) throws -> Response {
        let markup = try DocumentMarkup(of: documents, in: db)
        let pha: Markup = app.map { " pha=\"\($0)\"" } ?? .empty
        return .xml(
            """
            <Documents record_id="\(record)" total_document_count="\(total)"\(pha)>\
            \(documents.map { markup.markup(of: $0) })</Documents>
            """)
    }
}
