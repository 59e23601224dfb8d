import GRDB
import OrderedJSON

/// Writes what is known of documents as XML: `Document` and `Documents`.
struct DocumentMarkup {
    let db: Database

    /// One document's metadata.
    /// - Parameter latest: Whether to say which version is the latest; responses to a new relation do not.
    func document(_ document: DocumentRow, latest: Bool = true) throws -> Markup {
        DocumentMarkup.document(document, try DocumentDetails(of: [document], in: db), latest: latest)
    }

    /// A list of documents.
    func documents(_ documents: [DocumentRow], total: Int, record: String, app: String? = nil) throws -> Markup {
        var markup: Markup = "<Documents record_id=\"\(record)\" total_document_count=\"\(total)\""
        if let app { markup += " pha=\"\(app)\"" }
        markup += ">"
        let details = try DocumentDetails(of: documents, in: db)
        for document in documents { markup += DocumentMarkup.document(document, details) }
        return markup + "</Documents>"
    }

    /// Metadata in the form they have in reports, without the record and without the latest version, by document id.
    func reportMetadata(of ids: [String]) throws -> [String: Markup] {
        let documents = try DocumentRow.fetch(
            db, "id IN (SELECT value FROM json_each(?))", [JSONValue(ids.map { JSONValue($0) }).text()])
        let details = try DocumentDetails(of: documents, in: db)
        return Dictionary(
            documents.map { ($0.id, DocumentMarkup.document($0, details, latest: false, recordId: false)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The shell that stands where a report has no document.
    static let none: Markup = """
        <Document id="" type="" size="" digest="" record_id=""><nevershare>false</nevershare></Document>
        """

    private static func document(
        _ document: DocumentRow, _ details: DocumentDetails, latest: Bool = true, recordId: Bool = true
    ) -> Markup {
        var markup: Markup = """
            <Document id="\(document.id)" type="" size="\(document.size)" digest="\(document.digest)" \
            record_id="\(recordId ? document.record ?? "" : "")"><createdAt>\(document.createdAt.text)</createdAt>\
            <creator id="\(document.creator)" type="\(document.creatorType)">\
            <fullname>\(details.creatorName(of: document))</fullname></creator>
            """
        if let id = document.replacedBy { markup += "<replacedBy id=\"\(id)\"/>" }
        if let id = document.replaces { markup += "<replaces id=\"\(id)\"/>" }
        markup += "<original id=\"\(document.original)\"/>"
        if latest, let last = details.latestVersion(of: document) {
            markup += """
                <latest id="\(last.id)" createdAt="\(last.createdAt.text)" createdBy="\(last.creator)" />
                """
        }
        if let label = document.label, !label.isEmpty { markup += "<label>\(label)</label>" }
        markup += "<status>\(document.status)</status>"
        markup += "<nevershare>\(document.neverShare ? "true" : "false")</nevershare>"
        markup += relations("relatesTo", details.relationsFrom(document))
        markup += relations("isRelatedFrom", details.relationsTo(document))
        return markup + "</Document>"
    }

    private static func relations(_ element: String, _ relations: [DocumentDetails.Relation]) -> Markup {
        guard !relations.isEmpty else { return .empty }
        let items = relations.map { relation -> Markup in
            "<relation type=\"\(relation.type)\" count=\"\(relation.count)\" />"
        }
        return Markup(trusted: "<\(element)>") + Markup(items) + Markup(trusted: "</\(element)>")
    }
}
