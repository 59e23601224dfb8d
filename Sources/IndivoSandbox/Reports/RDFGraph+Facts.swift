import GRDB

extension RDFGraph {
    /// The models that have a form in RDF: the part of the URL of their facts, as the real server spells it, the class, and
    /// what is said of a fact, other facts aside.
    static let models: [String: (path: String, type: String, describe: @Sendable (RDFSubject) -> Void)] = [
        "Allergy": (
            "allergies", "sp:Allergy",
            { fact in
                fact.code("sp:allergicReaction", "allergic_reaction", "SNOMED")
                fact.code("sp:category", "category", "AllergyCategory")
                fact.code("sp:severity", "severity", "AllergySeverity")
                fact.code("sp:drugAllergen", "drug_allergen", "RxNorm_Ingredient")
                fact.code("sp:drugClassAllergen", "drug_class_allergen", "NDFRT")
                fact.code("sp:foodAllergen", "food_allergen", "UNII")
            }
        ),
        "AllergyExclusion": (
            "allergies", "sp:AllergyExclusion", { $0.code("sp:allergyExclusionName", "name", "AllergyExclusion") }
        ),
        "Encounter": (
            "encounters", "sp:Encounter",
            { fact in
                fact.date("sp:startDate", "startDate")
                fact.date("sp:endDate", "endDate")
                fact.code("sp:encounterType", "encounterType", "EncounterType")
                fact.organization("sp:facility", "sp:Organization", prefix: "facility_", [("v:organization-name", "name")])
                fact.provider()
            }
        ),
        "Fill": (
            "fullfillments", "sp:Fulfillment",
            { fact in
                fact.date("dcterms:date", "date")
                fact.number("sp:dispenseDaysSupply", "dispenseDaysSupply")
                fact.text("sp:pbm", "pbm")
                fact.quantity("sp:quantityDispensed", "quantityDispensed")
                fact.organization(
                    "sp:pharmacy", "sp:Pharmacy", prefix: "pharmacy_",
                    [("sp:ncpdpId", "ncpdpid"), ("v:organization-name", "org")])
                fact.provider()
            }
        ),
        "Immunization": (
            "immunizations", "sp:Immunization",
            { fact in
                fact.date("dcterms:date", "date")
                fact.code("sp:administrationStatus", "administration_status", "ImmunizationAdministrationStatus")
                fact.code("sp:productName", "product_name", "ImmunizationProduct")
                fact.code("sp:productClass", "product_class", "ImmunizationClass")
                fact.code("sp:productClass", "product_class_2", "ImmunizationClass")
                fact.code("sp:refusalReason", "refusal_reason", "ImmunizationRefusalReason")
            }
        ),
        "LabResult": ("lab_results", "sp:LabResult", labResult),
        "Medication": (
            "medications", "sp:Medication",
            { fact in
                fact.code("sp:drugName", "drugName", "RxNorm_Semantic")
                fact.date("sp:startDate", "startDate")
                fact.date("sp:endDate", "endDate")
                fact.text("sp:instructions", "instructions")
                fact.quantity("sp:quantity", "quantity")
                fact.quantity("sp:frequency", "frequency")
                fact.provenance()
            }
        ),
        "Problem": (
            "problems", "sp:Problem",
            { fact in
                fact.code("sp:problemName", "name", "SNOMED")
                fact.date("sp:startDate", "startDate")
                fact.date("sp:endDate", "endDate")
                fact.text("sp:notes", "notes")
            }
        ),
        "VitalSigns": ("vital_signs", "sp:VitalSigns", vitalSigns),
    ]

