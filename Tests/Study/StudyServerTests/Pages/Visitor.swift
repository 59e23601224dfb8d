import Foundation
import IndivoBase
import Logging
import StudyServer
import StudyWarehouse
import Synchronization
import WebServing

@testable import StudyServer

/// Pages without a port, on a clock of the test's own.
final class TestPages: Sendable {
    static let password = "correct horse battery"

    let warehouse: Warehouse
    let queue: SQLiteMessageQueue
    let users: StudyUserFile
    let service: PageService
    /// Where there are several studies, of which ``service`` is the first.
    let site: PageSite?
    let audit: AuditLog
    private let folder: URL
    private let clock: Clock

    final class Clock: Sendable {
        private let seconds = Mutex(0)
        func pass(_ seconds: Int) { self.seconds.withLock { $0 += seconds } }
        var elapsed: Duration { .seconds(seconds.withLock { $0 }) }
    }

    /// - Parameter logger: With it there is no audit log.
    init(
        host: String? = nil,
        names: [String] = ["ada"],
        studies: [String] = [],
        logger: Logger? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "study-pages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        users = StudyUserFile(folder.appending(path: "users"))
        for name in names {
            try users.setPassword(Secret(Self.password), of: name)
            try users.setRole(.operate, of: name)
        }
        let clock = Clock()
        self.clock = clock
        audit = AuditLog(folder.appending(path: "audit.jsonl"))
        warehouse = try Warehouse(nil)
        queue = try SQLiteMessageQueue(nil, maximumReceives: 1)
        // The clock of the rate limit stands still in a test that says nothing else.
        let access = try PageAccess(
            users,
            title: "Sleep & rest",
            host: host,
            audit: logger == nil ? audit : nil,
            logger: logger ?? Logger(label: "study.pages"),
            elapsed: { clock.elapsed }
        )
        let studies = try studies.map { try StudyName($0) }
        service = PageService(
            access,
            studies.first,
            warehouse,
            queue,
            title: "Sleep & rest",
            today: { Timestamp(rawValue: 1_772_409_600_000_000) },
            elapsed: { clock.elapsed }
        )
        site = studies.isEmpty ? nil : PageSite(access: access, hosted: HostedStudies(studies))
        if let first = studies.first { site?.hosted[first] = service }
    }

    func respond(to request: Request) async -> Response {
        if let site { return await site.respond(to: request) }
        return await service.respond(to: request)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func pass(_ seconds: Int) { clock.pass(seconds) }
}

/// A browser.
struct Visitor {
    let pages: TestPages
    var host = "127.0.0.1:8090"
    var headers: [String: String] = [:]
    var peer = "127.0.0.1"
    private(set) var cookies: [String: String] = [:]

    init(_ pages: TestPages) { self.pages = pages }

    struct Answer {
        let response: Response
        var status: Int { response.status }
        var text: String { String(decoding: response.body, as: UTF8.self) }
        /// The hidden field of the page's first form.
        var csrf: String { text.firstMatch(of: /name="csrf" value="([^"]*)"/).map { String($0.1) } ?? "" }
    }

    mutating func get(_ target: String) async -> Answer { await send("GET", target) }

    mutating func post(_ target: String, _ fields: [String: String]) async -> Answer {
        let body = fields.map { "\($0.key)=\(Self.escaped($0.value))" }.joined(separator: "&")
        return await send("POST", target, Data(body.utf8))
    }

    mutating func send(_ method: String, _ target: String, _ body: Data = Data()) async -> Answer {
        var fields = headers
        fields["host"] = host
        if !cookies.isEmpty {
            fields["cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let request = Request(method: method, target: target, headers: fields, body: body, peer: peer)
        let response = await pages.respond(to: request)
        for header in response.headers where header.name == "Set-Cookie" {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] =
                header.value.contains("Max-Age=0") || pair.count < 2 ? nil : String(pair[1])
        }
        return Answer(response: response)
    }

    /// Asks for the form and sends it.
    mutating func logIn(_ name: String = "ada", _ password: String = TestPages.password) async -> Answer {
        let form = await get("/login")
        return await post("/login", ["name": name, "password": password, "csrf": form.csrf])
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
