import GRDB
import IndivoModel

/// A developer's home: what is in the sandbox, and why the last requests were refused.
enum HomePages {
    static let pages: [RouteTable<Page>.Route] = [
        .get(
            "/",
            Page(needsLogin: false) { context in
                try await context.session == nil ? welcome(context) : home(context)
            }
        )
    ]

    private static func welcome(_ context: PageContext) -> Response {
        context.page(
            "An Indivo server in a box",
            isNarrow: true,
            """
            <section aria-label="What to do"><p>The API is at <code>\(context.server.apiBase)</code>. \
            Log in to see the records, the
            apps, and what happened to the last requests.</p>
            <p><a class="button primary" href="/login">Log in</a></p></section>
            """
        )
    }

    private static func home(_ context: PageContext) async throws -> Response {
        let account = try context.account
        let (records, apps) = try await context.database.read { db in
            (try ReachableRecord.all(of: account.id, in: db), try AppRow.all(in: db))
        }
        let links = records.filter { $0.carenet == nil }.map { record -> Markup in
            "<li><a href=\"/records/\(record.id)\">\(record.title)</a></li>"
        }
        let requests = Section(
            "Last requests",
            context.server.requests.latest.prefix(25),
            empty: "None yet.",
            [
                "Request": { "<code>\($0.method) \($0.path)</code>" },
                "Answer": { "<span class=\"\($0.status < 400 ? "good" : "bad")\">\($0.status)</span>" },
                "Why refused": { PageTable.cell($0.reason) },
                "At": { "<time datetime=\"\($0.at.secondsText)\">\($0.at.secondsText)</time>" },
            ]
        )
        let appTable = Section(
            "Apps",
            apps,
            [
                "App": { "<a href=\"/apps/\($0.id)\">\($0.name)</a>" },
                "Consumer key": { "<code>\($0.consumerKey)</code>" },
                "Starts at": { "<code>\($0.startURL)</code>" },
            ]
        )
        let sections = [
            Section("Records", "<ul class=\"list\">\(links)</ul>"), requests, models(context), appTable,
        ]
        return context.page(
            "Your sandbox",
            """
            <section aria-label="Addresses"><dl><dt>API</dt><dd><code>\(context.server.apiBase)</code></dd>
            <dt>Pages</dt><dd><code>\(context.server.uiBase)</code></dd></dl></section>
            \(sections.compactMap { $0?.markup })
            """
        )
    }

    /// The models that were added, and what is wrong with those that could not be.
    private static func models(_ context: PageContext) -> Section? {
        let catalog = context.server.models
        let core = Set(DataModel.core.map(\.name))
        let names = catalog.all.map(\.name).filter { !core.contains($0) }
        guard !names.isEmpty || !catalog.problems.isEmpty else { return nil }
        let known = names.map { name -> Markup in "<li><code>\(name)</code></li>" }
        let problems = catalog.problems.map { problem -> Markup in "<p class=\"problem\">\(problem)</p>" }
        return Section("Custom models", "<ul>\(known)</ul>\(problems)")
    }
}
