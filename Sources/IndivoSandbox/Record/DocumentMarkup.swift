#if Sandbox
import GRDB

/// Writes what is known of documents as XML: `Document` and `Documents`.
struct DocumentMarkup {
    let db: Database

    /// One document's metadata.
    /// - Parameters:
    ///   - latest: Whether to say which version is the latest; answers to a new relation and reports do not.
    ///   - recordId: Whether to name the record; reports leave it empty.
    func document(_ document: DocumentRow, latest: Bool = true, recordId: Bool = true) throws -> Markup {
        var markup: Markup = """
            <Document id="\(document.id)" type="" size="\(document.size)" digest="\(document.digest)" \
            record_id="\(recordId ? document.record ?? "" : "")"><createdAt>\(document.createdAt.text)</createdAt>\
            <creator id="\(document.creator)" type="\(document.creatorType)">\
            <fullname>\(try fullName(of: document))</fullname></creator>
            """
        if let id = document.replacedBy { markup += "<replacedBy id=\"\(id)\"/>" }
        if let id = document.replaces { markup += "<replaces id=\"\(id)\"/>" }
        markup += "<original id=\"\(document.original)\"/>"
        if latest, let last = try self.latest(of: document) {
            markup += """
                <latest id="\(last.id)" createdAt="\(last.createdAt.text)" createdBy="\(last.creator)" />
                """
        }
        if let label = document.label, !label.isEmpty { markup += "<label>\(label)</label>" }
        markup += "<status>\(document.status)</status>"
        markup += "<nevershare>\(document.neverShare ? "true" : "false")</nevershare>"
        markup += try relations("relatesTo", of: "subject", document.id)
        markup += try relations("isRelatedFrom", of: "object", document.id)
        return markup + "</Document>"
    }

    /// A list of documents.
    func documents(_ documents: [DocumentRow], total: Int, record: String, app: String? = nil) throws -> Markup {
        var markup: Markup = "<Documents record_id=\"\(record)\" total_document_count=\"\(total)\""
        if let app { markup += " pha=\"\(app)\"" }
        markup += ">"
        for document in documents { markup += try self.document(document) }
        return markup + "</Documents>"
    }

    /// The shell that stands where a report tells of no document.
    static let none: Markup = """
        <Document id="" type="" size="" digest="" record_id=""><nevershare>false</nevershare></Document>
        """

    private func latest(of document: DocumentRow) throws -> DocumentRow? {
        guard document.replacedBy != nil else { return document }
        return try DocumentRow.fetchFirst(db, "original = ? AND replacedBy IS NULL", [document.original])
    }

    private func fullName(of document: DocumentRow) throws -> String {
        switch document.creatorType {
        case "Account":
            try String.fetchOne(db, sql: "SELECT fullName FROM account WHERE id = ?", arguments: [document.creator])
                ?? ""
        case "PHA":
            try String.fetchOne(db, sql: "SELECT name FROM app WHERE id = ?", arguments: [document.creator]) ?? ""
        case "MachineApp":
            try String.fetchOne(db, sql: "SELECT name FROM machineApp WHERE id = ?", arguments: [document.creator])
                ?? ""
        default: ""
        }
    }

    private func relations(_ element: String, of end: String, _ document: String) throws -> Markup {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT type, count(*) AS number FROM relation WHERE \(end) = ? GROUP BY type ORDER BY min(serial)
                """,
            arguments: [document])
        guard !rows.isEmpty else { return .empty }
        var markup = Markup(trusted: "<\(element)>")
        for row in rows {
            markup += "<relation type=\"\(row["type"] as String)\" count=\"\(row["number"] as Int)\" />"
        }
        return markup + Markup(trusted: "</\(element)>")
    }
}
#endif
