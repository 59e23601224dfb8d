import GRDB

/// The way into an app: choose a record, allow the app if need be, and off to where the app starts.
enum AppPages {
    static let pages: [Page] = [
        .get("/apps/{app}", chooseRecord),
        .get("/apps/{app}/", chooseRecord),
        .get("/apps/{app}/complete/") { visit in try await complete(visit, visit.request.query, allowed: false) },
        .post("/apps/{app}/complete/") { visit in try await complete(visit, visit.request.form, allowed: true) },
    ]

    private static func chooseRecord(_ visit: Visit) async throws -> Response {
        let account = try visit.account
        let (app, records) = try await visit.read { db in
            (try AppRow.find(visit["app"], in: db).orNotFound(), try ReachableRecord.all(of: account.id, in: db))
        }
        guard !records.isEmpty else {
            return visit.page("Choose a record", isNarrow: true, "<p>\(account.fullName) has no record. Make one first.</p>")
        }
        let items = records.map { record -> Markup in
            let link =
                "/apps/\(app.id)/complete/?"
                + FormFields.encode(
                    [("record_id", record.id)] + (record.carenet.map { [("carenet_id", $0)] } ?? []))
            return "<li><a href=\"\(link)\">\(record.title)</a></li>"
        }
        return visit.page(
            "Choose a record", isNarrow: true,
            """
            <p>Whose record shall <strong>\(app.name)</strong> open?</p>
            <section aria-label="Records"><ul class="list">\(items)</ul></section>
            """)
    }

    private enum Step {
        case consent(record: String)
        case start(url: String)
    }

    private static func complete(_ visit: Visit, _ fields: FormFields, allowed: Bool) async throws -> Response {
        let account = try visit.account
        let app = try await visit.read { db in try AppRow.find(visit["app"], in: db).orNotFound() }
        let step = try await visit.write { db -> Step in
            let record = try fields["record_id"].flatMap { try RecordRow.find($0, in: db) }.orNotFound()
            var carenet: CarenetRow?
            if let id = fields["carenet_id"], !id.isEmpty {
                let found = try CarenetRow.find(id, in: db).orNotFound()
                guard found.record == record.id, try found.hasAccount(account.id, in: db),
                    try found.hasApp(app.id, in: db)
                else { throw Refusal.permissionDenied(why: "the app is not in this carenet, or you are not") }
                carenet = found
            } else {
                guard try record.isOwnedOrShared(by: account.id, in: db) else {
                    throw Refusal.permissionDenied(why: "the record is not yours, nor shared with you")
                }
                if try !record.hasApp(app.id, in: db) {
                    guard allowed else { return .consent(record: record.label) }
                    try record.enable(app.id, in: db)
                }
            }
            let credentials = try TokenStore(db: db, server: visit.server, now: visit.now)
                .connect(app, record: record, carenet: carenet, account: account)
            let url = StartURL.make(app.startURL, record: record.id, carenet: carenet?.id)
            return .start(url: StartURL.appending(header: credentials.header, to: url))
        }
        switch step {
        case .start(let url):
            return .redirect(to: url)
        case .consent(let label):
            return consent(
                visit, app, record: label, action: "/apps/\(app.id)/complete/",
                hidden: [("record_id", fields["record_id"] ?? "")])
        }
    }

    /// The page on which a person allows an app to work on a record.
    /// - Parameter callback: Where the browser goes then, where it does not go to the app's start URL.
    static func consent(
        _ visit: Visit, _ app: AppRow, record: String, callback: String? = nil, action: String,
        hidden: [(String, String)]
    ) -> Response {
        var warning = Markup.empty
        if let callback, !app.isRegistered(callback: callback) {
            warning = """
                <p class="problem">The permission goes to <code>\(callback)</code>, which is not where this app is
                registered. Allow it only if you have just begun a login there.</p>
                """
        }
        let inputs = (hidden + [("csrf", visit.session?.csrf ?? "")]).map { name, value -> Markup in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return visit.page(
            "Allow \(app.name)?", isNarrow: true,
            """
            <section aria-label="What the app asks for">
            <p><strong>\(app.name)</strong> (<code>\(app.id)</code>) asks to work on the record of
            <strong>\(record)</strong>. If you allow it, the app will be able to</p>
            <ul class="able">
            <li>read everything in this record: medications, problems, results, documents, demographics;</li>
            <li>add documents, replace them with new versions, label them, and mark them as void or archived;</li>
            <li>send messages and notifications to those who have this record;</li>
            <li>keep documents of its own with the record.</li>
            </ul>
            <p>It cannot delete documents of the record, see other records, or share this one.
            You can take the permission back at any time.</p>
            \(warning)
            <form method="post" action="\(action)">\(inputs)
            <div class="choices"><button class="primary">Allow</button> <a class="button" href="/">Not now</a></div>
            </form></section>
            """)
    }
}
