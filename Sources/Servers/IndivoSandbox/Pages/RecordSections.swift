/// The sections of a record's page: what is known about the person, model by model.
struct RecordSections {
    let record: String
    /// By the names of their models.
    private let facts: [String: [RecordPages.Fact]]
    /// A model and a fact of it, by document.
    private let firstFacts: [String: (String, RecordPages.Fact)]
    /// Whether the reference ranges of adults apply to the person.
    private let isAdult: Bool

    private typealias Fact = RecordPages.Fact

    init(record: String, facts: [String: [RecordPages.Fact]], isAdult: Bool) {
        self.record = record
        self.facts = facts
        self.isAdult = isAdult
        // A fact that is nested in another one describes the document less well than that one.
        let nested: Set = ["Fill", "Encounter"]
        firstFacts = Dictionary(
            firstOf: facts.sorted { !nested.contains($0.key) && nested.contains($1.key) }
                .flatMap { model, facts in facts.map { ($0.document, (model, $0)) } }
        )
    }

    /// Who it is about.
    func person(_ values: FactValues?, at now: Timestamp) -> Markup {
        guard let values else { return .empty }
        func text(_ name: String) -> String? { values[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        let parts = [
            text("bday").map { day in
                "born \(day)" + (RecordSections.age(born: day, at: now).map { ", \($0)" } ?? "")
            },
            text("gender"), text("adr_city"), text("email"),
        ].compactMap { $0 }
        return "<p class=\"quiet\">\(parts.joined(separator: " · "))</p>"
    }

    /// In full years, or months for a baby.
    private static func age(born day: String, at now: Timestamp) -> String? {
        guard day.utf8.count == 10, IndivoDate.parseDateTime(day) != nil else { return nil }
        let born = day.split(separator: "-").compactMap { Int($0) }
        let today = now.day.split(separator: "-").compactMap { Int($0) }
        let months = (today[0] - born[0]) * 12 + today[1] - born[1] - (today[2] < born[2] ? 1 : 0)
        return months < 0 ? nil : months < 24 ? "\(months) months old" : "\(months / 12) years old"
    }

    /// What a document is about, as far as its first fact shows.
    func title(ofDocument id: String) -> String? {
        guard let (model, fact) = firstFacts[id] else { return nil }
        let names = [
            "name_title", "drugName_title", "test_name_title", "product_name_title", "name",
            "drug_allergen_title",
            "category_title", "chief_complaint", "encounterType_title", "type",
        ]
        let what = names.lazy.map { fact[$0] }.first { !$0.isEmpty }
        return what.map { "\(RecordSections.words(model)): \($0)" } ?? RecordSections.words(model)
    }

    /// The name of a model as words: `LabResult` is “Lab result”.
    static func words(_ model: String) -> String {
        model.replacing(/([a-z])([A-Z])/) { "\($0.output.1) \($0.output.2.lowercased())" }
    }

    /// A section for every model that has something to show; custom models come last.
    func all(models: [String]) -> [Section] {
        let allergens = "drug_allergen_title drug_class_allergen_title food_allergen_title category_title"
        let known = [
            table(
                "Problem",
                "Problems",
                ["Problem": "name_title", "Since": "startDate", "Until": "endDate", "Notes": "notes"]
            ),
            table(
                "Medication",
                "Medications",
                [
                    "Medication": "drugName_title", "From": "startDate", "To": "endDate",
                    "Instructions": "instructions",
                    "Fills": "fulfillments",
                ]
            ),
            table(
                "Allergy",
                "Allergies",
                ["Allergen": allergens, "Reaction": "allergic_reaction_title", "Severity": "severity_title"]
            ),
            table("AllergyExclusion", "Allergies ruled out", ["Known": "name_title"]),
            labs, vitals, measurements,
            table(
                "Immunization",
                "Immunizations",
                ["Vaccine": "product_name_title", "On": "date", "Status": "administration_status_title"]
            ),
            table(
                "Procedure",
                "Procedures",
                ["Procedure": "name", "On": "date_performed", "Where": "location"]
            ),
            table(
                "Equipment",
                "Equipment",
                [
                    "Equipment": "name", "Since": "date_started", "Vendor": "vendor",
                    "Description": "description",
                ]
            ),
            table(
                "SimpleClinicalNote",
                "Notes",
                ["Complaint": "chief_complaint", "On": "date_of_visit", "Note": "content"]
            ),
            table(
                "Encounter",
                "Encounters",
                ["Encounter": "encounterType_title", "On": "startDate", "Where": "facility_name"]
            ),
        ]
        let others = Set(models).subtracting(known.compactMap { $0?.id } + ["Fill", "Demographics"])
        return (known + others.sorted().map(anyModel)).compactMap { $0 }
    }

    /// Of these fields, only the day is shown.
    private static let days: Set = [
        "startDate", "endDate", "date", "date_performed", "date_started", "date_of_visit",
    ]

    /// - Parameter columns: The heads, with the fields of each. The first field with a value is shown.
    private func table(_ model: String, _ title: String, _ columns: KeyValuePairs<String, String>) -> Section?
    {
        table(model, title, columns.map(\.key)) { fact in
            columns.map { column in
                let names = column.value.split(separator: " ").map(String.init)
                return names.map { RecordSections.days.contains($0) ? fact.day($0) : fact[$0] }.first {
                    !$0.isEmpty
                } ?? ""
            }
        }
    }

    private func table(_ model: String, _ title: String, _ heads: [String], _ cells: (Fact) -> [String])
        -> Section?
    {
        guard let facts = facts[model], !facts.isEmpty else { return nil }
        let rows = facts.map { fact -> [Markup] in
            let cells = cells(fact)
            return [link(cells[0], to: fact)] + cells.dropFirst().map(RecordSections.cell)
        }
        return Section(id: model, title: title, content: PageTable(heads: heads, rows: rows).markup)
    }

    private func link(_ text: String, to fact: Fact) -> Markup {
        "<a href=\"\(page(of: fact))\">\(PageTable.cell(text))</a>"
    }

    /// A day is not broken across lines.
    private static func cell(_ text: String) -> Markup {
        guard text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil else { return PageTable.cell(text) }
        return "<time datetime=\"\(text)\">\(text)</time>"
    }

    /// A model the page knows nothing about: its fields as they are, a column each.
    private func anyModel(_ model: String) -> Section? {
        guard let facts = facts[model], !facts.isEmpty else { return nil }
        let names = facts.flatMap { fact in
            (fact.values.members ?? []).filter { !$0.value.isNull }.map(\.name)
        }
        let columns = Set(names).sorted().prefix(6)
        return table(model, RecordSections.words(model), ["Document"] + columns) { fact in
            let cells = columns.map { name in
                fact.number(name).map { Chart.text($0) } ?? RecordSections.shown(fact[name])
            }
            return [RecordSections.words(model)] + cells
        }
    }

    /// A stored date-time in fewer words.
    static func shown(_ text: String) -> String {
        guard text.wholeMatch(of: /\d{4}-\d\d-\d\dT.*Z/) != nil else { return text }
        return text.contains("T00:00:00")
            ? String(text.prefix(10)) : String(text.prefix(16)).replacing("T", with: " ")
    }

    private var labs: Section? {
        charts("LabResult", "Results", by: "test_name_title", note: wordyResults) { test, facts in
            let ends = ["min", "max"].compactMap {
                facts.last?.number("quantitative_result_normal_range_\($0)_value")
            }
            let normal = ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
            return Chart(
                title: test,
                unit: facts.last?["quantitative_result_value_unit"] ?? "",
                points: points(facts, at: "collected_at", value: "quantitative_result_value_value"),
                normal: normal
            )
        }
    }

    /// Results that no chart can show: their value is a word, or they have no date.
    private var wordyResults: Markup {
        let date = "collected_at"
        let number = "quantitative_result_value_value"
        let others = (facts["LabResult"] ?? []).filter {
            IndivoDate.parseDateTime($0[date]) == nil || $0.number(number) == nil
        }
        guard !others.isEmpty else { return .empty }
        return PageTable(
            others,
            [
                "Test": { link($0["test_name_title"], to: $0) }, "On": { RecordSections.cell($0.day(date)) },
                "Result": { fact in
                    let value = fact.number(number).map {
                        Chart.text($0) + " " + fact["quantitative_result_value_unit"]
                    }
                    let words = [fact["narrative_result"], fact["abnormal_interpretation_title"]]
                    return PageTable.cell(value ?? words.first { !$0.isEmpty } ?? fact.stored(number))
                },
            ]
        ).markup
    }

    private func page(of fact: Fact) -> String { "/records/\(record)/documents/\(fact.document)" }

    private var measurements: Section? {
        charts("Measurement", "Measurements", by: "type") { type, facts in
            Chart(
                title: type,
                unit: facts.last?["unit"] ?? "",
                points: points(facts, at: "datetime", value: "value")
            )
        }
    }

    /// A chart for each thing that was measured.
    private func charts(
        _ model: String,
        _ title: String,
        by name: String,
        note: Markup = .empty,
        _ chart: (String, [Fact]) -> Chart
    ) -> Section? {
        charts(model, title, note: note) { facts in
            Dictionary(grouping: facts) { $0[name] }.sorted { $0.key < $1.key }.map { chart($0, $1) }
        }
    }

    private func charts(_ model: String, _ title: String, note: Markup, _ charts: ([Fact]) -> [Chart])
        -> Section?
    {
        guard let facts = facts[model], !facts.isEmpty else { return nil }
        let content: Markup = "<div class=\"charts\">\(charts(facts).map(\.markup))</div>\(note)"
        return Section(id: model, title: title, content: content)
    }

    private static let signs: [(field: String, title: String, normal: ClosedRange<Double>?)] = [
        ("bp_systolic", "Blood pressure, systolic", 90...130),
        ("bp_diastolic", "Blood pressure, diastolic", 60...85),
        ("heart_rate", "Heart rate", 60...100), ("temperature", "Temperature", 36.1...37.5),
        ("respiratory_rate", "Breathing rate", 12...20), ("oxygen_saturation", "Oxygen saturation", 95...100),
        ("weight", "Weight", nil), ("height", "Height", nil), ("bmi", "Body mass index", 18.5...25),
    ]

    private var vitals: Section? {
        let note: Markup =
            isAdult ? "<p class=\"quiet\">The shaded range is that of adults at rest.</p>" : .empty
        return charts("VitalSigns", "Vital signs", note: note) { facts in
            RecordSections.signs.map { field, title, normal in
                let unit = facts.lazy.map { $0[field + "_unit"] }.first { !$0.isEmpty } ?? ""
                let points = points(facts, at: "date", value: field + "_value")
                return Chart(title: title, unit: unit, points: points, normal: isAdult ? normal : nil)
            }
        }
    }

    /// The most points of a chart; the latest are shown.
    private static let pointLimit = 400

    private func points(_ facts: [Fact], at: String, value: String) -> [Chart.Point] {
        let points = facts.compactMap { fact -> Chart.Point? in
            guard let time = IndivoDate.parseDateTime(fact[at]), let number = fact.number(value) else {
                return nil
            }
            return Chart.Point(at: time, value: number, page: page(of: fact))
        }
        guard points.count > Self.pointLimit else { return points }
        return Array(points.sorted { $0.at < $1.at }.suffix(Self.pointLimit))
    }
}
