enum LoginPages {
    static let pages: [RouteTable<Page>.Route] = [
        .get(
            "/login",
            Page(needsLogin: false) {
                try await form($0, returnURL: $0.request.query["return_url"], problem: nil)
            }
        ),
        .post("/login", Page(needsLogin: false, logIn)),
        .get(
            "/logout",
            Page(needsLogin: false) { context in
                guard let session = context.session else { return .redirect(to: "/login/did_logout") }
                return context.page(
                    "Log out",
                    isNarrow: true,
                    """
                    <section aria-label="Log out"><form method="post" action="/logout">\(session.field)
                    <button class="primary">Log out</button></form></section>
                    """
                )
            }
        ),
        .post(
            "/logout",
            Page(needsLogin: false) { context in
                try await context.database.write { db in try BrowserSession.end(context.request, in: db) }
                return .redirect(to: "/login/did_logout").adding("Set-Cookie", BrowserSession.setCookie(nil))
            }
        ),
        .get(
            "/login/did_logout",
            Page(needsLogin: false) { _ in
                PageFrame.indivoSandbox().page(
                    "Logged out",
                    isNarrow: true,
                    "<p>You are logged out.</p><p><a href=\"/login\">Log in again</a></p>"
                )
            }
        ),
    ]

    /// Sends a browser to the login page, and back afterwards.
    static func redirect(from request: Request) -> Response {
        let target = request.rawQuery.isEmpty ? request.rawPath : request.rawPath + "?" + request.rawQuery
        return .redirect(to: "/login?" + FormFields.encode([("return_url", target)]))
    }

    private static func logIn(_ context: PageContext) async throws -> Response {
        let fields = context.request.form
        let username = fields["username"] ?? ""
        // A session is begun only by a form of ours, or by a client that is not a browser: a browser says
        // whence it comes.
        try require(context.request.isFromOwnPage, .permissionDenied(why: "the form is not from this server"))
        guard let account = try await context.server.logIn(username, fields["password"] ?? "") else {
            return try await form(
                context,
                returnURL: fields["return_url"],
                username: username,
                problem: "User name and password do not fit. After three attempts wait a minute."
            )
        }
        let token = try await context.database.write { db in
            try BrowserSession.begin(account, at: context.now, in: db)
        }
        // Back to a page of this server, and to no other.
        let target = fields["return_url"] ?? "/"
        let isLocal = target.hasPrefix("/") && !target.hasPrefix("//") && !target.hasPrefix("/\\")
        let isAddress = target.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        return .redirect(to: isLocal && isAddress ? target : "/").adding(
            "Set-Cookie",
            BrowserSession.setCookie(token)
        )
    }

    private static func form(
        _ context: PageContext,
        returnURL: String?,
        username: String = "",
        problem: String?
    )
        async throws -> Response
    {
        let isDemo = try await context.database.read { db in
            try AccountRow.find(Sandbox.demoAccount, in: db) != nil
        }
        return PageFrame.indivoSandbox().page(
            "Log in",
            isNarrow: true,
            .loginForm(
                "/login",
                target: ("return_url", returnURL ?? ""),
                user: ("username", username),
                problem: problem,
                isDemo: isDemo && context.server.configuration.demoData
            )
        )
    }
}
