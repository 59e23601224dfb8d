import GRDB

/// The way into an app: choose a record, allow the app if need be, and off to where the app starts.
enum AppPages {
    static let pages: [RouteTable<Page>.Route] = [
        .get("/apps/{app}", Page(chooseRecord)),
        .get("/apps/{app}/complete", Page { try await complete($0, $0.request.query, allowed: false) }),
        .post("/apps/{app}/complete", Page { try await complete($0, $0.request.form, allowed: true) }),
        .get("/oauth/authorize", Page { try await authorize($0, $0.request.query, allowed: false) }),
        .post("/oauth/authorize", Page { try await authorize($0, $0.request.form, allowed: true) }),
    ]

    private static func chooseRecord(_ context: PageContext) async throws -> Response {
        let account = try context.account
        let (app, records) = try await context.database.read { db in
            (
                try AppRow.find(context["app"], in: db).orNotFound(),
                try ReachableRecord.all(of: account.id, in: db)
            )
        }
        guard !records.isEmpty else {
            return context.page(
                "Choose a record",
                isNarrow: true,
                "<p>\(account.fullName) has no record. Make one first.</p>"
            )
        }
        let items = records.map { record -> Markup in
            let fields = [("record_id", record.id)] + (record.carenet.map { [("carenet_id", $0)] } ?? [])
            return
                """
                <li><a href="/apps/\(app.id)/complete/?\(FormFields.encode(fields))">\(record.title)</a></li>
                """
        }
        return context.page(
            "Choose a record",
            isNarrow: true,
            """
            <p>Whose record shall <strong>\(app.name)</strong> open?</p>
            <section aria-label="Records"><ul class="list">\(items)</ul></section>
            """
        )
    }

    private static func complete(_ context: PageContext, _ fields: FormFields, allowed: Bool) async throws
        -> Response
    {
        let account = try context.account
        return try await context.database.write { db in
            let app = try AppRow.find(context["app"], in: db).orNotFound()
            let record = try RecordRow.find(fields["record_id"], in: db).orNotFound()
            let id = fields["carenet_id"] ?? ""
            let carenet = id.isEmpty ? nil : try CarenetRow.find(id, in: db).orNotFound()
            if let carenet {
                let isIn = try carenet.hasAccount(account.id, in: db) && carenet.hasApp(app.id, in: db)
                let why = "the app is not in this carenet, or you are not"
                try require(carenet.record == record.id && isIn, .permissionDenied(why: why))
            } else {
                let why = "the record is not yours, nor shared with you"
                try require(record.isOwnedOrShared(by: account.id, in: db), .permissionDenied(why: why))
                guard try allowed || record.hasApp(app.id, in: db) else {
                    return consent(
                        context,
                        app,
                        record: record.label,
                        action: "/apps/\(app.id)/complete/",
                        hidden: ("record_id", record.id)
                    )
                }
                try record.enable(app.id, in: db)
            }
            let credentials = try Store(db: db, server: context.server, now: context.now)
                .connect(app, record: record, carenet: carenet, account: account)
            return .redirect(to: credentials.location)
        }
    }

    /// The page that OAuth sends a person to: allow the app that holds this request token.
    private static func authorize(_ context: PageContext, _ fields: FormFields, allowed: Bool) async throws
        -> Response
    {
        let account = try context.account
        let name = fields["oauth_token"] ?? ""
        return try await context.database.write { db in
            guard let token = try RequestTokenRow.find(name, in: db),
                let app = try AppRow.find(token.app, in: db)
            else {
                throw Refusal.badRequest(
                    "The app's request is unknown, or was used already. Go back to the app and start again."
                )
            }
            let problem =
                "The app did not say for which record it asks. Choose the record first, at /apps/\(app.id)."
            try require(token.record != nil || token.carenet != nil, .badRequest(problem))
            let why = "the record that the app asks for is not yours, nor shared with you"
            try require(token.mayBeApproved(by: account.id, in: db), .permissionDenied(why: why))
            let tokens = Store(db: db, server: context.server, now: context.now)
            try tokens.claim(token, by: account)
            // An app that works on the record already is let in without asking again, if the verifier goes to
            // the app.
            guard try allowed || (tokens.isEnabled(token) && app.isRegistered(callback: token.callback))
            else {
                let record = try RecordRow.find(token.record, in: db)?.label ?? ""
                return consent(
                    context,
                    app,
                    record: record,
                    callback: token.callback,
                    action: "/oauth/authorize",
                    hidden: ("oauth_token", name)
                )
            }
            let location = try tokens.approve(token, called: name, by: account)
            guard token.callback == "oob", app.callbackURL.isEmpty else { return .redirect(to: location) }
            // The app has no address to return to: a person carries the verifier over.
            let verifier = FormFields(parsing: String(location.dropFirst()))["oauth_verifier"] ?? ""
            return context.page(
                "\(app.name) is allowed",
                isNarrow: true,
                """
                <section aria-label="The verifier"><p>Give this code to <strong>\(app.name)</strong>:</p>
                <p><code class="verifier">\(verifier)</code></p></section>
                """
            )
        }
    }

    /// - Parameter callback: Where the browser goes then, where it does not go to the app's start URL.
    private static func consent(
        _ context: PageContext,
        _ app: AppRow,
        record: String,
        callback: String = "oob",
        action: String,
        hidden: (name: String, value: String)
    ) -> Response {
        let warning: Markup = """
            <p class="problem">The permission goes to <code>\(callback)</code>, which is not where this app is
            registered. Allow it only if you have just begun a login there.</p>
            """
        return context.page(
            "Allow \(app.name)?",
            isNarrow: true,
            """
            <section aria-label="What the app asks for">
            <p><strong>\(app.name)</strong> (<code>\(app.id)</code>) asks to work on the record of
            <strong>\(record)</strong>. If you allow it, the app will be able to</p>
            <ul class="able">
            <li>read everything in this record: medications, problems, results, documents, demographics;</li>
            <li>add documents, replace them with new versions, label them, and mark them as \
            void or archived;</li>
            <li>send messages and notifications to those who have this record;</li>
            <li>keep documents of its own with the record.</li>
            </ul>
            <p>It cannot delete documents of the record, see other records, or share this one.
            You can take the permission back at any time.</p>
            \(app.isRegistered(callback: callback) ? .empty : warning)
            <form method="post" action="\(action)"><input type="hidden" name="\(hidden.name)" \
            value="\(hidden.value)">
            \(context.session?.field)
            <div class="choices"><button class="primary">Allow</button> <a class="button" href="/">Not \
            now</a></div>
            </form></section>
            """
        )
    }
}
