import Foundation
import HTTPTypes
import Indivo
import IndivoXML
import OAuth1

/// A browser without a screen, for demos and tests: it plays the person at a login.
///
/// It follows redirects, keeps cookies, reads pages and sends their forms, and knows of the pages only what a
/// person sees: titles, links and form fields. Scripts and styles do not run.
///
/// ```swift
/// let record = try await server.selectRecord { url in
///     Task { try await HeadlessBrowser().logIn(at: url, userName: "demo", password: "demo") }
/// }
/// ```
public final class HeadlessBrowser {
    /// A page as it was received.
    public struct Page: Sendable {
        /// Where the page is, after all redirects.
        public let url: URL
        private let snapshot: XMLSnapshot

        fileprivate init(url: URL, root: XMLNode) {
            self.url = url
            snapshot = XMLSnapshot(root.document)
        }

        /// The page's root element.
        public var root: XMLNode { snapshot.root() }

        /// The page's title.
        public var title: String { root.first("title")?.text() ?? "(no title)" }

        /// The links, with their texts.
        public var links: [(text: String, url: URL)] {
            root.find("a").compactMap { link in
                guard let address = link.attr("href"), let url = URL(string: address, relativeTo: url) else {
                    return nil
                }
                return (link.text().trimmingCharacters(in: .whitespacesAndNewlines), url.absoluteURL)
            }
        }

        /// What can be sent from the main part; a header's form, as for logging out, is not what the page is
        /// about.
        fileprivate var forms: [XMLNode] {
            (root.first("main") ?? root).find("form").filter { $0.attr("method")?.lowercased() == "post" }
        }
    }

    private let transport: any HTTPTransport
    private var cookies: [String: String] = [:]
    private let report: (String) -> Void
    private let handOver: (URL) -> Void

    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - report: Gets what the browser does, a line at a time.
    ///   - handOver: Takes the addresses that are not HTTP's, as the system does for apps that own a URL
    ///     scheme.
    public init(
        transport: any HTTPTransport = .system,
        report: @escaping (String) -> Void = { _ in },
        handOver: @escaping (URL) -> Void = { _ in }
    ) {
        self.transport = transport
        self.report = report
        self.handOver = handOver
    }

    /// Logs in from an app's page on a UI server, chooses a record and lets the app in.
    /// - Parameters:
    ///   - url: What `selectRecord` opened.
    ///   - label: The record to choose, by its label; the first one unless given.
    /// - Returns: The page at which the browser ended.
    /// - Throws: ``BrowserError`` when a page is not what it should be.
    @discardableResult
    public func logIn(at url: URL, userName: String, password: String, choosing label: String? = nil)
        async throws -> Page
    {
        report("open \(shortened(url))")
        let login = try await open(url)
        report("fill in the user name and password")
        let choice = try await submit(["username": userName, "password": password], on: login)
        guard
            let link = choice.links.first(where: {
                $0.url.path.contains("/complete") && (label ?? $0.text) == $0.text
            })
        else { throw BrowserError("“\(choice.title)” offers no record\(label.map { " “\($0)”" } ?? "").") }
        report("choose “\(link.text)”")
        var page = try await open(link.url)
        // The consent, where the app is not on the record yet; what comes after belongs to the app.
        for _ in 0..<3 where page.url.host() == url.host() && page.url.port == url.port && !page.forms.isEmpty
        {
            report("agree")
            page = try await submit(on: page)
        }
        return page
    }

    /// Opens a page, following redirects.
    public func open(_ url: URL) async throws -> Page { try await load(.get, url, body: nil) }

    /// Sends the form in the page's main part that has a field for each of `values`, hidden fields included.
    public func submit(_ values: [String: String] = [:], on page: Page) async throws -> Page {
        let form = page.forms.first { form in
            Set(values.keys).isSubset(of: form.find("input").compactMap { $0.attr("name") })
        }
        guard let form else {
            throw BrowserError(
                "“\(page.title)” has no form with the fields \(values.keys.sorted().joined(separator: ", "))."
            )
        }
        let fields = form.find("input").compactMap { input in
            input.attr("name").map {
                FormParameters.Element(name: $0, value: values[$0] ?? input.attr("value") ?? "")
            }
        }
        guard let target = URL(string: form.attr("action") ?? "", relativeTo: page.url) else {
            throw BrowserError("The form of “\(page.title)” has no address.")
        }
        return try await load(.post, target.absoluteURL, body: FormParameters(fields))
    }

    private func load(_ method: HTTPRequest.Method, _ url: URL, body: FormParameters?, redirects: Int = 9)
        async throws -> Page
    {
        let answer = try await send(method, url, body)
        let status = answer.status
        if (300..<400).contains(status), let location = answer.response.headerFields[.location],
            let next = URL(string: location, relativeTo: url)?.absoluteURL
        {
            report("  \(status) → \(shortened(next))")
            guard next.scheme == "http" || next.scheme == "https" else {
                handOver(next)
                return Page(url: next, root: XMLNode("html"))
            }
            guard redirects > 0 else { throw BrowserError("The pages redirect in a circle.") }
            return try await load(.get, next, body: nil, redirects: redirects - 1)
        }
        guard status == 200 else { throw BrowserError("\(shortened(url)) answered \(status).") }
        let page = Page(url: url, root: try Self.read(answer.body))
        report("  200 “\(page.title)”")
        return page
    }

    /// HTML leaves some elements open and some attributes without a value, and names characters; XML does
    /// neither. What a name stands for matters to nobody here.
    private static func read(_ html: Data) throws -> XMLNode {
        let closed = String(decoding: html, as: UTF8.self)
            .replacing(#/(?is)<script\b[^>]*/>|<script\b.*?</script>/#, with: "")
            .replacing(#/&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;/#, with: "\u{FFFD}")
            .replacing(#/<(meta|link|input|br|hr|img)\b([^>]*?)\s*/?>/#) { "<\($0.1)\($0.2)/>" }
            .replacing(#/\s(required|autofocus|checked|disabled)(?=[\s/>])/#, with: "")
        return try XMLNode(parsing: closed)
    }

    private func send(_ method: HTTPRequest.Method, _ url: URL, _ form: FormParameters?) async throws
        -> HTTPAnswer
    {
        let path = url.path(percentEncoded: true)
        let target = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        var request = HTTPRequest(method: method, scheme: url.scheme, authority: authority, path: target)
        if !cookies.isEmpty {
            request.headerFields[.cookie] = cookies.map { "\($0)=\($1)" }.sorted().joined(separator: "; ")
        }
        if form != nil { request.headerFields[.contentType] = FormParameters.contentType }
        let body = form.map { Data($0.encoded.utf8) }
        let answer: HTTPAnswer
        do {
            answer = try await transport.send(request, body: body)
        } catch let error as HTTPTransportError where error.kind == .responseLost {
            // As browsers do: a server may have closed the connection that was kept open.
            answer = try await transport.send(request, body: body)
        }
        for cookie in answer.response.headerFields[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { cookies[pair[0]] = pair[1] }
        }
        return answer
    }

    /// An address without the secrets in its query.
    private func shortened(_ url: URL) -> String {
        url.absoluteString.replacing(/\?.*/.dotMatchesNewlines(), with: "?…")
    }
}

/// A page that is not the one that the browser was to expect.
public struct BrowserError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
