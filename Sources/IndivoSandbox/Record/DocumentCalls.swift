import Foundation

/// The calls on the documents of a record.
enum DocumentCalls {
    static let routes: [Route] = [
        .get("record_document_list", "/records/{record}/documents/", .recordDocument, list),
        .post("document_create", "/records/{record}/documents/", .recordAdminDocument) { call in
            try call.createDocument()
        },
        .delete("documents_delete", "/records/{record}/documents/", .no) { _ in .ok },
        .put(
            "document_create_by_ext_id", "/records/{record}/documents/external/{app}/{external}",
            .recordDocumentExternal
        ) {
            call in
            try call.createDocument(externalId: DocumentStore.externalId(call["external"], of: call.app))
        },
        .put(
            "record_document_label_ext", "/records/{record}/documents/external/{app}/{external}/label",
            .recordDocumentExternal
        ) { call in
            try call.label(call.externalDocument)
        },
        .get(
            "record_document_meta_ext", "/records/{record}/documents/external/{app}/{external}/meta",
            .recordDocumentExternal
        ) { call in
            .xml(try call.markup.document(call.externalDocument))
        },
        .get("record_specific_document", "/records/{record}/documents/{document}", .recordDocument) { call in
            try call.content(of: call.document)
        },
        .put("record_document_label", "/records/{record}/documents/{document}/label", .recordDocument) { call in
            try call.label(call.document)
        },
        .get("record_document_meta", "/records/{record}/documents/{document}/meta", .recordDocument) { call in
            .xml(try call.markup.document(call.document))
        },
        .put("update_document_meta", "/records/{record}/documents/{document}/meta", .no) { _ in .ok },
        .post("document_version", "/records/{record}/documents/{document}/replace", .recordAdminDocument) { call in
            try replace(call, externalId: nil)
        },
        .put(
            "document_version_by_ext_id", "/records/{record}/documents/{document}/replace/external/{app}/{external}",
            .recordDocumentExternal
        ) { call in
            try replace(call, externalId: DocumentStore.externalId(call["external"], of: call.app))
        },
        .post("document_set_status", "/records/{record}/documents/{document}/set-status", .recordDocument, setStatus),
        .get(
            "document_status_history", "/records/{record}/documents/{document}/status-history", .recordDocument,
            statusHistory),
        .get("document_versions", "/records/{record}/documents/{document}/versions/", .recordDocument, versions),
    ]

    private static func list(_ call: Call) throws -> Response {
        let record = try call.record.id
        let (documents, total) = try DocumentQuery(call.request.query)
            .fetch(call.db, "record = ? AND app IS NULL AND replacedBy IS NULL", [record])
        return .xml(try call.markup.documents(documents, total: total, record: record))
    }

    /// The response to any failure of the new content is 404, as the real server's.
    private static func replace(_ call: Call, externalId: String?) throws -> Response {
        let old = try call.document
        guard old.replacedBy == nil else {
            throw Refusal.badRequest(
                "Can't version a document that has already been versioned. Get the latest version of the document.")
        }
        do {
            let new = try call.documents.replace(
                old, with: call.documentContent(), externalId: externalId, by: call.principal.effective)
            return .xml(try call.markup.document(new), declaration: false)
        } catch is ContentError {
            throw Refusal.notFound
        } catch is Refusal {
            throw Refusal.notFound
        }
    }

    private static func setStatus(_ call: Call) throws -> Response {
        let form = call.request.form
        let document = try call.document
        guard let status = form["status"], let reason = form["reason"], !reason.isEmpty,
            DocumentStatus.all.contains(status)
        else { throw Refusal.badRequest("") }
        try call.documents.setStatus(document, status, reason: reason, by: call.principal.effective.id)
        return .ok
    }

    private static func statusHistory(_ call: Call) throws -> Response {
        let document = try call.document
        let rows = try StatusChangeRow.fetchAll(
            call.db, sql: "SELECT * FROM statusChange WHERE document = ? ORDER BY serial", arguments: [document.id])
        let changes = rows.map { row -> Markup in
            """
            <DocumentStatus by="\(row.by)" at="\(row.at.text)" status="\(row.status)">\
            <reason>\(row.reason)</reason></DocumentStatus>
            """
        }
        return .xml(
            """
            <DocumentStatusHistory document_id="\(document.id)">\(changes)</DocumentStatusHistory>
            """, declaration: false)
    }

    private static func versions(_ call: Call) throws -> Response {
        let document = try call.document
        var query = try DocumentQuery(call.request.query)
        query.type = nil
        let (documents, total) = try query.fetch(call.db, "original = ?", [document.original])
        return .xml(try call.markup.documents(documents, total: total, record: call.record.id))
    }
}

extension Call {
    var documents: DocumentStore { DocumentStore(db: db, server: server, now: now) }
    var markup: DocumentMarkup { DocumentMarkup(db: db) }

    /// Where the record's own documents are stored.
    var recordScope: DocumentScope { get throws { DocumentScope(record: try record.id) } }

    /// The document of the record that the URL names.
    var document: DocumentRow {
        get throws { try documents.find(self["document"], in: recordScope).orNotFound() }
    }

    /// The document of the record that the URL names by its external id.
    var externalDocument: DocumentRow {
        get throws {
            try documents.find(externalId: DocumentStore.externalId(self["external"], of: app), in: recordScope)
                .orNotFound()
        }
    }

    /// The request's body as the content of a document.
    func documentContent() throws -> DocumentContent {
        try DocumentContent(request.body, contentType: request.header("Content-Type"))
    }

    func createDocument(externalId: String? = nil) throws -> Response {
        do {
            let document = try documents.create(
                documentContent(), in: recordScope, externalId: externalId, by: principal.effective)
            return .xml(try markup.document(document), declaration: false)
        } catch let error as ContentError {
            throw Refusal.badRequest("the document submitted is malformed:" + error.sentence)
        }
    }

    /// A document's bytes, unchanged. Text is always served as XML, whatever it is.
    func content(of document: DocumentRow) throws -> Response {
        Response(type: document.mimeType ?? "application/xml", body: try document.content(db))
    }

    /// Takes the request's body for the label of a document.
    func label(_ document: DocumentRow) throws -> Response {
        let labelled = try documents.label(document, String(decoding: request.body, as: UTF8.self))
        return .xml(try markup.documents([labelled], total: 1, record: document.record ?? "", app: document.app))
    }
}
