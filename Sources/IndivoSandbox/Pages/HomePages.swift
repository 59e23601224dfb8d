import GRDB
import IndivoModel

/// A developer's home: what is in the sandbox, and why the last requests were refused.
enum HomePages {
    static let pages: [Page] = [
        .get("/", needsLogin: false) { visit in
            guard visit.session != nil else { return welcome(visit) }
            return try await home(visit)
        }
    ]

    private static func welcome(_ visit: Visit) -> Response {
        visit.page(
            "An Indivo server in a box", isNarrow: true,
            """
            <section aria-label="What to do"><p>The API is at <code>\(visit.server.apiBase)</code>. Log in to see the records, the apps, and what
            happened to the last requests.</p>
            <p><a class="button primary" href="/login">Log in</a></p></section>
            """)
    }

    private struct TokenLine: Codable, FetchableRecord {
        var app: String
        var label: String
        var account: String?
        var createdAt: Timestamp
        var expiresAt: Timestamp?
        var isCarenet: Bool
    }

    private static func home(_ visit: Visit) async throws -> Response {
        let account = try visit.account
        let content = try await visit.read { db in
            (
                records: try ReachableRecord.all(of: account.id, in: db), apps: try AppRow.all(in: db),
                accounts: try AccountRow.fetchAll(db, sql: "SELECT * FROM account ORDER BY id"),
                tokens: try TokenLine.fetchAll(
                    db,
                    sql: """
                        SELECT accessToken.app, record.label, accessToken.account, accessToken.createdAt,
                            accessToken.expiresAt, accessToken.carenet IS NOT NULL AS isCarenet
                        FROM accessToken JOIN record ON record.id = accessToken.record
                        WHERE accessToken.account = ? OR record.owner = ? ORDER BY accessToken.createdAt DESC LIMIT 20
                        """,
                    arguments: [account.id, account.id])
            )
        }
        let records = content.records.filter { $0.carenet == nil }.map { record -> Markup in
            "<li><a href=\"/records/\(record.id)\">\(record.title)</a></li>"
        }
        let apps = content.apps.map { app -> [Markup] in
            [
                "<a href=\"/apps/\(app.id)\">\(app.name)</a>", "<code>\(app.consumerKey)</code>",
                app.isAutonomous ? "alone" : "with a user", "<code>\(app.startURL)</code>",
            ]
        }
        let accounts = content.accounts.map { account -> [Markup] in
            ["\(account.fullName)", "<code>\(account.id)</code>", "\(account.state)"]
        }
        let tokens = content.tokens.map { token -> [Markup] in
            [
                "\(token.app)", "\(token.label)\(token.isCarenet ? " (carenet)" : "")", Table.cell(token.account),
                token.createdAt.element, token.expiresAt.map { $0.element } ?? "no end",
            ]
        }
        return visit.page(
            "Your sandbox",
            """
            <section aria-label="Addresses"><dl><dt>API</dt><dd><code>\(visit.server.apiBase)</code></dd>
            <dt>Pages</dt><dd><code>\(visit.server.uiBase)</code></dd></dl></section>
            \(section("Records", "<ul class=\"list\">\(records)</ul>"))
            \(section("Last requests", requests(visit.server.requests.latest.prefix(25))))
            \(models(visit))
            \(section("Apps", Table(heads: ["App", "Consumer key", "Works", "Starts at"], rows: apps).markup))
            \(section("Access tokens", Table(heads: ["App", "Record", "Account", "Issued", "Ends"], rows: tokens).markup))
            \(section("Accounts", Table(heads: ["Name", "Id", "State"], rows: accounts).markup))
            """)
    }

    /// The models that were added, and what is wrong with those that could not be.
    private static func models(_ visit: Visit) -> Markup {
        let catalog = visit.server.models
        let core = Set(DataModel.core.map(\.name))
        let names = catalog.all.map(\.name).filter { !core.contains($0) }
        guard !names.isEmpty || !catalog.problems.isEmpty else { return .empty }
        let known = names.map { name -> Markup in "<li><code>\(name)</code></li>" }
        let problems = catalog.problems.map { problem -> Markup in "<p class=\"problem\">\(problem)</p>" }
        return section("Custom models", "<ul>\(known)</ul>\(problems)")
    }

    static func section(_ title: String, _ content: Markup) -> Markup {
        Section(id: title.lowercased().replacing(" ", with: "-"), title: title, content: content).markup
    }

    private static func requests(_ entries: ArraySlice<RequestLog.Entry>) -> Markup {
        let rows = entries.map { entry -> [Markup] in
            [
                "<code>\(entry.method) \(entry.path)</code>",
                "<span class=\"\(entry.status < 400 ? "good" : "bad")\">\(entry.status)</span>",
                Table.cell(entry.reason), entry.at.element,
            ]
        }
        return Table(heads: ["Request", "Answer", "Why refused", "At"], rows: rows, empty: "None yet.").markup
    }
}

extension Timestamp {
    /// A moment, to the second, as an element that keeps together.
    var element: Markup {
        let text = secondsText
        return "<time datetime=\"\(text)\">\(String(text.prefix(10))) \(String(text.dropFirst(11).dropLast()))</time>"
    }
}
