#if Sandbox
import GRDB

/// A record to look at: a section a model, results and vital signs as charts, and the documents behind them.
enum RecordPages {
    static let pages: [Page] = [
        .get("/records/{record}", record),
        .get("/records/{record}/documents/{document}", document),
        .post("/records/{record}/apps/{app}/remove", removeApp),
    ]

    private struct Content {
        var record: RecordRow
        var demographics: JSONValue?
        var facts: [String: [Fact]]
        var documents: [DocumentRow]
        var apps: [AppRow]
    }

    struct Fact {
        var document: String
        var values: JSONValue
        var fillCount = 0

        subscript(name: String) -> String { values[name]?.string ?? "" }
        /// The day of a date or an instant.
        func day(_ name: String) -> String { String(self[name].prefix(10)) }

        func number(_ name: String) -> Double? {
            switch values[name] {
            case .number(let number): number
            case .integer(let number): Double(number)
            case .string(let text): Double(text)
            default: nil
            }
        }
    }

    /// The record of the URL, if it is the visitor's.
    private static func find(_ visit: Visit, in db: Database) throws -> RecordRow {
        let record = try RecordRow.find(visit["record"], in: db).orNotFound()
        guard try record.isOwnedOrShared(by: visit.account.id, in: db) else { throw Refusal.notFound }
        return record
    }

    private static func record(_ visit: Visit) async throws -> Response {
        let content = try await visit.read { db in
            let record = try find(visit, in: db)
            let store = FactStore(db: db)
            let rows = try FactRow.fetchAll(
                db,
                sql: """
                    SELECT \(FactRow.columns) FROM fact JOIN document ON document.id = fact.document
                    WHERE fact.record = ? AND document.status = 'active' ORDER BY fact.serial
                    """,
                arguments: [record.id])
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
                    db,
                    "record = ? AND app IS NULL AND replacedBy IS NULL ORDER BY createdAt DESC, serial DESC LIMIT 100",
                    [record.id]),
                apps: try AppRow.fetchAll(
                    db,
                    sql:
                        "SELECT app.* FROM app JOIN share ON share.app = app.id WHERE record = ? ORDER BY share.serial",
                    arguments: [record.id]))
        }
        let sections = RecordSections(record: content.record.id, facts: content.facts)
        return visit.page(
            content.record.label,
            """
            \(sections.person(content.demographics))
            \(sections.markup(models: visit.server.models.all.map(\.name)))
            \(documents(content))
            \(apps(content, visit))
            """)
    }

    private static func documents(_ content: Content) -> Markup {
        let rows = content.documents.map { document -> Markup in
            let type = document.type?.split(whereSeparator: { "#/".contains($0) }).last.map(String.init)
            return """
                <tr><td><a href="/records/\(content.record.id)/documents/\(document.id)">\
                \(document.label ?? type ?? document.mimeType ?? "document")</a></td>\
                <td>\(document.createdAt.day)</td><td>\(document.size) bytes</td><td>\(document.status)</td>\
                <td>\(document.creator.isEmpty ? "–" : document.creator)</td></tr>
                """
        }
        return """
            <h2 id="documents">Documents</h2>
            \(HomePages.table(["Document", "Added", "Size", "Status", "By"], rows))
            """
    }

    private static func apps(_ content: Content, _ visit: Visit) -> Markup {
        let rows = content.apps.map { app -> Markup in
            """
            <tr><td>\(app.name)</td><td><code>\(app.id)</code></td><td>\
            <form method="post" action="/records/\(content.record.id)/apps/\(app.id)/remove">\
            <input type="hidden" name="csrf" value="\(visit.session?.csrf ?? "")">\
            <button>Take the permission back</button></form></td></tr>
            """
        }
        return "<h2 id=\"apps\">Apps that may work on this record</h2>\(HomePages.table(["App", "Id", ""], rows))"
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
        let (record, document, versions, changes, content) = try await visit.read { db in
            let record = try find(visit, in: db)
            let document = try DocumentRow.fetchFirst(
                db, "id = ? AND record = ? AND app IS NULL", [visit["document"], record.id]
            ).orNotFound()
            return (
                record, document,
                try DocumentRow.fetch(db, "original = ? ORDER BY serial", [document.original]),
                try StatusChangeRow.fetchAll(
                    db, sql: "SELECT * FROM statusChange WHERE document = ? ORDER BY serial", arguments: [document.id]),
                document.mimeType == nil
                    ? String(decoding: try document.content(db).prefix(65_536), as: UTF8.self) : nil
            )
        }
        let versionRows = versions.map { version -> Markup in
            """
            <tr><td><a href="/records/\(record.id)/documents/\(version.id)">\(version.createdAt.secondsText)</a>\
            \(version.id == document.id ? " (this one)" : "")</td><td>\(version.size) bytes</td>\
            <td>\(version.status)</td><td>\(version.creator.isEmpty ? "–" : version.creator)</td></tr>
            """
        }
        let changeRows = changes.map { change -> Markup in
            """
            <tr><td>\(change.at.secondsText)</td><td>\(change.status)</td><td>\(change.reason)</td>\
            <td>\(change.by)</td></tr>
            """
        }
        return visit.page(
            document.label ?? "A document",
            """
            <p><a href="/records/\(record.id)">\(record.label)</a></p>
            <h2>Versions</h2>\(HomePages.table(["Added", "Size", "Status", "By"], versionRows))
            <h2>Status</h2>\(HomePages.table(["Changed", "To", "Because", "By"], changeRows))
            <h2>Content</h2>\(content.map { "<pre class=\"scroll\"><code>\($0)</code></pre>" } ?? "<p>Not text.</p>")
            """)
    }
}
#endif
