import GRDB

/// A record to look at: a section a model, results and vital signs as charts, and the documents behind them.
enum RecordPages {
    static let pages: [RouteTable<Page>.Route] = [
        .get("/records/{record}", Page(record)),
        .get("/records/{record}/documents/{document}", Page(document)),
        .post(
            "/records/{record}/apps/{app}/remove",
            Page { context in
                try await context.database.write { db in
                    try find(context, in: db).disable(
                        AppRow.find(context["app"], in: db).orNotFound().id,
                        in: db
                    )
                }
                return .redirect(to: "/records/\(context["record"])")
            }
        ),
    ]

    /// So many documents are listed, the latest.
    private static let documentLimit = 100

    struct Fact {
        var document: String
        var values: FactValues
        /// Of a medication.
        var fillCount: Int?

        /// The text of a field, or how many fills a medication has.
        subscript(name: String) -> String {
            values[name]?.string ?? (name == "fulfillments" ? fillCount.map { String($0) } : nil) ?? ""
        }
        /// The day of a date or an instant.
        func day(_ name: String) -> String { String(self[name].prefix(10)) }

        /// A value that can be drawn: a server takes “inf”, “nan” and 1e999 for numbers too.
        func number(_ name: String) -> Double? {
            let number = values[name]?.double ?? values[name]?.string.flatMap { Double($0) }
            return number.flatMap { abs($0) < 1e100 ? $0 : nil }
        }

        /// A value as it is stored.
        func stored(_ name: String) -> String? {
            guard let value = values[name], !value.isNull else { return nil }
            return value.string ?? value.text()
        }
    }

    /// The record of the URL, if it is the visitor's.
    static func find(_ context: PageContext, in db: Database) throws -> RecordRow {
        let record = try RecordRow.find(context["record"], in: db).orNotFound()
        try require(record.isOwnedOrShared(by: context.account.id, in: db), .notFound)
        return record
    }

    private static func record(_ context: PageContext) async throws -> Response {
        let (record, demographics, facts, documents, apps) = try await context.database.read { db in
            let record = try find(context, in: db)
            let rows = try FactRow.fetch(
                db,
                "fact.record = ? AND document.status = 'active' ORDER BY fact.serial",
                [record.id]
            )
            let children = try FactRow.children(of: rows.filter { $0.model == "Medication" }, in: db)
            var facts: [String: [Fact]] = [:]
            for row in rows {
                var fact = Fact(document: row.document, values: try row.values())
                if row.model == "Medication" { fact.fillCount = children.of(row, "fulfillments").count }
                facts[row.model, default: []].append(fact)
            }
            let latest =
                """
                WHERE record = ? AND app IS NULL AND replacedBy IS NULL
                ORDER BY createdAt DESC, serial DESC LIMIT ?
                """
            return (
                record, try FactRow.all(ofDocument: record.demographics, in: db).first?.values(), facts,
                try DocumentRow.all(latest, [record.id, documentLimit], in: db),
                try AppRow.enabled(on: record.id, in: db)
            )
        }
        let birthday = demographics?["bday"]?.string.flatMap { IndivoDate.parseDateTime($0) }
        let isAdult = birthday.map { context.now.advanced(bySeconds: -18 * 365 * 86_400) >= $0 } ?? true
        let sections = RecordSections(record: record.id, facts: facts, isAdult: isAdult)
        let known = sections.all(models: context.server.models.all.map(\.name))
        let links = (known.map { ($0.id, $0.title) } + [("documents", "Documents"), ("apps", "Apps")])
            .map { id, title -> Markup in "<li><a href=\"#\(id)\">\(title)</a></li>" }
        let health: Markup = "<li><a href=\"/records/\(record.id)/health\">By day, month and year</a></li>"
        return context.page(
            record.label,
            """
            \(sections.person(demographics, at: context.now))
            <nav aria-label="Sections"><ul>\(RecordHealthPage.hasContent(facts) ? health : nil)\
            \(links)</ul></nav>
            \(known.map(\.markup))
            \(section(of: documents, sections).markup)
            \(section(of: apps, context).markup)
            """
        )
    }

    private static func section(of documents: [DocumentRow], _ sections: RecordSections) -> Section {
        let table = PageTable(
            documents,
            [
                "Document": { document in
                    let root = document.type?.split(whereSeparator: { "#/".contains($0) }).last.map(
                        String.init
                    )
                    let name =
                        document.label ?? sections.title(ofDocument: document.id) ?? root ?? document.mimeType
                    return """
                        <a href="/records/\(sections.record)/documents/\(document.id)">\
                        \(name ?? "document")</a>
                        """
                },
                "Added": { "<span class=\"nowrap\">\($0.createdAt.day)</span>" },
                "Size": { "\($0.size) bytes" }, "Status": { "\($0.status)" },
            ]
        )
        let isCut = documents.count == documentLimit
        let note: Markup? = isCut ? "<p class=\"quiet\">The latest \(documentLimit) are shown.</p>" : nil
        return Section("Documents", "\(table.markup)\(note)")
    }

    private static func section(of apps: [AppRow], _ context: PageContext) -> Section {
        Section(
            "Apps",
            apps,
            [
                "App": { "\($0.name)" }, "Id": { "<code>\($0.id)</code>" },
                "Permission": { app in
                    """
                    <form method="post" action="/records/\(context["record"])/apps/\(app.id)/remove">\
                    \(context.session?.field)<button>Take the permission back</button></form>
                    """
                },
            ]
        )
    }

    private static func document(_ context: PageContext) async throws -> Response {
        let (record, document, facts, content) = try await context.database.read { db in
            let record = try find(context, in: db)
            let found = try DocumentRow.first(
                "WHERE id = ? AND record = ? AND app IS NULL",
                [context["document"], record.id],
                in: db
            )
            let document = try found.orNotFound()
            let facts = try FactRow.all(ofDocument: document.id, in: db).map {
                (model: $0.model, fact: Fact(document: document.id, values: try $0.values()))
            }
            let content =
                document.mimeType == nil
                ? String(decoding: try document.content(db).prefix(65_536), as: UTF8.self) : nil
            return (record, document, facts, content)
        }
        let shown: Markup = content.map { "<pre><code>\($0)</code></pre>" } ?? "<p>It is not text.</p>"
        let sections = RecordSections(
            record: record.id,
            facts: Dictionary(grouping: facts, by: \.model).mapValues { $0.map(\.fact) },
            isAdult: true
        )
        return context.page(
            document.label ?? sections.title(ofDocument: document.id) ?? "A document",
            """
            <p><a href="/records/\(record.id)">\(record.label)</a></p>
            \(facts.map { said($0.fact, as: $0.model, alone: facts.count == 1) })
            \(Section("Content", shown).markup)
            """
        )
    }

    private static func said(_ fact: Fact, as model: String, alone: Bool) -> Markup {
        let fields = (fact.values.members ?? []).compactMap { member -> Markup? in
            let value = member.value
            if value.isNull { return nil }
            return """
                <dt>\(member.name)</dt>\
                <dd>\(value.string.map { RecordSections.shown($0) } ?? "\(value.text())")</dd>
                """
        }
        let title = alone ? "What it says" : "What it says: \(RecordSections.words(model).lowercased())"
        return "<section aria-label=\"\(title)\"><h2>\(title)</h2><dl>\(fields)</dl></section>"
    }
}
