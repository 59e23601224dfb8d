enum DemographicsCalls {
    static let routes: [Route] = [
        .get("read_demographics", "/records/{record}/demographics", .recordDocumentOrAdmin, read),
        .put("set_demographics", "/records/{record}/demographics", .recordDocumentOrAdmin) { call in
            let content = try DemographicsContent(call.request.body)
            let document = try call.store.setDemographics(
                content,
                of: call.record,
                by: call.principal.effective
            )
            return try call.metadata(of: document, declaration: false)
        },
        .get("read_demographics_carenet", "/carenets/{carenet}/demographics", .carenetDocumentOrAdmin) {
            call in
            // They are shared as any document is.
            let condition = "document WHERE id = ? AND \(CarenetRow.shows("document.id", in: "?"))"
            try require(call.db.exists(condition, [call.record.demographics, call.carenet.id]), .notFound)
            return try read(call)
        },
    ]

    /// What is read back is never the document that was set: RDF unless asked for otherwise.
    private static func read(_ call: Call) throws -> Response {
        let record = try call.record
        let fact = try FactRow.all(ofDocument: record.demographics, in: call.db).first.orNotFound()
        switch call.request.query["response_format"] ?? "application/rdf+xml" {
        case "application/json": return .json(try call.server.models.json([fact], in: call.db))
        case "application/xml":
            return .xml(try call.server.models.markup([fact], in: call.db), declaration: false)
        case "application/rdf+xml":
            return .rdf(try RDFGraph.demographics(fact, of: record.id, base: call.server.apiBase))
        default: throw Refusal.badRequest("format not supported")
        }
    }
}
