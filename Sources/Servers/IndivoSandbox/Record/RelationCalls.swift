enum RelationCalls {
    static let routes: [Route] = Route.below(
        "/records/{record}/documents/{document}/rels/{relation}/",
        [
            .put("document_rels", "{object}", .recordDocument) { call in
                let subject = try call.document
                // The real server takes a document of any record here, and then tells its metadata; this one
                // does not.
                let object = try call.store.find(call["object"], in: call.recordScope).orNotFound()
                return try call.relate(subject.id, relationType(call), to: object.id)
            },
            // The objects of a relation whose subject is any version of the document. One that is related
            // twice is listed twice.
            .get("get_documents_by_rel", "", .recordDocument) { call in
                let document = try call.document
                let status = try ListArguments(call.request.query).status
                let documents = try DocumentRow.all(
                    """
                    JOIN (
                        SELECT relation.serial AS number, object
                        FROM relation
                        JOIN document ON document.id = subject
                        WHERE original = ? AND relation.type = ?
                    ) ON id = object
                    WHERE status = ?
                    ORDER BY number
                    """,
                    [document.original, namespace + call["relation"], status],
                    in: call.db
                )
                return try call.list(documents, total: documents.count, record: call.record.id)
            },
            .post("document_create_by_rel", "", .recordDocument) { try create($0, externalId: nil) },
            Route(
                ["PUT", "POST"],
                "document_create_by_rel_with_ext_id",
                "external/{app}/{external}",
                .recordDocumentExternal
            ) {
                try create($0, externalId: $0.externalId)
            },
        ]
    )

    private static let namespace = "http://indivo.org/vocab/documentrels#"
    private static let names: Set = ["annotation", "answers", "attachment", "followup", "interpretation"]
    static let types = Set(names.map { namespace + $0 })

    private static func relationType(_ call: Call) throws -> String {
        try require(names.contains(call["relation"]), .notFound)
        return namespace + call["relation"]
    }

    private static func create(_ call: Call, externalId: String?) throws -> Response {
        let subject = try call.document
        // Where both are bad it is the content that is refused.
        let content = try call.documentContent()
        let scope = try call.recordScope
        let object: DocumentRow
        do {
            let creator = call.principal.effective
            object = try call.store.create(content, in: scope, externalId: externalId, by: creator)
        } catch let refusal as Refusal where refusal.response.status == 400 {
            // Here the real server does not expect that the external id is used.
            throw Refusal.serverFails(why: refusal.reason)
        }
        let type = try relationType(call)
        _ = try call.relate(subject.id, type, to: object.id)
        return try call.metadata(of: object, latest: false, declaration: false)
    }
}

extension Call {
    fileprivate func relate(_ subject: String, _ type: String, to object: String) throws -> Response {
        try execute("INSERT INTO relation (type, subject, object) VALUES (?, ?, ?)", [type, subject, object])
    }
}
