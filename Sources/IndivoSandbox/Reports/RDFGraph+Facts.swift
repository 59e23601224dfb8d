import GRDB
import OrderedJSON

extension RDFGraph {
    private static let dateTime = "http://www.w3.org/2001/XMLSchema#dateTime"

    /// Facts of the clinical models, in SMART's vocabulary.
    static func facts(_ facts: [FactRow], of record: String, server: ServerContext, in db: Database) throws -> RDFGraph
    {
        var writer = Writer(
            record: "\(server.apiBase)/records/\(record)", children: try FactStore(db: db).children(of: facts), db: db)
        for fact in facts { _ = try writer.write(fact) }
        return writer.graph
    }

    /// Writes facts into a graph.
    private struct Writer {
        let record: String
        let children: FactChildren
        let db: Database
        var graph = RDFGraph()
        private var written: Set<Int64> = []

        /// The part of the URL of a model's facts, as the real server spells it, and its class.
        private static let places: [String: (path: String, type: String)] = [
            "Allergy": ("allergies", "sp:Allergy"), "AllergyExclusion": ("allergies", "sp:AllergyExclusion"),
            "Encounter": ("encounters", "sp:Encounter"), "Fill": ("fullfillments", "sp:Fulfillment"),
            "Immunization": ("immunizations", "sp:Immunization"), "LabResult": ("lab_results", "sp:LabResult"),
            "Medication": ("medications", "sp:Medication"), "Problem": ("problems", "sp:Problem"),
            "VitalSigns": ("vital_signs", "sp:VitalSigns"),
        ]

        init(record: String, children: FactChildren, db: Database) {
            self.record = record
            self.children = children
            self.db = db
        }

        /// - Parameter withFills: Whether a medication brings its fills along. One that a fill brings along does not.
        mutating func write(_ fact: FactRow, withFills: Bool = true) throws -> Node {
            guard let place = Writer.places[fact.model] else { return graph.blank() }
            let node = Node.resource("\(record)/\(place.path)/\(fact.id)")
            // A medication and its fills name each other: each is written once.
            guard written.insert(fact.serial).inserted else { return node }
            graph.type(node, place.type)
            graph.add(node, "sp:belongsTo", .node(.resource(record)))
            let values = try fact.values()
            switch fact.model {
            case "Allergy": allergy(node, values)
            case "AllergyExclusion": code(node, "sp:allergyExclusionName", values, "name", "AllergyExclusion")
            case "Encounter": encounter(node, values)
            case "Fill":
                fill(node, values)
                if let medication = try parent(of: fact) {
                    let medicationNode = try write(medication, withFills: false)
                    graph.add(node, "sp:medication", .node(medicationNode))
                    graph.add(medicationNode, "sp:fulfillment", .node(node))
                }
            case "Immunization": immunization(node, values)
            case "LabResult": labResult(node, values)
            case "Medication":
                medication(node, values)
                for child in withFills ? children.of(fact, "fulfillments") : [] {
                    graph.add(node, "sp:fulfillment", .node(try write(child)))
                }
            case "Problem": problem(node, values)
            default:
                vitalSigns(node, values)
                if let encounter = try parent(of: fact) {
                    graph.add(node, "sp:encounter", .node(try write(encounter)))
                }
            }
            return node
        }

        /// The fact in which this one is nested, or to which it refers.
        private func parent(of fact: FactRow) throws -> FactRow? {
            try FactRow.fetchOne(
                db,
                sql: """
                    SELECT \(FactRow.columns) FROM fact WHERE serial = (SELECT parent FROM fact WHERE serial = ?)
                    """,
                arguments: [fact.serial])
        }

        private mutating func allergy(_ node: Node, _ values: FactValues) {
            code(node, "sp:allergicReaction", values, "allergic_reaction", "SNOMED")
            code(node, "sp:category", values, "category", "AllergyCategory")
            code(node, "sp:severity", values, "severity", "AllergySeverity")
            code(node, "sp:drugAllergen", values, "drug_allergen", "RxNorm_Ingredient")
            code(node, "sp:drugClassAllergen", values, "drug_class_allergen", "NDFRT")
            code(node, "sp:foodAllergen", values, "food_allergen", "UNII")
        }

