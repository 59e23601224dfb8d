import GRDB

extension RDFGraph {
    /// The models that have a form in RDF, each with the part of the URL of its facts, as the real server
    /// spells it.
    static let paths = [
        "Allergy": "allergies", "AllergyExclusion": "allergies", "Encounter": "encounters",
        "Fill": "fullfillments",
        "Immunization": "immunizations", "LabResult": "lab_results", "Medication": "medications",
        "Problem": "problems",
        "VitalSigns": "vital_signs",
    ]

    static func facts(_ facts: [FactRow], of record: String, server: ServerContext, in db: Database) throws
        -> RDFGraph
    {
        let graph = RDFGraph()
        let record = "\(server.apiBase)/records/\(record)"
        let children = try FactRow.children(of: facts, in: db)

        /// - Parameter withFills: Whether a medication brings its fills along. One that a fill brings along
        ///   does not.
        func write(_ fact: FactRow, withFills: Bool = true) throws -> Node {
            guard let path = paths[fact.model] else { return graph.blank() }
            let node = Node.resource("\(record)/\(path)/\(fact.id)")
            // A medication and its fills name each other: each is written once.
            guard !graph.describes(node) else { return node }
            graph.type(node, fact.model == "Fill" ? "sp:Fulfillment" : "sp:" + fact.model)
            graph.add(node, "sp:belongsTo", .resource(record))
            describe(RDFSubject(graph: graph, node: node, values: try fact.values()), fact.model)
            switch fact.model {
            case "Fill":
                let problem = "a fill without its medication has no form in RDF"
                let medication = try fact.parent(in: db).orThrow(.serverFails(why: problem))
                let medicationNode = try write(medication, withFills: false)
                graph.add(node, "sp:medication", medicationNode)
                graph.add(medicationNode, "sp:fulfillment", node)
            case "Medication" where withFills:
                for fill in children.of(fact, "fulfillments") {
                    graph.add(node, "sp:fulfillment", try write(fill))
                }
            case "VitalSigns":
                let problem = "vital signs without an encounter have no form in RDF"
                let encounter = try fact.parent(in: db).orThrow(.serverFails(why: problem))
                graph.add(node, "sp:encounter", try write(encounter))
            default: break
            }
            return node
        }

        for fact in facts { _ = try write(fact) }
        return graph
    }

    static func demographics(_ fact: FactRow, of record: String, base: String) throws -> RDFGraph {
        let graph = RDFGraph()
        let uri = "\(base)/records/\(record)"
        let node = Node.resource(uri + "/demographics")
        graph.type(node, "sp:Demographics")
        graph.add(node, "sp:belongsTo", .resource(uri))
        let person = RDFSubject(graph: graph, node: node, values: try fact.values())
        person.texts([
            "foaf:gender": "gender", "sp:preferredLanguage": "preferred_language",
            "sp:ethnicity": "ethnicity", "sp:race": "race",
            "sp:email": "email",
        ])
        person.day("v:bday", "bday")
        person.name("v:n", "name_")
        person.address("v:adr", "adr_")
        person.telephones()
        let number = person.child("sp:medicalRecordNumber", "sp:Code").node
        graph.add(number, "dcterms:title", text: "Indivo Record \(record)")
        graph.add(number, "dcterms:identifier", text: uri)
        graph.add(number, "sp:system", text: "Indivo Record")
        return graph
    }

