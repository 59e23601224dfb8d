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
        guard let visit else { return access.frame(site: title, home: base + "/") }
        let more = [
            ("/export", "Export", StudyRole.export), ("/people", "People", .administer),
            ("/audit", "Audit", .administer),
        ].filter { visit.user.may($0.2, in: name) && ($0.0 != "/audit" || access.audit != nil) }
        let links = (Self.places + more.map { ($0.0, $0.1) }).map { entry -> Markup in
            let current: Markup = entry.path == section ? " aria-current=\"page\"" : .empty
            return "<li><a href=\"\(base)\(entry.path)\"\(current)>\(entry.title)</a></li>"
        }
        let all: Markup = name == nil ? .empty : "<li><a href=\"/\">All studies</a></li>"
        return access.frame(
            visit,
            site: title,
            home: base + "/",
            links: "<nav aria-label=\"Pages\"><ul>\(all)\(links)</ul></nav>"
        )
    }
}
