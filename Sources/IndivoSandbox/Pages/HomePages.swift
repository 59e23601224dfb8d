#if Sandbox
import GRDB

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
            "An Indivo server in a box",
            """
            <p>The API is at <code>\(visit.server.apiBase)</code>. Log in to see the records, the apps, and what
            happened to the last requests.</p>
            <p><a class="button" href="/login">Log in</a></p>
            """)
    }

    private struct Content {
        var records: [ReachableRecord]
        var apps: [AppRow]
        var accounts: [AccountRow]
        var tokens: [TokenLine]
    }

    private struct TokenLine: Codable, FetchableRecord {
        var app: String
        var label: String
        var account: String?
        var createdAt: Timestamp
        var isCarenet: Bool
    }

    private static func home(_ visit: Visit) async throws -> Response {
        let account = try visit.account
        let content = try await visit.read { db in
            Content(
                records: try ReachableRecord.all(of: account.id, in: db),
                apps: try AppRow.fetchAll(db, sql: "SELECT * FROM app ORDER BY rowid"),
                accounts: try AccountRow.fetchAll(db, sql: "SELECT * FROM account ORDER BY id"),
                tokens: try TokenLine.fetchAll(
                    db,
                    sql: """
                        SELECT accessToken.app, record.label, accessToken.account, accessToken.createdAt,
                            accessToken.carenet IS NOT NULL AS isCarenet
                        FROM accessToken JOIN record ON record.id = accessToken.record
                        WHERE accessToken.account = ? OR record.owner = ? ORDER BY accessToken.createdAt DESC LIMIT 20
                        """,
                    arguments: [account.id, account.id]))
        }
        let records = content.records.filter { $0.carenet == nil }.map { record -> Markup in
            "<li><a href=\"/records/\(record.id)\">\(record.title)</a></li>"
        }
        let apps = content.apps.map { app -> Markup in
            """
            <tr><td><a href="/apps/\(app.id)">\(app.name)</a></td><td><code>\(app.consumerKey)</code></td>\
            <td>\(app.isAutonomous ? "works alone" : "with a user")</td><td><code>\(app.startURL)</code></td></tr>
            """
        }
        let accounts = content.accounts.map { account -> Markup in
            "<tr><td>\(account.fullName)</td><td><code>\(account.id)</code></td><td>\(account.state)</td></tr>"
        }
        let tokens = content.tokens.map { token -> Markup in
            """
            <tr><td>\(token.app)</td><td>\(token.label)\(token.isCarenet ? " (carenet)" : "")</td>\
            <td>\(token.account ?? "–")</td><td>\(token.createdAt.secondsText)</td></tr>
            """
        }
        return visit.page(
            "Your sandbox",
            """
            <p>The API is at <code>\(visit.server.apiBase)</code>, these pages at <code>\(visit.server.uiBase)</code>.</p>
            <h2>Records</h2><ul class="list">\(records)</ul>
            <h2>Last requests</h2>\(requests(visit.server.requests.latest.prefix(25)))
            <h2>Apps</h2>\(table(["App", "Consumer key", "Works", "Starts at"], apps))
            <h2>Access tokens</h2>\(table(["App", "Record", "Account", "Issued"], tokens))
            <h2>Accounts</h2>\(table(["Name", "Id", "State"], accounts))
            """)
    }

    private static func requests(_ entries: ArraySlice<RequestLog.Entry>) -> Markup {
        guard !entries.isEmpty else { return "<p>None yet.</p>" }
        let rows = entries.map { entry -> Markup in
            let kind: Markup = entry.status < 400 ? "good" : "bad"
            return """
                <tr><td>\(entry.at.secondsText)</td><td><code>\(entry.method) \(entry.path)</code></td>\
                <td class="\(kind)">\(entry.status)</td><td>\(entry.reason)</td></tr>
                """
        }
        return table(["At", "Request", "Answer", "Why refused"], rows)
    }

    static func table(_ heads: [String], _ rows: [Markup]) -> Markup {
        guard !rows.isEmpty else { return "<p>None.</p>" }
        let cells = heads.map { head -> Markup in "<th scope=\"col\">\(head)</th>" }
        return """
            <div class="scroll"><table><thead><tr>\(cells)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}
#endif
