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
        .get("smart_generic", "/records/{record}/{smartModel}/", .recordDocument) { call in try list(call, models(call)) },
        .get("smart_generic_instance", "/records/{record}/{smartModel}/{fact}", .recordDocument) { call in
            try instance(call, models(call))
        },
    ]

    private static let names = [
        "problems": "Problem", "encounters": "Encounter", "fulfillments": "Fill", "immunizations": "Immunization",
        "lab_results": "LabResult", "medications": "Medication", "vital_signs": "VitalSigns",
    ]

    private static func models(_ call: Call) throws -> [String] { [try names[call["smartModel"]].orNotFound()] }

    private static func list(_ call: Call, _ models: [String]) throws -> Response {
        try graph(of: facts(call, models, "document.status = 'active' ORDER BY fact.serial", []), call)
    }

    /// One fact. The real server does not check whose it is; this one does.
    private static func instance(_ call: Call, _ models: [String]) throws -> Response {
        let facts = try facts(call, models, "fact.id = ?", [call["fact"]])
        guard !facts.isEmpty else { throw Refusal.notFound }
        return try graph(of: facts, call)
    }

    private static func facts(
        _ call: Call, _ models: [String], _ condition: String, _ arguments: StatementArguments
    ) throws -> [FactRow] {
        try FactRow.fetch(
            call.db, "fact.record = ? AND fact.model IN (SELECT value FROM json_each(?)) AND \(condition)",
            [call.record.id, models.jsonList] + arguments)
    }

    private static func graph(of facts: [FactRow], _ call: Call) throws -> Response {
        .rdf(try RDFGraph.facts(facts, of: call.record.id, server: call.server, in: call.db))
    }
}
