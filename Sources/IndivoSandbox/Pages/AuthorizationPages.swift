import GRDB

/// The page that OAuth sends a person to: allow the app that holds this request token.
enum AuthorizationPages {
    static let pages: [Page] = [
        .get("/oauth/authorize") { visit in try await authorize(visit, visit.request.query, allowed: false) },
        .post("/oauth/authorize") { visit in try await authorize(visit, visit.request.form, allowed: true) },
    ]

    private enum Step {
        case consent(AppRow, record: String, RequestTokenRow)
        case done(location: String)
        /// Allowed, by an app that has no address to return to: a person carries the verifier over.
        case verifier(AppRow, String)
    }

    private static func authorize(_ visit: Visit, _ fields: FormFields, allowed: Bool) async throws -> Response {
        let account = try visit.account
        let name = fields["oauth_token"] ?? ""
        let step = try await visit.write { db -> Step in
            guard let token = try RequestTokenRow.find(name, in: db), let app = try AppRow.find(token.app, in: db)
            else {
                throw Refusal.badRequest(
                    "The app's request is unknown, or was used already. Go back to the app and start again.")
            }
            guard token.record != nil || token.carenet != nil else {
                throw Refusal.badRequest(
                    "The app did not say for which record it asks. Choose the record first, at /apps/\(app.id).")
            }
            guard try token.mayBeApproved(by: account.id, in: db) else {
                throw Refusal.permissionDenied(
                    why: "the record that the app asks for is not yours, nor shared with you")
            }
            let tokens = TokenStore(db: db, server: visit.server, now: visit.now)
            try tokens.claim(token, by: account)
            // An app that works on the record already is let in without asking again, if the verifier goes to the app.
            guard try allowed || (tokens.isEnabled(token) && app.isRegistered(callback: token.callback)) else {
                let record = try token.record.flatMap { try RecordRow.find($0, in: db) }
                return .consent(app, record: record?.label ?? "", token)
            }
            let location = try tokens.approve(token, called: name, by: account)
            guard token.callback == "oob", app.callbackURL.isEmpty else { return .done(location: location) }
            return .verifier(app, FormFields(parsing: String(location.dropFirst()))["oauth_verifier"] ?? "")
        }
        switch step {
        case .done(let location):
            return .redirect(to: location)
        case .verifier(let app, let verifier):
            return visit.page(
                "\(app.name) is allowed", isNarrow: true,
                """
                <section aria-label="The verifier"><p>Give this code to <strong>\(app.name)</strong>:</p>
                <p><code class="verifier">\(verifier)</code></p></section>
                """)
        case .consent(let app, let record, let token):
            return AppPages.consent(
                visit, app, record: record, callback: token.callback, action: "/oauth/authorize",
                hidden: [
                    ("oauth_token", name), ("oauth_callback", token.callback), ("record_id", token.record ?? ""),
                ])
        }
    }
}
