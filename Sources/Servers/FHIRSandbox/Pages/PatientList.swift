import GRDB
import OrderedJSON
import WebServing

/// The patients, by name.
struct PatientList {
    let session: Session
    let query: QueryItems

    private static let limit = 100

    func page() throws -> Response {
        let name = query["name"] ?? ""
        var items = QueryItems([("_sort", "family,given"), ("_count", String(Self.limit))])
        if !name.isEmpty { items = items.adding("name", name.replacing(",", with: " ")) }
        var request = SandboxRequest(interaction: .search(type: "Patient"))
        request.query = items
        let bundle = try session.search("Patient", request)
        let total = bundle["total"]?.integer ?? 0
        let rows = bundle.elements(of: "entry").compactMap { entry -> [Markup]? in
            guard let patient = entry["resource"], patient["resourceType"]?.string == "Patient",
                let id = patient["id"]?.string
            else { return nil }
            return [
                "<a href=\"/patients/\(id)\">\(ResourceText.name(of: patient))</a>",
                PageTable.cell(patient["birthDate"]?.string), PageTable.cell(patient["gender"]?.string),
                "<code>\(id)</code>",
            ]
        }
        let table = PageTable(
            heads: ["Name", "Born", "Gender", "Id"],
            rows: rows,
            empty: name.isEmpty
                ? "There is no patient yet. Send one to <code>\(session.base)/Patient</code>."
                : "Nobody has this name."
        )
        let more: Markup =
            total > rows.count ? "<p class=\"quiet\">The first \(rows.count) of \(total).</p>" : .empty
        return PageFrame.fhirSandbox.page(
            "Patients",
            """
            <p class="quiet">FHIR R4 at <code>\(session.base)</code></p>
            <section aria-label="Patients">
            <form class="main" method="get" action="/"><label>Name<input name="name" value="\(name)"></label>
            <div><button class="primary">Find</button></div></form>
            \(table.markup)\(more)</section>
            """
        )
    }
}

/// One resource, as it is.
struct ResourcePage {
    let session: Session
    let type: String
    let id: String

    func page() throws -> Response {
        let stored = try session.existing(type, id)
        let json = try stored.json()
        var links: [Markup] = [
            "<a href=\"/fhir/\(stored.path)/_history?_format=json&amp;_pretty=true\">history</a>"
        ]
        if type == "Questionnaire" { links.insert("<a href=\"/questionnaires/\(id)/\">answer it</a>", at: 0) }
        if let patient = ResourceText.patient(of: json) {
            links.insert("<a href=\"/patients/\(patient)\">patient</a>", at: 0)
        }
        return PageFrame.fhirSandbox.page(
            "\(type): \(ResourceText.title(of: json))",
            """
            <p class="quiet">Version \(stored.version) of <code>\(stored.path)</code>, \
            <time datetime="\(stored.lastUpdated)">\(stored.lastUpdated)</time></p>
            <nav aria-label="Related"><ul>\(links.map { "<li>\($0)</li>" as Markup })</ul></nav>
            <section aria-label="JSON"><pre>\(json.text(.pretty))</pre></section>
            """
        )
    }
}
