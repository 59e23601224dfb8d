import StudyWarehouse
import WebServing

/// What every page has around it.
enum TeamPageLayout {
    private static let places: [(path: String, title: String)] = [
        ("/", "Overview"), ("/messages", "Messages"), ("/questions", "Answers"), ("/map", "Map"),
    ]

    /// - Parameters:
    ///   - visit: Of somebody who is logged in.
    ///   - section: The path of the page in the bar to which it belongs.
    ///   - isNarrow: Whether there is little to show.
    static func page(
        _ title: String,
        _ visit: PageVisit? = nil,
        section: String? = nil,
        status: Int = 200,
        isNarrow: Bool = false,
        _ main: Markup
    ) -> Response {
        var bar: Markup = "<a class=\"home\" href=\"/\">Study</a>"
        if let visit {
            let links = places.map { entry -> Markup in
                let current: Markup = entry.path == section ? " aria-current=\"page\"" : .empty
                return "<li><a href=\"\(entry.path)\"\(current)>\(entry.title)</a></li>"
            }
            bar += """
                <nav aria-label="Pages"><ul>\(links)</ul></nav>
                <form class="account" method="post" \
                action="/logout"><span>\(visit.session.name)</span>\(visit.csrf)
                <button>Log out</button></form>
                """
        }
        var frame = PageFrame(site: "Study", bar: bar)
        if isNarrow { frame.mainAttributes = narrow }
        frame.footer =
            """
            Numbers of people are rounded down to multiples of \(ShownCount.smallest), fewer are not \
            counted. Days are UTC's.
            """
        frame.allowed = "; form-action 'self'"
        return frame.response(title, status: status, main)
    }

    private static let narrow: Markup = " class=\"narrow\""

    /// A page that says what is wrong and what to do.
    static func problem(_ title: String, _ text: String, _ visit: PageVisit? = nil, status: Int) -> Response {
        page(title, visit, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
