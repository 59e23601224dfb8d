import HTTPServing

/// What every page has around it.
enum PageLayout {
    /// - Parameter isNarrow: Whether there is little to show.
    static func page(_ title: String, status: Int = 200, isNarrow: Bool = false, _ main: Markup) -> Response {
        let markup: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) · FHIR sandbox</title>
            <link rel="icon" href="/favicon.ico">
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <div class="bar"><header><a class="home" href="/">FHIR sandbox</a>\
            <a href="/questionnaires">Questionnaires</a> <a href="/fhir/metadata?_format=json&amp;_pretty=true">What the server does</a></header></div>
            <main\(isNarrow ? narrow : .empty)>
            <h1>\(title)</h1>
            \(main)
            </main>
            <footer>For development and tests.</footer>
            </body>
            </html>

            """
        return Response(status: status, type: "text/html; charset=utf-8", text: markup.description)
            .adding("Cache-Control", "no-store")
            .adding(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            )
            .adding("X-Content-Type-Options", "nosniff")
            .adding("Referrer-Policy", "no-referrer")
    }

    private static let narrow: Markup = " class=\"narrow\""

    /// A page that says what is wrong.
    static func problem(_ title: String, _ text: String, status: Int) -> Response {
        page(title, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