        private mutating func encounter(_ node: Node, _ values: FactValues) {
            date(node, "sp:startDate", values["startDate"])
            date(node, "sp:endDate", values["endDate"])
            code(node, "sp:encounterType", values, "encounterType", "EncounterType")
            organization(node, "sp:facility", values, "facility_")
            provider(node, "sp:provider", values, "provider_")
        }

        private mutating func fill(_ node: Node, _ values: FactValues) {
            date(node, "dcterms:date", values["date"])
            number(node, "sp:dispenseDaysSupply", values["dispenseDaysSupply"])
            text(node, "sp:pbm", values["pbm"])
            quantity(node, "sp:quantityDispensed", values, "quantityDispensed")
            pharmacy(node, values)
            provider(node, "sp:provider", values, "provider_")
        }

        private mutating func immunization(_ node: Node, _ values: FactValues) {
            date(node, "dcterms:date", values["date"])
            code(node, "sp:administrationStatus", values, "administration_status", "ImmunizationAdministrationStatus")
            code(node, "sp:productName", values, "product_name", "ImmunizationProduct")
            code(node, "sp:productClass", values, "product_class", "ImmunizationClass")
            code(node, "sp:productClass", values, "product_class_2", "ImmunizationClass")
            code(node, "sp:refusalReason", values, "refusal_reason", "ImmunizationRefusalReason")
        }

        private mutating func labResult(_ node: Node, _ values: FactValues) {
            code(node, "sp:labName", values, "test_name", "LOINC")
            code(node, "sp:labStatus", values, "status", "LabResultStatus")
            code(node, "sp:abnormalInterpretation", values, "abnormal_interpretation", "LabResultInterpretation")
            text(node, "sp:accessionNumber", values["accession_number"])
            text(node, "sp:notes", values["notes"])
            if values["narrative_result"]?.string != nil {
                let result = graph.blank()
                graph.type(result, "sp:NarrativeResult")
                text(result, "sp:value", values["narrative_result"])
                graph.add(node, "sp:narrativeResult", .node(result))
            }
            let prefix = "quantitative_result_"
            if let value = measured(values, prefix + "value") {
                let result = graph.blank()
                graph.type(result, "sp:QuantitativeResult")
                graph.add(result, "sp:valueAndUnit", .node(value))
                range(result, "sp:normalRange", values, prefix + "normal_range")
                range(result, "sp:nonCriticalRange", values, prefix + "non_critical_range")
                graph.add(node, "sp:quantitativeResult", .node(result))
            }
            if values["collected_at"]?.string != nil {
                let attribution = graph.blank()
                graph.type(attribution, "sp:Attribution")
                date(attribution, "sp:startDate", values["collected_at"])
                organization(attribution, "sp:organization", values, "collected_by_org_")
                if let name = graph.name(values, "collected_by_name_") {
                    let participant = graph.blank()
                    graph.type(participant, "sp:Participant")
                    graph.add(participant, "v:n", .node(name))
                    text(participant, "sp:role", values["collected_by_role"])
                    graph.add(attribution, "sp:participant", .node(participant))
                }
                graph.add(node, "sp:specimenCollected", .node(attribution))
            }
        }

        private mutating func medication(_ node: Node, _ values: FactValues) {
            code(node, "sp:drugName", values, "drugName", "RxNorm_Semantic")
            date(node, "sp:startDate", values["startDate"])
            date(node, "sp:endDate", values["endDate"])
            text(node, "sp:instructions", values["instructions"])
            quantity(node, "sp:quantity", values, "quantity")
            quantity(node, "sp:frequency", values, "frequency")
            provenance(node, values)
        }

        private mutating func problem(_ node: Node, _ values: FactValues) {
            code(node, "sp:problemName", values, "name", "SNOMED")
            date(node, "sp:startDate", values["startDate"])
            date(node, "sp:endDate", values["endDate"])
            text(node, "sp:notes", values["notes"])
        }

