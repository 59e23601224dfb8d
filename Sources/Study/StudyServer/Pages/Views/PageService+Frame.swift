import StudyWarehouse
import WebServing

extension PageService {
    private static let places: [(path: String, title: String)] = [
        ("/", "Overview"), ("/progress", "Progress"), ("/messages", "Messages"), ("/questions", "Answers"),
        ("/map", "Map"),
    ]

    /// What every page has around it.
    ///
    /// - Parameters:
    ///   - visit: Of somebody who is logged in.
    ///   - section: The path of the page in the bar to which it belongs.
    func frame(_ visit: PageVisit? = nil, section: String? = nil) -> PageFrame {
        var bar: Markup = "<a class=\"home\" href=\"/\">\(title)</a>"
        if let visit {
            let more = [
                ("/export", "Export", StudyRole.export), ("/people", "People", .administer),
                ("/audit", "Audit", .administer),
            ].filter { visit.user.may($0.2) && ($0.0 != "/audit" || audit != nil) }
            let links = (Self.places + more.map { ($0.0, $0.1) }).map { entry -> Markup in
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
        var frame = PageFrame(site: title, bar: bar)
        frame.footer =
            """
            Numbers of people are rounded down to multiples of \(ShownCount.smallest), fewer are not \
            counted. Days are UTC's.
            """
        frame.allowed = "; form-action 'self'"
        return frame
    }
}
