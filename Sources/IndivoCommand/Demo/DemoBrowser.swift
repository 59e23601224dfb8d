#if Tool && Sandbox
import Foundation
import HTTPTypes
import Indivo
import OAuth1

/// A browser small enough for the demo: it follows redirects, keeps cookies, reads pages and sends their forms.
///
/// It knows of the pages only what a person sees: titles, links and form fields.
@MainActor
final class DemoBrowser {
    /// A page as it was received.
    struct Page {
        let url: URL
        let root: XMLNode

        var title: String { root.first("title")?.text() ?? "(no title)" }

        /// The links' addresses by their text.
        var links: [(text: String, url: URL)] {
            root.all("a").compactMap { link in
                guard let address = link.attr("href"), let url = URL(string: address, relativeTo: url) else { return nil }
                return (link.text().trimmingCharacters(in: .whitespacesAndNewlines), url.absoluteURL)
            }
        }
    }

    private let transport: any HTTPTransport = .system
    private var cookies: [String: String] = [:]
    /// Tells what the browser does, a line at a time.
    private let report: (String) -> Void

    init(report: @escaping (String) -> Void) { self.report = report }

    func open(_ url: URL) async throws -> Page { try await load(.get, url, body: nil) }

    /// Sends the form in the page's main part that has a field for each of `values`, hidden fields included.
    func submit(_ values: [String: String] = [:], on page: Page) async throws -> Page {
        let forms = (page.root.first("main") ?? page.root).all("form").filter { form in
            let names = Set(form.all("input").compactMap { $0.attr("name") })
            return values.keys.allSatisfy(names.contains)
        }
        guard let form = forms.first(where: { $0.attr("method")?.lowercased() == "post" }) else {
            throw DemoError("“\(page.title)” has no form with the fields \(values.keys.sorted().joined(separator: ", ")).")
        }
        var fields = FormParameters()
        for input in form.all("input") {
            guard let name = input.attr("name") else { continue }
            fields.append(name: name, value: values[name] ?? input.attr("value") ?? "")
        }
        guard let target = URL(string: form.attr("action") ?? "", relativeTo: page.url) else {
            throw DemoError("The form of “\(page.title)” has no address.")
        }
        return try await load(.post, target.absoluteURL, body: fields)
    }

    private func load(_ method: HTTPRequest.Method, _ url: URL, body: FormParameters?) async throws -> Page {
        var (method, url, body) = (method, url, body)
        for _ in 0..<10 {
            let (response, data) = try await send(method, url, body)
            if (300..<400).contains(response.status.code), let location = response.headerFields[.location],
                let next = URL(string: location, relativeTo: url)?.absoluteURL
            {
                report("\(response.status.code) → \(shortened(next))")
                (method, url, body) = (.get, next, nil)
                continue
            }
            guard response.status.code == 200 else {
                throw DemoError("\(shortened(url)) answered \(response.status.code).")
            }
            let page = Page(url: url, root: try Self.read(data))
            report("200 “\(page.title)”")
            return page
        }
        throw DemoError("The pages redirect in a circle.")
    }

    /// HTML leaves some elements open and some attributes without a value; XML does neither.
    private static func read(_ html: Data) throws -> XMLNode {
        let closed = String(decoding: html, as: UTF8.self)
            .replacing(#/<(meta|link|input|br|hr|img)\b([^>]*?)\s*/?>/#) { "<\($0.1)\($0.2)/>" }
            .replacing(#/\s(required|autofocus|checked|disabled)(?=[\s/>])/#, with: "")
        return try XMLNode(parsing: closed)
    }

    private func send(
        _ method: HTTPRequest.Method, _ url: URL, _ form: FormParameters?
    ) async throws -> (HTTPResponse, Data) {
        var target = url.path(percentEncoded: true)
        if target.isEmpty { target = "/" }
        if let query = url.query(percentEncoded: true) { target += "?" + query }
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        var request = HTTPRequest(method: method, scheme: url.scheme, authority: authority, path: target)
        if !cookies.isEmpty {
            request.headerFields[.cookie] = cookies.map { "\($0)=\($1)" }.sorted().joined(separator: "; ")
        }
        if form != nil { request.headerFields[.contentType] = FormParameters.contentType }
        let answer = try await transport.send(request, body: form.map { Data($0.encoded.utf8) })
        for cookie in answer.response.headerFields[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { cookies[pair[0]] = pair[1] }
        }
        return (answer.response, answer.body)
    }

    /// An address without the secrets in its query.
    private func shortened(_ url: URL) -> String {
        let text = url.absoluteString
        guard let mark = text.firstIndex(of: "?") else { return text }
        return text[..<mark] + "?…"
    }
}

extension XMLNode {
    /// Elements below the node, by name.
    fileprivate func all(_ name: String) -> [XMLNode] {
        children().flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
    }

    fileprivate func first(_ name: String) -> XMLNode? { all(name).first }
}

/// Something in the demo that should not happen.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#endif