        private mutating func vitalSigns(_ node: Node, _ values: FactValues) {
            date(node, "dcterms:date", values["date"])
            for (field, predicate) in [
                ("bmi", "sp:bodyMassIndex"), ("heart_rate", "sp:heartRate"), ("height", "sp:height"),
                ("oxygen_saturation", "sp:oxygenSaturation"), ("respiratory_rate", "sp:respiratoryRate"),
                ("temperature", "sp:temperature"), ("weight", "sp:weight"),
            ] { sign(node, predicate, values, field) }
            guard values["bp_systolic_value"] != JSONValue.null || values["bp_diastolic_value"] != JSONValue.null else { return }
            let pressure = graph.blank()
            graph.type(pressure, "sp:BloodPressure")
            sign(pressure, "sp:systolic", values, "bp_systolic")
            sign(pressure, "sp:diastolic", values, "bp_diastolic")
            code(pressure, "sp:bodyPosition", values, "bp_position", "BloodPressureBodyPosition")
            code(pressure, "sp:bodySite", values, "bp_site", "BloodPressureBodySite")
            code(pressure, "sp:method", values, "bp_method", "BloodPressureMethod")
            graph.add(node, "sp:bloodPressure", .node(pressure))
        }

        private mutating func sign(_ node: Node, _ predicate: String, _ values: FactValues, _ field: String) {
            // As on the real server a zero counts for nothing.
            let value = values[field + "_value"]?.double ?? 0
            let unit = values[field + "_unit"]?.string ?? ""
            guard value != 0 || !unit.isEmpty else { return }
            let sign = graph.blank()
            graph.type(sign, "sp:VitalSign")
            if value != 0 { number(sign, "sp:value", JSONValue(decimal: value)) }
            graph.add(sign, "sp:unit", text: unit)
            code(sign, "sp:vitalName", values, field + "_name", "VitalSign")
            graph.add(node, predicate, .node(sign))
        }

        private mutating func code(
            _ node: Node, _ predicate: String, _ values: FactValues, _ field: String, _ type: String
        ) {
            guard let identifier = values[field + "_identifier"]?.string,
                let system = values[field + "_system"]?.string
            else { return }
            let title = values[field + "_title"]?.string
            let code = Node.resource(system + identifier)
            graph.type(code, "sp:Code", RDFGraph.smart.dropLast() + "/codes/" + type)
            graph.add(code, "dcterms:identifier", text: identifier)
            graph.add(code, "dcterms:title", text: title)
            graph.add(code, "sp:system", text: system)
            let value = graph.blank()
            graph.type(value, "sp:CodedValue")
            graph.add(value, "dcterms:title", text: title)
            graph.add(value, "sp:code", .node(code))
            graph.add(node, predicate, .node(value))
        }

        /// Where it is known from: here the code stands for itself, without a name.
        private mutating func provenance(_ node: Node, _ values: FactValues) {
            guard values["provenance_identifier"]?.string != nil else { return }
            let code = graph.blank()
            graph.type(code, "sp:Code")
            text(code, "dcterms:identifier", values["provenance_identifier"])
            text(code, "dcterms:title", values["provenance_title"])
            text(code, "sp:system", values["provenance_system"])
            graph.add(node, "sp:provenance", .node(code))
        }

        private mutating func number(_ node: Node, _ predicate: String, _ value: JSONValue?) {
            guard let number = value?.double else { return }
            graph.add(
                node, predicate,
                .literal(DecimalText.shortest(number), dataType: "http://www.w3.org/2001/XMLSchema#double"))
        }

        /// A quantity, which has both a value and a unit.
        private mutating func quantity(_ node: Node, _ predicate: String, _ values: FactValues, _ field: String) {
            guard values[field + "_value"]?.string?.isEmpty == false, values[field + "_unit"]?.string?.isEmpty == false,
                let quantity = measured(values, field)
            else { return }
            graph.add(node, predicate, .node(quantity))
        }

