import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

@Suite("The browser without a screen")
struct HeadlessBrowserTests {
    @Test("a page with scripts, named characters and elements left open is read")
    func realPage() async throws {
        let html = """
            <!DOCTYPE html><html><head><meta charset="utf-8"><title>Log&nbsp;in</title>
            <script src="/a.js" />
            <script>if (1 < 2 && "<b/>") { $("#x").focus(); }</script></head>
            <body>Indivo&trade; &amp; more<br><a href="/next">on</a></body></html>
            """
        let transport = EchoTransport { _ in
            HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(html.utf8))
        }
        let url = try #require(URL(string: "http://ui.example.org/login"))
        let page = try await HeadlessBrowser(transport: transport).open(url)
        #expect(page.title.hasPrefix("Log") && page.root.text().contains("& more"))
        #expect(page.links.map(\.url.absoluteString) == ["http://ui.example.org/next"])
    }
}
