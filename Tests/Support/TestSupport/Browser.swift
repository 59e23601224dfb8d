import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase

/// A browser as far as pages without scripts need one: cookies, redirections, forms without scripts.
package final class Browser {
    package init() {}

    private let transport: some HTTPTransport = .system
    private var cookies: [String: String] = [:]

    package struct Page {
        package var url: URL
        package var status: Int
        package var text: String

        /// The hidden fields of its forms.
        package var hidden: FormParameters {
            FormParameters(
                text.matches(of: /<input type="hidden" name="([^"]*)" +value="([^"]*)"/)
                    .map { FormParameters.Element(name: String($0.1), value: String($0.2)) }
            )
        }

        /// The boxes that are checked.
        package var checked: FormParameters {
            FormParameters(
                text.matches(of: /<input type="checkbox" name="([^"]*)" value="([^"]*)" +checked/)
                    .map {
                        let value = $0.2.replacing("&amp;", with: "&")
                        return FormParameters.Element(name: String($0.1), value: String(value))
                    }
            )
        }
    }

    /// Goes to a page, as far as redirections lead; one to another server is not followed.
    package func open(_ url: URL, form: FormParameters? = nil) async throws -> Page {
        var url = url
        var form = form
        let server = "\(url.host() ?? ""):\(url.port ?? 0)"
        for _ in 0..<10 {
            let answer = try await send(url, form)
            let status = answer.response.status.code
            guard (300..<400).contains(status), let location = answer.response.headerFields[.location],
                let next = URL(string: location, relativeTo: url)?.absoluteURL
            else { return Page(url: url, status: status, text: String(decoding: answer.body, as: UTF8.self)) }
            url = next
            form = nil
            guard "\(url.host() ?? ""):\(url.port ?? 0)" == server else {
                return Page(url: url, status: status, text: "")
            }
        }
        throw URLError(.httpTooManyRedirects)
    }

    private func send(_ url: URL, _ form: FormParameters?) async throws -> HTTPAnswer {
        var request = HTTPRequest(
            method: form == nil ? .get : .post,
            scheme: url.scheme,
            authority: "\(url.host() ?? ""):\(url.port ?? 80)",
            path: url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
        )
        if !cookies.isEmpty {
            request.headerFields[.cookie] = cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
        }
        if form != nil { request.headerFields[.contentType] = FormParameters.contentType }
        let answer = try await transport.send(request, body: form.map { Data($0.encoded.utf8) })
        if let cookie = answer.response.headerFields[.setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = pair.count > 1 ? pair[1] : nil
        }
        return answer
    }

    /// Sends the form of a page, with its hidden fields.
    package func submit(_ page: Page, to path: String, _ fields: FormParameters) async throws -> Page {
        guard let url = URL(string: path, relativeTo: page.url)?.absoluteURL else { throw URLError(.badURL) }
        return try await open(url, form: FormParameters(Array(page.hidden.unique) + Array(fields)))
    }

    /// Sends a form that has several fields of a name.
    package func send(_ page: Page, _ fields: FormParameters) async throws -> Page {
        try await open(page.url, form: FormParameters(Array(page.hidden) + Array(fields)))
    }

    /// Goes through a login as a person does; where it leads to, outside of the server, comes back.
    package func logIn(
        _ url: URL,
        user: String = "demo",
        password: String = "demo",
        patient: String = "ann",
        allow: (FormParameters) -> FormParameters = { $0 }
    ) async throws -> URL {
        var page = try await open(url)
        if page.url.path() == "/auth/login" {
            page = try await submit(page, to: "/auth/login", ["name": user, "password": password])
        }
        if page.url.path() == "/auth/patient" {
            page = try await submit(page, to: "/auth/patient", ["patient": patient])
        }
        guard page.url.path() == "/auth/decide" else { return page.url }
        let fields = Array(allow(page.checked)) + [.init(name: "decision", value: "allow")]
        return try await submit(page, to: "/auth/decide", FormParameters(fields)).url
    }
}

extension FormParameters {
    /// Each name once.
    fileprivate var unique: FormParameters {
        var seen: Set<String> = []
        return FormParameters(filter { seen.insert($0.name).inserted })
    }
}
