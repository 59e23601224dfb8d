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
        // Its referrer policy is not no-referrer, with which a browser sends the forms of these very pages from an origin of “null”.
        var frame = PageFrame(site: "Indivo sandbox", bar: "<a class=\"home\" href=\"/\">Indivo sandbox</a>\(account)")
        if isNarrow { frame.mainAttributes = narrow }
        frame.footer = "For development and tests. The people in it are invented."
        return frame.response(title, status: status, main)
    }

    private static let narrow: Markup = " class=\"narrow\""

    /// A page that says what is wrong and what to do.
    static func problem(_ title: String, _ text: String, session: BrowserSession? = nil, status: Int = 400) -> Response
    {
        page(
            title, session: session, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
