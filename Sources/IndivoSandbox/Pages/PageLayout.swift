/// A part of a page, that links can lead to.
struct Section {
    var id: String
    var title: String
    var content: Markup

    var markup: Markup { "<section aria-labelledby=\"\(id)\"><h2 id=\"\(id)\">\(title)</h2>\(content)</section>" }
}

/// What every page has around it: the head, a header with who is logged in, the main part.
enum PageLayout {
    /// - Parameter isNarrow: Whether there is little to show: a form, or a few words.
    static func page(
        _ title: String, session: BrowserSession? = nil, status: Int = 200, isNarrow: Bool = false, _ main: Markup
    ) -> Response {
        let account = session.map { session -> Markup in
            """
            <form class="account" method="post" action="/logout"><span>\(session.account.fullName)</span>
            <input type="hidden" name="csrf" value="\(session.csrf)"><button>Log out</button></form>
            """
        }
        // Its referrer policy is not no-referrer, with which a browser sends the forms of these very pages from an origin of “null”.
        var frame = PageFrame(site: "Indivo sandbox", bar: "<a class=\"home\" href=\"/\">Indivo sandbox</a>\(account ?? .empty)")
        if isNarrow { frame.mainAttributes = " class=\"narrow\"" }
        frame.footer = "For development and tests. The people in it are invented."
        return frame.response(title, status: status, main)
    }

    /// A page that says what is wrong and what to do.
    static func problem(_ title: String, _ text: String, status: Int = 400) -> Response {
        page(title, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
