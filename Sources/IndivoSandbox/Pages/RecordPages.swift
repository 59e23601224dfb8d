import GRDB

/// A record to look at: a section a model, results and vital signs as charts, and the documents behind them.
enum RecordPages {
    static let pages: [Page] = [
        .get("/records/{record}", record),
        .get("/records/{record}/documents/{document}", document),
        .post("/records/{record}/apps/{app}/remove", removeApp),
    ]

    /// So many documents are listed, the latest.
    private static let documentLimit = 100

    private struct Content {
        var record: RecordRow
        var demographics: FactValues?
        var facts: [String: [Fact]]
        var documents: [DocumentRow]
        var apps: [AppRow]
    }

    struct Fact {
        var document: String
        var values: FactValues
        var fillCount = 0

        subscript(name: String) -> String { values[name]?.string ?? "" }
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
    static func find(_ visit: Visit, in db: Database) throws -> RecordRow {
        let record = try RecordRow.find(visit["record"], in: db).orNotFound()
        guard try record.isOwnedOrShared(by: visit.account.id, in: db) else { throw Refusal.notFound }
        return record
    }

    private static func record(_ visit: Visit) async throws -> Response {
        let content = try await visit.read { db in
            let record = try find(visit, in: db)
            let store = FactStore(db: db)
            let rows = try FactRow.fetch(db, "fact.record = ? AND document.status = 'active' ORDER BY fact.serial", [record.id])
            let children = try store.children(of: rows.filter { $0.model == "Medication" })
            var facts: [String: [Fact]] = [:]
            for row in rows {
                var fact = Fact(document: row.document, values: try row.values())
                if row.model == "Medication" { fact.fillCount = children.of(row, "fulfillments").count }
                facts[row.model, default: []].append(fact)
            }
            return Content(
                record: record,
                demographics: try record.demographics.flatMap { try store.facts(of: $0).first?.values() }, facts: facts,
                documents: try DocumentRow.fetch(
                    db, "record = ? AND app IS NULL AND replacedBy IS NULL ORDER BY createdAt DESC, serial DESC LIMIT ?",
                    [record.id, documentLimit]),
                apps: try AppRow.enabled(on: record.id, in: db))
        }
        let sections = RecordSections(
            record: content.record.id, facts: content.facts, isAdult: isAdult(content.demographics, at: visit.now))
        let known =
            (sections.timeline(at: visit.now).map { [$0] } ?? [])
            + sections.all(models: visit.server.models.all.map(\.name))
        let links = (known.map { ($0.id, $0.title) } + [("documents", "Documents"), ("apps", "Apps")])
            .map { id, title -> Markup in "<li><a href=\"#\(id)\">\(title)</a></li>" }
        let health: Markup =
            RecordHealthPage.hasContent(content.facts)
            ? "<li><a href=\"/records/\(content.record.id)/health\">By day, month and year</a></li>" : .empty
        return visit.page(
            content.record.label,
            """
            \(sections.person(content.demographics, at: visit.now))
            <nav aria-label="Sections"><ul>\(health)\(links)</ul></nav>
            \(known.map(\.markup))
            \(documents(content, sections))
            \(apps(content, visit))
            """)
    }

    private static func isAdult(_ demographics: FactValues?, at now: Timestamp) -> Bool {
        guard let birthday = demographics?["bday"]?.string.flatMap({ IndivoDate.parseDateTime($0) }) else { return true }
        return now.advanced(bySeconds: -18 * 365 * 86_400) >= birthday
    }

    private static func documents(_ content: Content, _ sections: RecordSections) -> Markup {
        let rows = content.documents.map { document -> [Markup] in
            let root = document.type?.split(whereSeparator: { "#/".contains($0) }).last.map(String.init)
            let name = document.label ?? sections.title(ofDocument: document.id) ?? root ?? document.mimeType
            return [
                "<a href=\"/records/\(content.record.id)/documents/\(document.id)\">\(name ?? "document")</a>",
                "<span class=\"nowrap\">\(document.createdAt.day)</span>", "\(document.size) bytes",
                "\(document.replaces == nil ? "first" : "newer")", "\(document.status)",
                Table.cell(document.creator),
            ]
        }
        let heads = ["Document", "Added", "Size", "Version", "Status", "By"]
        var markup = Table(heads: heads, rows: Array(rows.prefix(10))).markup
        let older = Array(rows.dropFirst(10))
        if !older.isEmpty {
            let word = older.count == 1 ? "document" : "documents"
            markup += """
                <details><summary>\(older.count) older \(word)</summary>\(Table(heads: heads, rows: older).markup)</details>
                """
        }
        if rows.count == documentLimit { markup += "<p class=\"quiet\">The latest \(documentLimit) are shown.</p>" }
        return HomePages.section("Documents", markup)
    }

