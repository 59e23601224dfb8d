/// What every page has around it: the head, a header with who is logged in, the main part.
enum PageLayout {
    /// - Parameter isNarrow: Whether there is little to show: a form, or a few words.
    static func page(
        _ title: String, session: BrowserSession? = nil, status: Int = 200, isNarrow: Bool = false, _ main: Markup
    ) -> Response {
        var account: Markup = .empty
        if let session {
            account = """
                <form class="account" method="post" action="/logout"><span>\(session.account.fullName)</span>
                <input type="hidden" name="csrf" value="\(session.csrf)"><button>Log out</button></form>
                """
        }
        let markup: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) · Indivo sandbox</title>
            <link rel="icon" href="/favicon.ico">
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <div class="bar"><header><a class="home" href="/">Indivo sandbox</a>\(account)</header></div>
            <main\(isNarrow ? narrow : .empty)>
            <h1>\(title)</h1>
            \(main)
            </main>
            <footer>For development and tests. The people in it are invented.</footer>
            </body>
            </html>

            """
        return Response(status: status, type: "text/html; charset=utf-8", text: markup.description)
            .adding("Cache-Control", "no-store")
            .adding(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
            )
            .adding("X-Content-Type-Options", "nosniff")
            // Not no-referrer, with which a browser sends the forms of these very pages from an origin of “null”.
            .adding("Referrer-Policy", "same-origin")
    }

    private static let narrow: Markup = " class=\"narrow\""

    /// A page that says what is wrong and what to do.
    static func problem(_ title: String, _ text: String, session: BrowserSession? = nil, status: Int = 400) -> Response
    {
        page(
            title, session: session, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
