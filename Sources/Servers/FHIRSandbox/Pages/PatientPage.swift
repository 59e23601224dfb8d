import GRDB
import OrderedJSON
import WebServing

/// A patient: who it is, charts of what was measured, and everything else in tables.
struct PatientPage {
    let session: Session
    let id: String

    /// So many resources of a type are read, the latest first, and so many shown in a table.
    private static let readLimit = 5_000
    private static let rowLimit = 100

    func page() throws -> Response {
        let patient = try session.existing("Patient", id).json()
        let counts = try counts()
        var sections: [(title: String, id: String, content: Markup)] = []
        if counts["Observation"] != nil { sections += try observations(counts["Observation"] ?? 0) }
        for (type, count) in counts.sorted(by: { Self.rank($0.key) < Self.rank($1.key) })
        where type != "Observation" && type != "Patient" {
            sections.append((Self.titles[type] ?? type, type, try table(type, count)))
        }
        let health: Markup =
            try PatientHealthPage.hasContent(session, id)
            ? "<li><a href=\"/patients/\(id)/health\">By day, month and year</a></li>" : .empty
        let links = sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" as Markup }
        let parts = sections.map { section -> Markup in
            """
            <section id="\(section.id)" aria-labelledby="\(section.id)-title">\
            <h2 id="\(section.id)-title">\(section.title)</h2>\(section.content)</section>
            """
        }
        return PageFrame.fhirSandbox.page(
            ResourceText.name(of: patient),
            """
            <nav aria-label="Sections"><ul>\(health)\(links)</ul></nav>
            <section aria-label="The patient">\(details(patient))</section>
            \(parts)
            """
        )
    }

    // MARK: The patient

