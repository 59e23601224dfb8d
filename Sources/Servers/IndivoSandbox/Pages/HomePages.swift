import GRDB
import IndivoModel

/// A developer's home: what is in the sandbox, and why the last requests were refused.
enum HomePages {
    static let pages: [Page] = [
        Page("GET", "/", needsLogin: false) { visit in
            try await visit.session == nil ? welcome(visit) : home(visit)
        }
    ]

    private static func welcome(_ visit: Visit) -> Response {
        visit.page(
            "An Indivo server in a box",
            isNarrow: true,
            """
            <section aria-label="What to do"><p>The API is at <code>\(visit.server.apiBase)</code>. \
            Log in to see the records, the
            apps, and what happened to the last requests.</p>
            <p><a class="button primary" href="/login">Log in</a></p></section>
            """
        )
    }

    private struct TokenLine: Codable, FetchableRecord {
        var app, label: String
        var account: String?
        var createdAt: Timestamp
        var expiresAt: Timestamp?
        var isCarenet: Bool
    }

    private static func home(_ visit: Visit) async throws -> Response {
        let account = try visit.account
        let content = try await visit.database.read { db in
            (
                records: try ReachableRecord.all(of: account.id, in: db), apps: try AppRow.all(in: db),
                accounts: try AccountRow.all("ORDER BY id", in: db),
                tokens: try TokenLine.fetchAll(
                    db,
                    sql: """
                        SELECT accessToken.app, record.label, accessToken.account, accessToken.createdAt,
                            accessToken.expiresAt, accessToken.carenet IS NOT NULL AS isCarenet
                        FROM accessToken
                        JOIN record ON record.id = accessToken.record
                        WHERE accessToken.account = ? OR record.owner = ?
                        ORDER BY accessToken.createdAt DESC LIMIT 20
                        """,
                    arguments: [account.id, account.id]
                )
            )
        }
        let records = content.records.filter { $0.carenet == nil }.map { record -> Markup in
            "<li><a href=\"/records/\(record.id)\">\(record.title)</a></li>"
        }
        let requests = Section(
            "Last requests",
            visit.server.requests.latest.prefix(25),
            empty: "None yet.",
            [
                "Request": { "<code>\($0.method) \($0.path)</code>" },
                "Answer": { "<span class=\"\($0.status < 400 ? "good" : "bad")\">\($0.status)</span>" },
                "Why refused": { PageTable.cell($0.reason) }, "At": { $0.at.element },
            ]
        )
        let apps = Section(
            "Apps",
            content.apps,
            [
                "App": { "<a href=\"/apps/\($0.id)\">\($0.name)</a>" },
                "Consumer key": { "<code>\($0.consumerKey)</code>" },
                "Works": { $0.isAutonomous ? "alone" : "with a user" },
                "Starts at": { "<code>\($0.startURL)</code>" },
            ]
        )
        let tokens = Section(
            "Access tokens",
            content.tokens,
            [
                "App": { "\($0.app)" }, "Record": { "\($0.label)\($0.isCarenet ? " (carenet)" : "")" },
                "Account": { PageTable.cell($0.account) }, "Issued": { $0.createdAt.element },
                "Ends": { $0.expiresAt.map { $0.element } ?? "no end" },
            ]
        )
        let accounts = Section(
            "Accounts",
            content.accounts,
            ["Name": { "\($0.fullName)" }, "Id": { "<code>\($0.id)</code>" }, "State": { "\($0.state)" }]
        )
        let sections = [
            Section("Records", "<ul class=\"list\">\(records)</ul>"), requests, models(visit), apps, tokens,
            accounts,
        ]
        return visit.page(
            "Your sandbox",
            """
            <section aria-label="Addresses"><dl><dt>API</dt><dd><code>\(visit.server.apiBase)</code></dd>
            <dt>Pages</dt><dd><code>\(visit.server.uiBase)</code></dd></dl></section>
            \(sections.compactMap { $0?.markup })
            """
        )
    }

    /// The models that were added, and what is wrong with those that could not be.
    private static func models(_ visit: Visit) -> Section? {
        let catalog = visit.server.models
        let core = Set(DataModel.core.map(\.name))
        let names = catalog.all.map(\.name).filter { !core.contains($0) }
        guard !names.isEmpty || !catalog.problems.isEmpty else { return nil }
        let known = names.map { name -> Markup in "<li><code>\(name)</code></li>" }
        let problems = catalog.problems.map { problem -> Markup in "<p class=\"problem\">\(problem)</p>" }
        return Section("Custom models", "<ul>\(known)</ul>\(problems)")
    }
}

extension Timestamp {
    /// A moment, to the second, as an element that keeps together.
    var element: Markup {
        let text = secondsText
        return
            """
            <time datetime="\(text)">\(String(text.prefix(10))) \
            \(String(text.dropFirst(11).dropLast()))</time>
            """
    }
}
