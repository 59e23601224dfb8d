/// The parts of a page around its main part, and the headers that keep untrusted content harmless.
package struct PageFrame {
    /// The name of the site, which follows the title of each page.
    package var site: String
    package var language = "en"
    /// What the addresses of the site's files begin with, without a slash at the end.
    package var base = ""
    /// More of the head: style sheets and scripts.
    package var head = Markup.empty
    package var bodyClass: Markup?
    /// What stands before the bar, and what is in it.
    package var lead = Markup.empty
    package var bar: Markup
    /// The attributes of the main part of a page that is not narrow, each with a space before it.
    package var mainAttributes = Markup.empty
    package var footer: Markup?
    /// What the Content-Security-Policy allows besides style sheets and pictures of the site.
    package var allowed = ""
    package var referrerPolicy = "same-origin"

    package init(site: String, bar: Markup) {
        self.site = site
        self.bar = bar
    }

    /// A page that says what is wrong and what to do.
    package func problem(_ title: String, _ text: String, status: Int) -> Response {
        page(title, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }

    package var notFound: Response { problem("Not found", "There is nothing here.", status: 404) }

    package func notAllowed(_ allowed: String) -> Response {
        problem("Not allowed", "This page takes \(allowed) only.", status: 405).adding("Allow", allowed)
    }

    /// A page with a heading.
    ///
    /// - Parameter isNarrow: Whether there is little to show: a form, or a few words.
    package func page(_ title: String, status: Int = 200, isNarrow: Bool = false, _ main: Markup) -> Response
    {
        let markup: Markup = """
            <!DOCTYPE html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title == site ? "" : "\(title) · ")\(site)</title>
            <link rel="icon" href="\(base)/favicon.ico">
            <link rel="stylesheet" href="\(base)/style.css">
            \(head)</head>
            <body\(bodyClass.map { " class=\"\($0)\"" } ?? .empty)>
            \(lead)<div class="bar"><header>\(bar)</header></div>
            <main\(isNarrow ? " class=\"narrow\"" : mainAttributes)>
            <h1>\(title)</h1>
            \(main)
            </main>
            \(footer.map { "<footer>\($0)</footer>\n" } ?? .empty)</body>
            </html>

            """
        let policy =
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
            + allowed
        return Response(status: status, type: "text/html; charset=utf-8", text: markup.description)
            .adding("Cache-Control", "no-store").adding("Content-Security-Policy", policy)
            .adding("X-Content-Type-Options", "nosniff").adding("Referrer-Policy", referrerPolicy)
    }
}
