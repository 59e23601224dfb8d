enum DemographicsCalls {
    static let routes: [Route] = [
        .get("read_demographics", "/records/{record}/demographics", .recordDocumentOrAdmin, read),
        .put("set_demographics", "/records/{record}/demographics", .recordDocumentOrAdmin) { call in
            let document = try call.store.setDemographics(call.request.body, of: call.record, by: call.principal.effective)
            return try call.metadata(of: document, declaration: false)
        },
        .get("read_demographics_carenet", "/carenets/{carenet}/demographics", .carenetDocumentOrAdmin) { call in
            // They are shared as any document is.
            let shared = try DocumentRow.fetchFirst(
                call.db, "id = ? AND \(Sharing.isShared("document"))",
                [try call.record.demographics, try call.carenet.id])
            guard shared != nil else { throw Refusal.notFound }
            return try read(call)
        },
    ]

    /// What is read back is never the document that was set: RDF unless asked for otherwise.
    private static func read(_ call: Call) throws -> Response {
        let record = try call.record
        guard let document = record.demographics, let fact = try FactStore(db: call.db).facts(of: document).first
        else { throw Refusal.notFound }
        switch call.request.query["response_format"] ?? "application/rdf+xml" {
        case "application/json":
            return .json(try FactJSON(call.server.models).list([fact], in: call.db))
        case "application/xml":
            return .xml(try FactMarkup(call.server.models).models([fact], in: call.db), declaration: false)
        case "application/rdf+xml":
            return .rdf(try RDFGraph.demographics(fact, of: record.id, base: call.server.apiBase))
        default:
            throw Refusal.badRequest("format not supported")
        }
    }
}