    private static func apps(_ content: Content, _ visit: Visit) -> Markup {
        let rows = content.apps.map { app -> [Markup] in
            [
                "\(app.name)", "<code>\(app.id)</code>",
                """
                <form method="post" action="/records/\(content.record.id)/apps/\(app.id)/remove">\
                <input type="hidden" name="csrf" value="\(visit.session?.csrf ?? "")">\
                <button>Take the permission back</button></form>
                """,
            ]
        }
        return HomePages.section("Apps", Table(heads: ["App", "Id", "Permission"], rows: rows).markup)
    }

    private static func removeApp(_ visit: Visit) async throws -> Response {
        try await visit.write { db in
            let record = try find(visit, in: db)
            let app = try AppRow.find(visit["app"], in: db).orNotFound()
            try record.disable(app.id, in: db)
        }
        return .redirect(to: "/records/\(visit["record"])")
    }

    private static func document(_ visit: Visit) async throws -> Response {
        let (record, document, facts, versions, changes, content) = try await visit.read { db in
            let record = try find(visit, in: db)
            let document = try DocumentRow.fetchFirst(
                db, "id = ? AND record = ? AND app IS NULL", [visit["document"], record.id]
            ).orNotFound()
            return (
                record, document,
                try FactStore(db: db).facts(of: document.id).map {
                    (model: $0.model, fact: Fact(document: document.id, values: try $0.values()))
                },
                try DocumentRow.fetch(db, "original = ? ORDER BY serial", [document.original]),
                try StatusChangeRow.all(of: document.id, in: db),
                document.mimeType == nil
                    ? String(decoding: try document.content(db).prefix(65_536), as: UTF8.self) : nil
            )
        }
        let versionRows = versions.map { version -> [Markup] in
            [
                """
                <a href="/records/\(record.id)/documents/\(version.id)">\(version.createdAt.element)</a>\
                \(version.id == document.id ? " (this one)" : "")
                """,
                "\(version.size) bytes", "\(version.status)", Table.cell(version.creator),
            ]
        }
        let changeRows = changes.map { change -> [Markup] in
            ["\(change.status)", "\(change.reason)", "\(change.by)", change.at.element]
        }
        let shown: Markup = content.map { "<pre><code>\($0)</code></pre>" } ?? "<p>It is not text.</p>"
        let sections = RecordSections(
            record: record.id, facts: Dictionary(grouping: facts, by: \.model).mapValues { $0.map(\.fact) }, isAdult: true)
        let versionTable = Table(heads: ["Added", "Size", "Status", "By"], rows: versionRows)
        let changeTable = Table(heads: ["To", "Because", "By", "Changed"], rows: changeRows, empty: "Never changed.")
        return visit.page(
            document.label ?? sections.title(ofDocument: document.id) ?? "A document",
            """
            <p><a href="/records/\(record.id)">\(record.label)</a></p>
            \(facts.map { said($0.fact, as: $0.model, alone: facts.count == 1) })
            \(HomePages.section("Versions", versionTable.markup))
            \(HomePages.section("Status", changeTable.markup))
            \(HomePages.section("Content", shown))
            """)
    }

    private static func said(_ fact: Fact, as model: String, alone: Bool) -> Markup {
        let fields = (fact.values.members ?? []).compactMap { member -> Markup? in
            let value = member.value
            if value.isNull { return nil }
            return "<dt>\(member.name)</dt><dd>\(value.string.map { RecordSections.shown($0) } ?? "\(value.text())")</dd>"
        }
        let title = alone ? "What it says" : "What it says: \(RecordSections.words(model).lowercased())"
        return "<section aria-label=\"\(title)\"><h2>\(title)</h2><dl>\(fields)</dl></section>"
    }
}
