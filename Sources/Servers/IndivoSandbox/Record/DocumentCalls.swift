import Foundation
import GRDB

enum DocumentCalls {
    static let routes: [Route] = Route.below(
        "/records/{record}/documents/",
        [
            .get("record_document_list", "", .recordDocument) { call in
                let record = try call.record.id
                let (documents, total) = try call.listed(
                    "record = ? AND app IS NULL AND replacedBy IS NULL",
                    [record]
                )
                return try call.list(documents, total: total, record: record)
            },
            .post("document_create", "", .recordAdminDocument) { try $0.createDocument(in: $0.recordScope) },
            .delete("documents_delete", "", .no) { _ in .ok },
            .put("document_create_by_ext_id", "external/{app}/{external}", .recordDocumentExternal) {
                try $0.createDocument(in: $0.recordScope, externalId: $0.externalId)
            },
            .put("record_document_label_ext", "external/{app}/{external}/label", .recordDocumentExternal) {
                try $0.label($0.externalDocument)
            },
            .get("record_document_meta_ext", "external/{app}/{external}/meta", .recordDocumentExternal) {
                try $0.metadata(of: $0.externalDocument)
            },
            .get("record_specific_document", "{document}", .recordDocument) {
                try $0.content(of: $0.document)
            },
            .put("record_document_label", "{document}/label", .recordDocument) { try $0.label($0.document) },
            .get("record_document_meta", "{document}/meta", .recordDocument) {
                try $0.metadata(of: $0.document)
            },
            .put("update_document_meta", "{document}/meta", .no) { _ in .ok },
            .post("document_version", "{document}/replace", .recordAdminDocument) { try replace($0) },
            .put(
                "document_version_by_ext_id",
                "{document}/replace/external/{app}/{external}",
                .recordDocumentExternal
            ) {
                try replace($0, externalId: $0.externalId)
            },
            .post("document_set_status", "{document}/set-status", .recordDocument) { call in
                let form = call.request.form
                let document = try call.document
                let status = try form.required("status")
                let reason = try form.required("reason")
                let isChange = DocumentRow.states.contains(status) && !reason.hasZeroByte
                try require(isChange, .badRequest())
                try call.store.setStatus(document, status, reason: reason, by: call.principal.effective.id)
                return .ok
            },
            .get("document_status_history", "{document}/status-history", .recordDocument) { call in
                let id = try call.document.id
                let changes = try StatusChangeRow.all("WHERE document = ? ORDER BY serial", [id], in: call.db)
                    .map { row -> Markup in
                        let reason: Markup = "<reason>\(row.reason)</reason>"
                        return
                            """
                            <DocumentStatus by="\(row.by)" at="\(row.at.text)" \
                            status="\(row.status)">\(reason)</DocumentStatus>
                            """
                    }
                return .xml(
                    "<DocumentStatusHistory document_id=\"\(id)\">\(changes)</DocumentStatusHistory>",
                    declaration: false
                )
            },
            .get("document_versions", "{document}/versions/", .recordDocument) { call in
                let (documents, total) = try call.listed(
                    "original = ?",
                    [call.document.original],
                    byType: false
                )
                return try call.list(documents, total: total, record: call.record.id)
            },
        ]
    )

    /// The response to any failure of the new content is 404, as the real server's.
    private static func replace(_ call: Call, externalId: String? = nil) throws -> Response {
        let old = try call.document
        let problem =
            """
            Can't version a document that has already been versioned. \
            Get the latest version of the document.
            """
        try require(old.replacedBy == nil, .badRequest(problem))
        do {
            let content = try call.documentContent()
            let creator = call.principal.effective
            let new = try call.store.replace(old, with: content, externalId: externalId, by: creator)
            return try call.metadata(of: new, declaration: false)
        } catch let error where error is ContentError || error is Refusal {
            throw Refusal.notFound
        }
    }
}

extension Call {
    var store: Store { Store(db: db, server: server, now: now) }

    var recordScope: DocumentScope { get throws { DocumentScope(record: try record.id) } }

    var document: DocumentRow {
        get throws { try store.find(self["document"], in: recordScope).orNotFound() }
    }

    var externalDocument: DocumentRow {
        get throws { try store.find(externalId: externalId, in: recordScope).orNotFound() }
    }

    /// The external id that the URL gives a document of a record, with the app whose it is.
    var externalId: String { get throws { try app.id + "/" + self["external"] } }

    func documentContent() throws -> DocumentContent {
        try DocumentContent(request.body, contentType: request.header("Content-Type"))
    }

    /// Stores the request's body as a document.
    func createDocument(in scope: DocumentScope, externalId: String? = nil) throws -> Response {
        try storing {
            try store.create(documentContent(), in: scope, externalId: externalId, by: principal.effective)
        }
    }

    /// The metadata of what `body` stores, or the words that the real server has for content it does not
    /// take.
    func storing(_ body: () throws -> DocumentRow) throws -> Response {
        do {
            return try metadata(of: body(), declaration: false)
        } catch let error as ContentError {
            throw Refusal.badRequest("the document submitted is malformed:" + error.sentence)
        }
    }

    /// The columns that documents can be ordered by, by the names the real server has for them.
    private static let columns = [
        "created_at": "createdAt", "label": "label", "size": "size", "digest": "digest", "id": "id",
        "status": "status",
        "external_id": "externalId", "mime_type": "mimeType", "creator": "creator",
        "nevershare": "neverShare",
        "original": "original", "replaced_by": "replacedBy", "fqn": "type",
    ]

    /// A page of the documents that meet `condition` and the query, and how many there are. A list by type is
    /// given whole.
    func listed(
        _ condition: String,
        _ arguments: StatementArguments,
        byType: Bool = true
    ) throws -> (documents: [DocumentRow], total: Int) {
        let list = try ListArguments(request.query)
        // With a malformed order, the real server answers as if the document were missing, or with an empty
        // list.
        if list.hasMalformedOrder {
            try require(byType, .notFound)
            return ([], 0)
        }
        let type = byType ? request.query["type"].map(DocumentType.expand) : nil
        if type == nil { try list.checkPage() }
        let order = try list.order(Call.columns) ?? "createdAt DESC, serial DESC"
        let chosen = "\(condition) AND status = ?" + (type == nil ? "" : " AND type = ?")
        let arguments = arguments + [list.status] + (type.map { [$0] } ?? [])
        let count = try db.cachedStatement(sql: "SELECT count(*) FROM document WHERE \(chosen)")
        let page: StatementArguments = type == nil ? [list.pageLength, list.offset] : [-1, 0]
        let rest = "WHERE \(chosen) ORDER BY \(order) LIMIT ? OFFSET ?"
        return (
            try DocumentRow.all(rest, arguments + page, in: db),
            try Int.fetchOne(count, arguments: arguments) ?? 0
        )
    }

    /// A document's bytes, unchanged. Text is always served as XML, whatever it is.
    func content(of document: DocumentRow) throws -> Response {
        Response(type: document.mimeType ?? "application/xml", body: try document.content(db))
    }

    func label(_ document: DocumentRow) throws -> Response {
        try Refusal.checkUTF8(request.body)
        let labelled = try store.label(document, String(decoding: request.body, as: UTF8.self))
        return try list([labelled], total: 1, record: document.record ?? "", app: document.app)
    }
}
