import WebServing

/// What every page has around it.
enum FHIRPageLayout {
    /// - Parameter isNarrow: Whether there is little to show.
    static func page(_ title: String, status: Int = 200, isNarrow: Bool = false, _ main: Markup) -> Response {
        var frame = PageFrame(
            site: "FHIR sandbox",
            bar: """
                <a class="home" href="/">FHIR sandbox</a><a href="/questionnaires">Questionnaires</a> \
                <a href="/fhir/metadata?_format=json&amp;_pretty=true">What the server does</a>
                """
        )
        if isNarrow { frame.mainAttributes = narrow }
        frame.footer = "For development and tests."
        frame.allowed = "; form-action 'self'"
        frame.referrerPolicy = "no-referrer"
        return frame.response(title, status: status, main)
    }

    private static let narrow: Markup = " class=\"narrow\""

    /// A page that says what is wrong.
    static func problem(_ title: String, _ text: String, status: Int) -> Response {
        page(title, status: status, isNarrow: true, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }
}