    /// What is said of a fact, other facts aside.
    private static func describe(_ fact: RDFSubject, _ model: String) {
        switch model {
        case "Allergy":
            fact.code("sp:allergicReaction", "allergic_reaction", "SNOMED")
            fact.code("sp:category", "category", "AllergyCategory")
            fact.code("sp:severity", "severity", "AllergySeverity")
            fact.code("sp:drugAllergen", "drug_allergen", "RxNorm_Ingredient")
            fact.code("sp:drugClassAllergen", "drug_class_allergen", "NDFRT")
            fact.code("sp:foodAllergen", "food_allergen", "UNII")
        case "AllergyExclusion": fact.code("sp:allergyExclusionName", "name", "AllergyExclusion")
        case "Encounter":
            fact.neededDate("sp:startDate", "startDate")
            fact.dates(["sp:endDate": "endDate"])
            fact.code("sp:encounterType", "encounterType", "EncounterType")
            fact.organization(
                "sp:facility",
                "sp:Organization",
                prefix: "facility_",
                ["v:organization-name": "name"]
            )
            fact.provider()
        case "Fill":
            fact.neededDate("dcterms:date", "date")
            fact.neededNumber("sp:dispenseDaysSupply", "dispenseDaysSupply")
            fact.texts(["sp:pbm": "pbm"])
            fact.quantity("sp:quantityDispensed", "quantityDispensed")
            let names: KeyValuePairs = ["sp:ncpdpId": "ncpdpid", "v:organization-name": "org"]
            fact.organization("sp:pharmacy", "sp:Pharmacy", prefix: "pharmacy_", names)
            fact.provider()
        case "Immunization":
            fact.neededDate("dcterms:date", "date")
            fact.code("sp:administrationStatus", "administration_status", "ImmunizationAdministrationStatus")
            fact.code("sp:productName", "product_name", "ImmunizationProduct")
            fact.code("sp:productClass", "product_class", "ImmunizationClass")
            fact.code("sp:productClass", "product_class_2", "ImmunizationClass")
            fact.code("sp:refusalReason", "refusal_reason", "ImmunizationRefusalReason")
        case "LabResult": describe(labResult: fact)
        case "Medication":
            fact.code("sp:drugName", "drugName", "RxNorm_Semantic")
            fact.neededDate("sp:startDate", "startDate")
            fact.dates(["sp:endDate": "endDate"])
            fact.neededText("sp:instructions", "instructions")
            fact.quantity("sp:quantity", "quantity")
            fact.quantity("sp:frequency", "frequency")
            fact.provenance()
        case "Problem":
            fact.code("sp:problemName", "name", "SNOMED")
            fact.neededDate("sp:startDate", "startDate")
            fact.dates(["sp:endDate": "endDate"])
            fact.texts(["sp:notes": "notes"])
        default: describe(vitalSigns: fact)
        }
    }

    private static func describe(labResult fact: RDFSubject) {
        fact.code("sp:labName", "test_name", "LOINC")
        fact.code("sp:labStatus", "status", "LabResultStatus")
        fact.code("sp:abnormalInterpretation", "abnormal_interpretation", "LabResultInterpretation")
        fact.texts(["sp:accessionNumber": "accession_number", "sp:notes": "notes"])
        if fact.values["narrative_result"]?.string != nil {
            fact.child("sp:narrativeResult", "sp:NarrativeResult").texts(["sp:value": "narrative_result"])
        }
        if fact.isMeasured("quantitative_result_value") {
            let result = fact.child(
                "sp:quantitativeResult",
                "sp:QuantitativeResult",
                prefix: "quantitative_result_"
            )
            result.measured("sp:valueAndUnit", "value")
            result.range("sp:normalRange", "normal_range")
            result.range("sp:nonCriticalRange", "non_critical_range")
        }
        guard fact.values["collected_at"]?.string != nil else { return }
        let attribution = fact.child("sp:specimenCollected", "sp:Attribution")
        attribution.dates(["sp:startDate": "collected_at"])
        attribution.organization(
            "sp:organization",
            "sp:Organization",
            prefix: "collected_by_org_",
            ["v:organization-name": "name"]
        )
        guard fact.hasName("collected_by_name_") else { return }
        let participant = attribution.child("sp:participant", "sp:Participant")
        participant.name("v:n", "collected_by_name_")
        participant.texts(["sp:role": "collected_by_role"])
    }

    private static func describe(vitalSigns fact: RDFSubject) {
        fact.neededDate("dcterms:date", "date")
        fact.signs([
            "sp:bodyMassIndex": "bmi", "sp:heartRate": "heart_rate", "sp:height": "height",
            "sp:oxygenSaturation": "oxygen_saturation", "sp:respiratoryRate": "respiratory_rate",
            "sp:temperature": "temperature",
            "sp:weight": "weight",
        ])
        // Where none was taken, the real server writes an empty one.
        let pressure = fact.child("sp:bloodPressure", "sp:BloodPressure", prefix: "bp_")
        pressure.signs(["sp:systolic": "systolic", "sp:diastolic": "diastolic"])
        pressure.code("sp:bodyPosition", "position", "BloodPressureBodyPosition")
        pressure.code("sp:bodySite", "site", "BloodPressureBodySite")
        pressure.code("sp:method", "method", "BloodPressureMethod")
    }
}