    static func facts(_ facts: [FactRow], of record: String, server: ServerContext, in db: Database) throws -> RDFGraph {
        let graph = RDFGraph()
        let record = "\(server.apiBase)/records/\(record)"
        let children = try FactStore(db: db).children(of: facts)

        /// - Parameter withFills: Whether a medication brings its fills along. One that a fill brings along does not.
        func write(_ fact: FactRow, withFills: Bool = true) throws -> Node {
            guard let model = models[fact.model] else { return graph.blank() }
            let node = Node.resource("\(record)/\(model.path)/\(fact.id)")
            // A medication and its fills name each other: each is written once.
            guard !graph.describes(node) else { return node }
            graph.type(node, model.type)
            graph.add(node, "sp:belongsTo", .node(.resource(record)))
            model.describe(RDFSubject(graph: graph, node: node, values: try fact.values()))
            switch fact.model {
            case "Fill":
                guard let medication = try FactStore(db: db).parent(of: fact) else { break }
                let medicationNode = try write(medication, withFills: false)
                graph.add(node, "sp:medication", .node(medicationNode))
                graph.add(medicationNode, "sp:fulfillment", .node(node))
            case "Medication" where withFills:
                for child in children.of(fact, "fulfillments") {
                    graph.add(node, "sp:fulfillment", .node(try write(child)))
                }
            case "VitalSigns":
                guard let encounter = try FactStore(db: db).parent(of: fact) else { break }
                graph.add(node, "sp:encounter", .node(try write(encounter)))
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
        graph.add(node, "sp:belongsTo", .node(.resource(uri)))
        let person = RDFSubject(graph: graph, node: node, values: try fact.values())
        person.text("foaf:gender", "gender")
        person.text("sp:preferredLanguage", "preferred_language")
        person.text("sp:ethnicity", "ethnicity")
        person.text("sp:race", "race")
        person.text("sp:email", "email")
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

    @Sendable private static func labResult(_ fact: RDFSubject) {
        fact.code("sp:labName", "test_name", "LOINC")
        fact.code("sp:labStatus", "status", "LabResultStatus")
        fact.code("sp:abnormalInterpretation", "abnormal_interpretation", "LabResultInterpretation")
        fact.text("sp:accessionNumber", "accession_number")
        fact.text("sp:notes", "notes")
        if fact.values["narrative_result"]?.string != nil {
            fact.child("sp:narrativeResult", "sp:NarrativeResult").text("sp:value", "narrative_result")
        }
        if fact.isMeasured("quantitative_result_value") {
            let result = fact.child("sp:quantitativeResult", "sp:QuantitativeResult", prefix: "quantitative_result_")
            result.measured("sp:valueAndUnit", "value")
            result.range("sp:normalRange", "normal_range")
            result.range("sp:nonCriticalRange", "non_critical_range")
        }
        guard fact.values["collected_at"]?.string != nil else { return }
        let attribution = fact.child("sp:specimenCollected", "sp:Attribution")
        attribution.date("sp:startDate", "collected_at")
        attribution.organization(
            "sp:organization", "sp:Organization", prefix: "collected_by_org_", [("v:organization-name", "name")])
        guard fact.hasName("collected_by_name_") else { return }
        let participant = attribution.child("sp:participant", "sp:Participant")
        participant.name("v:n", "collected_by_name_")
        participant.text("sp:role", "collected_by_role")
    }

    @Sendable private static func vitalSigns(_ fact: RDFSubject) {
        fact.date("dcterms:date", "date")
        fact.sign("sp:bodyMassIndex", "bmi")
        fact.sign("sp:heartRate", "heart_rate")
        fact.sign("sp:height", "height")
        fact.sign("sp:oxygenSaturation", "oxygen_saturation")
        fact.sign("sp:respiratoryRate", "respiratory_rate")
        fact.sign("sp:temperature", "temperature")
        fact.sign("sp:weight", "weight")
        guard ["systolic", "diastolic"].contains(where: { fact.values["bp_\($0)_value"] != .null }) else { return }
        let pressure = fact.child("sp:bloodPressure", "sp:BloodPressure", prefix: "bp_")
        pressure.sign("sp:systolic", "systolic")
        pressure.sign("sp:diastolic", "diastolic")
        pressure.code("sp:bodyPosition", "position", "BloodPressureBodyPosition")
        pressure.code("sp:bodySite", "site", "BloodPressureBodySite")
        pressure.code("sp:method", "method", "BloodPressureMethod")
    }
}
