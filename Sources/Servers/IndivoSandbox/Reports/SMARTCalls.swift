import GRDB

/// The calls of the SMART API: a record's facts as RDF.
enum SMARTCalls {
    static let routes: [Route] = Route.below(
        "/records/{record}/",
        [
            .get("smart_allergies", "allergies/", .recordDocument, facts),
            .get("smart_allergies_instance", "allergies/{fact}", .recordDocument, facts),
            .get("smart_generic", "{smartModel}/", .recordDocument, facts),
            .get("smart_generic_instance", "{smartModel}/{fact}", .recordDocument, facts),
        ]
    )

    /// The models of a path, by its capture; allergies have a path of their own.
    private static let models = [
        "": ["Allergy", "AllergyExclusion"], "problems": ["Problem"], "encounters": ["Encounter"],
        "fulfillments": ["Fill"],
        "immunizations": ["Immunization"], "lab_results": ["LabResult"], "medications": ["Medication"],
        "vital_signs": ["VitalSigns"],
    ]

    /// All facts, or the one that the path names. The real server does not check whose that one is; this one
    /// does.
    private static func facts(_ call: Call) throws -> Response {
        let record = try call.record.id
        let models = try models[call["smartModel"]].orNotFound()
        let id = call.captures["fact"]
        let condition = id == nil ? "document.status = 'active' ORDER BY fact.serial" : "fact.id = ?"
        let facts = try FactRow.fetch(
            call.db,
            "fact.record = ? AND fact.model IN (SELECT value FROM json_each(?)) AND \(condition)",
            StatementArguments([record, models.jsonList, id].compactMap { $0 })
        )
        try require(id == nil || !facts.isEmpty, .notFound)
        return .rdf(try RDFGraph.facts(facts, of: record, server: call.server, in: call.db))
    }
}
