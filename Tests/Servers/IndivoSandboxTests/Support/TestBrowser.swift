import Foundation
import IndivoSandbox
import IndivoXML
import OAuth1
import Testing

/// A browser without a screen: it keeps a cookie, follows nothing by itself, and fills in forms.
struct TestBrowser {
    private let port: Int
    private(set) var cookie: String?

    init(_ sandbox: Sandbox) { port = sandbox.uiURL.port ?? 0 }

    mutating func get(_ target: String) async throws -> RawHTTP.Answer {
        try await send("GET", target)
    }

    mutating func post(_ target: String, _ form: FormParameters) async throws -> RawHTTP.Answer {
        try await send(
            "POST",
            target,
            headers: [("Content-Type", FormParameters.contentType)],
            body: Data(form.encoded.utf8)
        )
    }

    mutating func send(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: Data = Data()
    ) async throws -> RawHTTP.Answer {
        let cookies = cookie.map { [("Cookie", $0)] } ?? []
        let answer = try await RawHTTP.request(
            method,
            port: port,
            target: target,
            headers: headers + cookies,
            body: body
        )
        if let set = answer.header("Set-Cookie") { cookie = set.split(separator: ";").first.map(String.init) }
        return answer
    }

    mutating func logIn(_ username: String, _ password: String) async throws {
        let answer = try await post(
            "/login",
            ["username": username, "password": password, "return_url": "/"]
        )
        #expect(answer.status == 302)
    }

    /// Opens the authorisation page and allows the app.
    /// - Returns: Where the browser is sent.
    mutating func authorize(_ token: String) async throws -> String {
        let page = try await get("/oauth/authorize?oauth_token=\(token)")
        if page.status == 302 { return page.header("Location") ?? "" }
        let answer = try await post("/oauth/authorize", TestBrowser.hiddenFields(of: page.text))
        #expect(answer.status == 302, "\(answer.text)")
        return answer.header("Location") ?? ""
    }

    /// The hidden fields of the last form of a page.
    static func hiddenFields(of html: String) -> FormParameters {
        let form = html.components(separatedBy: "<form").last ?? ""
        var fields = FormParameters()
        for match in form.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/) {
            fields.append(name: String(match.output.1), value: unescape(String(match.output.2)))
        }
        return fields
    }

    static func unescape(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
