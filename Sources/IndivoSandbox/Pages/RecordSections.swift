#if Sandbox
/// The sections of a record's page: what is known of the person, model by model.
struct RecordSections {
    let record: String
    let facts: [String: [RecordPages.Fact]]

    private typealias Fact = RecordPages.Fact

    /// Who it is about.
    func person(_ values: JSONValue?) -> Markup {
        guard let values else { return .empty }
        func text(_ name: String) -> String? { values[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        let parts = [
            text("bday").map { "born \($0)" }, text("gender"), text("adr_city"), text("email"),
        ].compactMap { $0 }
        return "<p>\(parts.joined(separator: " · "))</p>"
    }

    /// A section for every model that has something to tell; custom models come last.
    func markup(models: [String]) -> Markup {
        let known = [
            table("Problem", "Problems", ["Problem", "Since", "Until", "Notes"]) {
                [$0["name_title"], $0.day("startDate"), $0.day("endDate"), $0["notes"]]
            },
            table("Medication", "Medications", ["Medication", "From", "To", "Instructions", "Fills"]) {
                [
                    $0["drugName_title"], $0.day("startDate"), $0.day("endDate"), $0["instructions"], String($0.fillCount),
                ]
            },
            table("Allergy", "Allergies", ["Allergen", "Reaction", "Severity"]) { fact in
                let allergens = ["drug_allergen", "drug_class_allergen", "food_allergen"].map { fact[$0 + "_title"] }
                return [
                    allergens.first { !$0.isEmpty } ?? fact["category_title"], fact["allergic_reaction_title"],
                    fact["severity_title"],
                ]
            },
            table("AllergyExclusion", "Known not to be allergic", [""]) { [$0["name_title"]] },
            labs, vitals,
            table("Immunization", "Immunizations", ["Vaccine", "On", "Status"]) {
                [$0["product_name_title"], $0.day("date"), $0["administration_status_title"]]
            },
            table("Procedure", "Procedures", ["Procedure", "On", "Where"]) {
                [$0["name"], $0.day("date_performed"), $0["location"]]
            },
            table("Equipment", "Equipment", ["Equipment", "Since", "Vendor", "Description"]) {
                [$0["name"], $0.day("date_started"), $0["vendor"], $0["description"]]
            },
            table("SimpleClinicalNote", "Notes", ["On", "Complaint", "Note"]) {
                [$0.day("date_of_visit"), $0["chief_complaint"], $0["content"]]
            },
            table("Encounter", "Encounters", ["On", "Kind", "Where"]) {
                [$0.day("startDate"), $0["encounterType_title"], $0["facility_name"]]
            },
        ]
        let named: Set = [
            "Problem", "Medication", "Fill", "Allergy", "AllergyExclusion", "LabResult", "VitalSigns", "Immunization",
            "Procedure", "Equipment", "SimpleClinicalNote", "Encounter", "Demographics",
        ]
        let others = models.filter { !named.contains($0) }.map(anyModel)
        return Markup(known) + Markup(others)
    }

    private func table(
        _ model: String, _ title: String, _ heads: [String], _ cells: (Fact) -> [String]
    ) -> Markup {
        guard let facts = facts[model], !facts.isEmpty else { return .empty }
        let rows = facts.map { fact -> Markup in
            let cells = cells(fact).enumerated().map { index, text -> Markup in
                let shown = text.isEmpty ? "–" : text
                guard index == 0 else { return "<td>\(shown)</td>" }
                return "<td><a href=\"/records/\(record)/documents/\(fact.document)\">\(shown)</a></td>"
            }
            return "<tr>\(cells)</tr>"
        }
        return section(model, title, HomePages.table(heads, rows))
    }

    private func section(_ model: String, _ title: String, _ content: Markup) -> Markup {
        "<section aria-labelledby=\"\(model)\"><h2 id=\"\(model)\">\(title)</h2>\(content)</section>"
    }

    /// A model the page knows nothing about: its fields as they are.
    private func anyModel(_ model: String) -> Markup {
        guard let facts = facts[model], !facts.isEmpty else { return .empty }
        let items = facts.map { fact -> Markup in
            guard case .object(let members) = fact.values else { return .empty }
            let known = members.filter { $0.value != .null }.map { "\($0.name): \($0.value.string ?? $0.value.text)" }
            return """
                <li><a href="/records/\(record)/documents/\(fact.document)">\(known.joined(separator: ", "))</a></li>
                """
        }
        return section(model, model, "<ul class=\"list\">\(items)</ul>")
    }

    // MARK: Charts

    private var labs: Markup {
        guard let facts = facts["LabResult"], !facts.isEmpty else { return .empty }
        let groups = Dictionary(grouping: facts) { $0["test_name_title"] }.sorted { $0.key < $1.key }
        let charts = groups.map { title, facts -> Markup in
            let points = facts.compactMap { fact in
                point(fact, at: "collected_at", value: "quantitative_result_value_value")
            }
            let latest = facts.last
            let low = latest?.number("quantitative_result_normal_range_min_value")
            let high = latest?.number("quantitative_result_normal_range_max_value")
            var normal: ClosedRange<Double>?
            if let low, let high, low <= high { normal = low...high }
            return Chart(
                title: title, unit: latest?["quantitative_result_value_unit"] ?? "", points: points, normal: normal
            ).markup
        }
        return section("LabResult", "Results", "<div class=\"charts\">\(charts)</div>")
    }

    private static let signs: [(field: String, title: String, normal: ClosedRange<Double>?)] = [
        ("bp_systolic", "Blood pressure, systolic", 90...130), ("bp_diastolic", "Blood pressure, diastolic", 60...85),
        ("heart_rate", "Heart rate", 60...100), ("temperature", "Temperature", 36.1...37.5),
        ("respiratory_rate", "Breathing rate", 12...20), ("oxygen_saturation", "Oxygen saturation", 95...100),
        ("weight", "Weight", nil), ("height", "Height", nil), ("bmi", "Body mass index", 18.5...25),
    ]

    private var vitals: Markup {
        guard let facts = facts["VitalSigns"], !facts.isEmpty else { return .empty }
        let charts = RecordSections.signs.map { sign -> Markup in
            let points = facts.compactMap { point($0, at: "date", value: sign.field + "_value") }
            let unit = facts.map { $0[sign.field + "_unit"] }.first { !$0.isEmpty } ?? ""
            return Chart(title: sign.title, unit: unit, points: points, normal: sign.normal).markup
        }
        return section(
            "VitalSigns", "Vital signs",
            "<div class=\"charts\">\(charts)</div><p class=\"note\">The shaded bands are usual values of adults at rest.</p>")
    }

    private func point(_ fact: Fact, at: String, value: String) -> Chart.Point? {
        guard let time = IndivoDate.parseDateTime(fact[at]), let number = fact.number(value) else { return nil }
        return Chart.Point(at: time, value: number)
    }
}
#endif