        /// A value with its unit; nil when there is neither. What is missing the real server writes as Python does.
        private mutating func measured(_ values: FactValues, _ field: String) -> Node? {
            let (value, unit) = (values[field + "_value"]?.string ?? "", values[field + "_unit"]?.string ?? "")
            guard !value.isEmpty || !unit.isEmpty else { return nil }
            let node = graph.blank()
            graph.type(node, "sp:ValueAndUnit")
            graph.add(node, "sp:value", text: value.isEmpty ? "None" : value)
            graph.add(node, "sp:unit", text: unit.isEmpty ? "None" : unit)
            return node
        }

        private mutating func range(_ node: Node, _ predicate: String, _ values: FactValues, _ field: String) {
            let parts = ["_min_value", "_min_unit", "_max_value", "_max_unit"].map { values[field + $0]?.string ?? "" }
            guard parts.contains(where: { !$0.isEmpty }) else { return }
            let range = graph.blank()
            graph.type(range, "sp:ValueRange")
            if let minimum = measured(values, field + "_min") {
                graph.add(range, "sp:minimum", .node(minimum))
                // The real server gives the minimum for both ends.
                if !parts[2].isEmpty || !parts[3].isEmpty { graph.add(range, "sp:maximum", .node(minimum)) }
            }
            graph.add(node, predicate, .node(range))
        }

        private mutating func organization(_ node: Node, _ predicate: String, _ values: FactValues, _ prefix: String) {
            let address = graph.address(values, prefix + "adr_")
            guard values[prefix + "name"]?.string != nil || address != nil else { return }
            let organization = graph.blank()
            graph.type(organization, "sp:Organization")
            text(organization, "v:organization-name", values[prefix + "name"])
            if let address { graph.add(organization, "v:adr", .node(address)) }
            graph.add(node, predicate, .node(organization))
        }

        private mutating func pharmacy(_ node: Node, _ values: FactValues) {
            let address = graph.address(values, "pharmacy_adr_")
            guard values["pharmacy_ncpdpid"]?.string != nil || values["pharmacy_org"]?.string != nil || address != nil
            else { return }
            let pharmacy = graph.blank()
            graph.type(pharmacy, "sp:Pharmacy")
            text(pharmacy, "sp:ncpdpId", values["pharmacy_ncpdpid"])
            text(pharmacy, "v:organization-name", values["pharmacy_org"])
            if let address { graph.add(pharmacy, "v:adr", .node(address)) }
            graph.add(node, "sp:pharmacy", .node(pharmacy))
        }

        private mutating func provider(_ node: Node, _ predicate: String, _ values: FactValues, _ prefix: String) {
            let name = graph.name(values, prefix + "name_")
            guard let name else { return }
            let provider = graph.blank()
            graph.type(provider, "sp:Provider")
            graph.add(provider, "v:n", .node(name))
            text(provider, "sp:deaNumber", values[prefix + "dea_number"])
            text(provider, "sp:npiNumber", values[prefix + "npi_number"])
            text(provider, "sp:ethnicity", values[prefix + "ethnicity"])
            text(provider, "sp:race", values[prefix + "race"])
            text(provider, "sp:preferredLanguage", values[prefix + "preferred_language"])
            text(provider, "foaf:gender", values[prefix + "gender"])
            text(provider, "v:email", values[prefix + "email"])
            text(provider, "v:bday", values[prefix + "bday"])
            if let address = graph.address(values, prefix + "adr_") { graph.add(provider, "v:adr", .node(address)) }
            for part in ["tel_1_", "tel_2_"] {
                if let telephone = graph.telephone(values, prefix + part) {
                    graph.add(provider, "v:tel", .node(telephone))
                }
            }
            graph.add(node, predicate, .node(provider))
        }

        private mutating func text(_ node: Node, _ predicate: String, _ value: JSONValue?) {
            graph.add(node, predicate, text: value?.string)
        }

        /// A date or an instant; in RDF the server leaves the zone out.
        private mutating func date(_ node: Node, _ predicate: String, _ value: JSONValue?) {
            guard let text = value?.string, !text.isEmpty else { return }
            let isDay = text.count == 10
            let written = isDay ? text : text.replacing(".000000Z", with: "").replacing("Z", with: "")
            graph.add(
                node, predicate,
                .literal(written, dataType: "http://www.w3.org/2001/XMLSchema#" + (isDay ? "date" : "dateTime")))
        }
    }
}