    private func details(_ patient: JSONValue) -> Markup {
        var facts: [(String, String)] = []
        func add(_ title: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append((title, text)) }
        }
        add("Born", patient["birthDate"]?.string)
        add("Gender", patient["gender"]?.string)
        add(
            "Died",
            patient["deceasedDateTime"]?.string ?? (patient["deceasedBoolean"]?.boolean == true ? "yes" : nil)
        )
        for address in patient.elements(of: "address") {
            let parts =
                (address["line"]?.elements?.compactMap(\.string) ?? [])
                + ["postalCode", "city", "state", "country"].compactMap { address[$0]?.string }
            add("Address", address["text"]?.string ?? parts.joined(separator: ", "))
        }
        for contact in patient.elements(of: "telecom") { add("Contact", contact["value"]?.string) }
        for identifier in patient.elements(of: "identifier") {
            add(ResourceText.concept(identifier["type"]) ?? "Identifier", identifier["value"]?.string)
        }
        let lines = facts.prefix(30).map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as Markup }
        return """
            <dl>\(lines)</dl><p><a href="/resources/Patient/\(id)">the resource</a> · \
            <a href="/fhir/Patient/\(id)/$everything?_format=json&amp;_pretty=true">everything</a></p>
            """
    }

    // MARK: Resources

    /// How many resources of each type are the patient's.
    private func counts() throws -> [String: Int] {
        let rows = try Row.fetchAll(
            session.db,
            sql: """
                SELECT resource.type, COUNT(DISTINCT resource.id) AS count FROM value
                JOIN resource ON resource.id = value.resource
                WHERE value.code = ? AND value.system = 'Patient' AND NOT resource.isDeleted
                AND value.key = resource.type || '.patient' GROUP BY resource.type
                """,
            arguments: [id]
        )
        return Dictionary(firstOf: rows.map { ($0["type"], $0["count"]) })
    }

    /// The patient's resources of a type, the latest first.
    private func resources(_ type: String, limit: Int) throws -> [JSONValue] {
        let rows = try Int64.fetchAll(
            session.db,
            sql: """
                SELECT DISTINCT resource.id
                FROM value
                JOIN resource ON resource.id = value.resource
                WHERE value.code = ? AND value.system = 'Patient' AND value.key = ? AND NOT resource.isDeleted
                ORDER BY (
                    SELECT max(dates.low)
                    FROM value AS dates
                    WHERE dates.resource = resource.id AND dates.key = ?
                ) DESC NULLS LAST, resource.id DESC
                LIMIT ?
                """,
            arguments: [id, "\(type).patient", "\(type).date", limit]
        )
        return try session.store.current(rows: rows).map { try $0.json() }
    }

    private func table(_ type: String, _ count: Int) throws -> Markup {
        let found = try resources(type, limit: Self.rowLimit)
        let rows = found.map { resource -> [Markup] in
            [
                link(resource, ResourceText.title(of: resource)), time(ResourceText.date(of: resource)),
                PageTable.cell(ResourceText.status(of: resource)),
            ]
        }
        return PageTable(heads: ["What", "When", "Status"], rows: rows).markup + rest(count, rows.count)
    }

    private func rest(_ count: Int, _ shown: Int) -> Markup {
        count > shown ? "<p class=\"quiet\">The latest \(shown) of \(count).</p>" : .empty
    }

    private func link(_ resource: JSONValue, _ text: String) -> Markup {
        """
        <a href="/resources/\(resource["resourceType"]?.string ?? "")/\(resource["id"]?.string ?? "")">\
        \(text)</a>
        """
    }

    private func time(_ text: String?) -> Markup {
        guard let text else { return "–" }
        return "<time datetime=\"\(text)\">\(String(text.prefix(10)))</time>"
    }

    // MARK: Observations

    private func observations(_ count: Int) throws -> [(title: String, id: String, content: Markup)] {
        let found = try resources("Observation", limit: Self.readLimit)
        let (charts, others) = ObservationSeries.split(found)
        var sections: [(title: String, id: String, content: Markup)] = []
        if !charts.isEmpty {
            let more: Markup =
                charts.count > ObservationSeries.chartLimit
                ? "<p class=\"quiet\">\(ObservationSeries.chartLimit) of \(charts.count) series.</p>" : .empty
            sections.append(
                (
                    "Measurements", "Measurements",
                    """
                    <div class="charts">\(charts.prefix(ObservationSeries.chartLimit).map(\.chart.markup))\
                    </div>
                    """
                        + more
                )
            )
        }
        if !others.isEmpty {
            let rows = others.prefix(Self.rowLimit).map { observation -> [Markup] in
                [
                    link(observation, ResourceText.title(of: observation)),
                    time(ResourceText.date(of: observation)),
                    PageTable.cell(ResourceText.value(of: observation)),
                    PageTable.cell(ResourceText.status(of: observation)),
                ]
            }
            sections.append(
                (
                    "Observations", "Observation",
                    PageTable(heads: ["What", "When", "Value", "Status"], rows: rows).markup
                        + rest(others.count, rows.count)
                )
            )
        }
        return sections
    }

    private static let titles = [
        "AllergyIntolerance": "Allergies", "Condition": "Conditions", "MedicationRequest": "Prescriptions",
        "MedicationStatement": "Medications", "MedicationDispense": "Dispensed medications",
        "Immunization": "Immunizations",
        "Procedure": "Procedures", "Encounter": "Encounters", "DiagnosticReport": "Reports",
        "CarePlan": "Care plans",
        "Goal": "Goals", "DocumentReference": "Documents", "QuestionnaireResponse": "Answered questionnaires",
        "Consent": "Consents", "DeviceUseStatement": "Use of devices", "Device": "Devices",
    ]

    private static func rank(_ type: String) -> String {
        let order = [
            "Condition", "AllergyIntolerance", "MedicationStatement", "MedicationRequest",
            "MedicationDispense", "Immunization",
            "Procedure", "Encounter", "DiagnosticReport", "DocumentReference", "QuestionnaireResponse",
        ]
        return (order.firstIndex(of: type).map { String(UnicodeScalar(UInt8(65 + $0))) } ?? "z") + type
    }
}
