import GRDB

/// The calls of the SMART API: a record's facts as RDF.
enum SMARTCalls {
    static let routes: [Route] = [
        .get("smart_allergies", "/records/{record}/allergies/", .recordDocument) { call in
            try list(call, ["Allergy", "AllergyExclusion"])
        },
        .get("smart_allergies_instance", "/records/{record}/allergies/{fact}", .recordDocument) { call in
            try instance(call, ["Allergy", "AllergyExclusion"])
        },
        .get("smart_generic", "/records/{record}/{smartModel}/", .recordDocument) { call in
            try list(call, models(call))
        },
        .get("smart_generic_instance", "/records/{record}/{smartModel}/{fact}", .recordDocument) { call in
            try instance(call, models(call))
        },
    ]

    private static let names = [
        "problems": "Problem", "encounters": "Encounter", "fulfillments": "Fill", "immunizations": "Immunization",
        "lab_results": "LabResult", "medications": "Medication", "vital_signs": "VitalSigns",
    ]

    private static func models(_ call: Call) throws -> [String] {
        [try names[call["smartModel"]].orNotFound()]
    }

    private static func list(_ call: Call, _ models: [String]) throws -> Response {
        let marks = models.map { _ in "?" }.joined(separator: ", ")
        let facts = try FactRow.fetchAll(
            call.db,
            sql: """
                SELECT \(FactRow.columns) FROM fact JOIN document ON document.id = fact.document
                WHERE fact.record = ? AND document.status = 'active' AND fact.model IN (\(marks)) ORDER BY fact.serial
                """,
            arguments: [try call.record.id] + StatementArguments(models))
        return .rdf(try RDFGraph.facts(facts, of: call.record.id, server: call.server, in: call.db))
    }

    /// One fact. The real server does not check whose it is; this one does.
    private static func instance(_ call: Call, _ models: [String]) throws -> Response {
        let marks = models.map { _ in "?" }.joined(separator: ", ")
        let facts = try FactRow.fetchAll(
            call.db, sql: "SELECT \(FactRow.columns) FROM fact WHERE id = ? AND record = ? AND model IN (\(marks))",
            arguments: [call["fact"], try call.record.id] + StatementArguments(models))
        guard !facts.isEmpty else { throw Refusal.notFound }
        return .rdf(try RDFGraph.facts(facts, of: call.record.id, server: call.server, in: call.db))
    }
}
