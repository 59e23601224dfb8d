import Foundation
import HTTPCalls
import IndivoBase
import RecordCommands
import StudyTesting
import StudyWarehouse
import Testing
import WebServing

@testable import IndivoCommand
@testable import StudyServer

@Suite("Several studies in one process")
struct SeveralStudiesTests {
    @Test("a name is of a-z, 0-9 and -, and none of the servers' own")
    func names() throws {
        for name in ["sleep", "a", "asthma-2", "s" + String(repeating: "x", count: 39)] {
            #expect(try StudyName(name).description == name)
        }
        let wrong = [
            "", "Sleep", "2sleep", "-sleep", "sleep/2", "schlaf\u{FC}", "sleep study", "..", "login", "c3pro",
            "s" + String(repeating: "x", count: 40),
        ]
        for name in wrong { #expect(throws: StudyOperationsError.self) { try StudyName(name) } }
    }

    // MARK: The receiver

    private func with(
        _ body: (Receiver, _ queues: [String: SQLiteMessageQueue]) async throws -> Void
    ) async throws {
        let sleep = try StudyName("sleep")
        let asthma = try StudyName("asthma")
        let queues = ["sleep": try SQLiteMessageQueue(nil), "asthma": try SQLiteMessageQueue(nil)]
        let receiver = try await Receiver.start(studies: [sleep, asthma], .open())
        do {
            for name in [sleep, asthma] {
                let queue = try #require(queues[name.description])
                try await receiver.open(name, queue: queue, .open())
            }
            try await body(receiver, queues)
        } catch {
            await receiver.stop()
            throw error
        }
        await receiver.stop()
    }

    @Test("what is delivered below a study's name is in its queue alone, with its own apps")
    func deliveries() async throws {
        try await with { receiver, queues async throws in
            let phone = Phone(url: receiver.url, base: "/sleep")
            let token = try #require(try await phone.token())
            var fields = [
                "Authorization": "Bearer \(token)", "Content-Type": "application/fhir+json; charset=utf-8",
            ]
            let envelope = try Given.envelope(Given.response(UUID()))
            let path = "/c3pro/encfhir/QuestionnaireResponse"
            #expect(try await phone.send(.post, path, fields, envelope).status == 200)
            #expect(try await queues["sleep"]?.status().depth == 1)
            #expect(try await queues["asthma"]?.status().depth == 0)
            // A token of one study opens no other.
            let other = Phone(url: receiver.url, base: "/asthma")
            #expect(try await other.send(.post, path, fields, envelope).status == 401)
            fields["Authorization"] = nil
            for base in ["", "/none", "/slee", "/sleepy", "/sleep%2F..%2Fasthma"] {
                let stranger = Phone(url: receiver.url, base: base)
                #expect(try await stranger.send(.post, path, fields, envelope).status == 404, "\(base)")
            }
            #expect(try await queues["asthma"]?.status().depth == 0)
        }
    }

    @Test("a study that is away is answered with 503, and the others work on")
    func away() async throws {
        try await with { receiver, _ async throws in
            receiver.close(try StudyName("asthma"))
            let away = try await Phone(url: receiver.url, base: "/asthma").send(.post, "/c3pro/register")
            #expect(away.status == 503)
            #expect(try await Phone(url: receiver.url, base: "/sleep").token() != nil)
            let health = try await Phone(url: receiver.url).send(.get, "/health")
            #expect(health.status == 503)
            #expect(health.json?["studies"]?["asthma"]?.string == "starting")
            #expect(health.json?["studies"]?["sleep"]?.string == "ok")
            #expect(try await Phone(url: receiver.url, base: "/sleep").send(.get, "/health").status == 200)
        }
    }

    @Test("the metrics of all studies stand once each, with a label for the study")
    func metrics() async throws {
        try await with { receiver, _ async throws in
            _ = try await Phone(url: receiver.url, base: "/sleep").token()
            let text = try await Phone(url: receiver.url).send(.get, "/metrics").text
            let lines = text.split(separator: "\n")
            #expect(lines.count { $0 == "# TYPE study_queue_depth gauge" } == 1)
            #expect(lines.contains(#"study_queue_depth{study="asthma"} 0"#))
            #expect(lines.contains(#"study_queue_depth{study="sleep"} 0"#))
            #expect(lines.contains { $0.hasPrefix(#"study_requests_total{study="sleep",route="#) })
            #expect(!lines.contains { $0.hasPrefix(#"study_requests_total{study="asthma""#) })
        }
    }

    @Test("a metric that the first study has no value of keeps its head")
    func mergedHeads() {
        let head = "# HELP study_a A.\n# TYPE study_a counter\n"
        let merged = MetricsText.merged([("one", head), ("two", head + "study_a{x=\"1\"} 2\nstudy_a 3\n")])
        #expect(merged == head + "study_a{study=\"two\",x=\"1\"} 2\nstudy_a{study=\"two\"} 3\n")
    }

    @Test("a study that the receiver was not started with is refused")
    func unknown() async throws {
        try await with { receiver, _ async throws in
            await #expect(throws: StudyOperationsError.self) {
                try await receiver.open(try StudyName("other"), queue: SQLiteMessageQueue(nil))
            }
        }
    }

    // MARK: The pages

    @Test("one login shows the studies in which a person has a role, and no others")
    func pages() async throws {
        let pages = try TestPages(studies: ["sleep", "asthma"])
        try pages.users.setRole(nil, of: "ada")
        var visitor = Visitor(pages)
        #expect(await visitor.logIn().status == 303)
        #expect(await visitor.get("/").text.contains("no role in any study"))
        #expect(await visitor.get("/sleep/").status == 404)
        try pages.users.setRole(.operate, of: "ada", in: StudyName("sleep"))
        let list = await visitor.get("/")
        #expect(list.text.contains(#"<a href="/sleep/">Sleep &amp; rest</a>"#))
        #expect(!list.text.contains("asthma"))
        let overview = await visitor.get("/sleep/")
        #expect(overview.status == 200)
        #expect(overview.text.contains(#"href="/sleep/messages""#))
        #expect(overview.text.contains(#"<a href="/">All studies</a>"#))
        // Every link of the study's pages leads to the study, or to what all have together.
        for link in overview.text.matches(of: /(?:href|src|action)="(\/[^"]*)"/).map(\.output.1) {
            let isShared = ["/", "/style.css", "/favicon.ico", "/logout"].contains(String(link))
            #expect(isShared || link.hasPrefix("/sleep/"), "\(link)")
        }
        // Of another study they do not learn whether there is one.
        let other = await visitor.get("/asthma/")
        #expect(other.status == 404)
        #expect(other.text == (await visitor.get("/none/")).text)
        try pages.users.setRole(.view, of: "ada", in: StudyName("asthma"))
        #expect(await visitor.get("/asthma/").status == 503)
    }

    @Test("a role in one study allows nothing in another")
    func roles() async throws {
        let pages = try TestPages(studies: ["sleep", "asthma"])
        let site = try #require(pages.site)
        let asthma = try StudyName("asthma")
        site.hosted[asthma] = PageService(
            site.access,
            asthma,
            try Warehouse(nil),
            try SQLiteMessageQueue(nil),
            title: "Asthma",
            elapsed: { .zero }
        )
        try pages.users.setRole(.view, of: "ada")
        try pages.users.setRole(.operate, of: "ada", in: StudyName("sleep"))
        var visitor = Visitor(pages)
        #expect(await visitor.logIn().status == 303)
        let csrf = await visitor.get("/sleep/").csrf
        #expect(await visitor.get("/asthma/").status == 200)
        #expect(await visitor.get("/asthma/export").status == 403)
        #expect(await visitor.get("/sleep/export").status == 200)
        #expect(await visitor.post("/asthma/messages/reprocess", ["csrf": csrf]).status == 403)
        let done = await visitor.post("/sleep/messages/reprocess", ["csrf": csrf])
        #expect(done.status == 303)
        let places = done.response.headers.filter { $0.name == "Location" }.map(\.value)
        #expect(places == ["/sleep/messages?done=0"])
        #expect(await visitor.post("/sleep/messages/reprocess", ["csrf": "x"]).status == 403)
    }

    @Test("who administers one study sees its people and audit, and nothing of the others")
    func administratorOfOne() async throws {
        let pages = try TestPages(names: ["ada", "bob", "eve"], studies: ["sleep", "asthma"])
        try pages.users.setRole(.administer, of: "eve")
        for name in ["ada", "bob"] { try pages.users.setRole(nil, of: name) }
        try pages.users.setRole(.administer, of: "ada", in: StudyName("sleep"))
        try pages.users.setRole(.view, of: "bob", in: StudyName("asthma"))
        var bob = Visitor(pages)
        _ = await bob.logIn("bob")
        _ = await bob.get("/asthma/questions")
        var ada = Visitor(pages)
        _ = await ada.logIn()
        _ = await ada.get("//sleep/messages")
        _ = await ada.get("/sleep/export/codebook.csv")
        let people = await ada.get("/sleep/people").text
        #expect(people.contains("eve") && !people.contains("bob"))
        let audit = await ada.get("/sleep/audit").text
        #expect(audit.contains("//sleep/messages") && audit.contains("file codebook.csv"))
        #expect(!audit.contains("asthma") && !audit.contains("its head is"))
        var eve = Visitor(pages)
        _ = await eve.logIn("eve")
        #expect(await eve.get("/sleep/people").text.contains("bob"))
        #expect(await eve.get("/sleep/audit").text.contains("login"))
    }

    @Test("roles in single studies come back from the file as they were")
    func roleFile() throws {
        let pages = try TestPages(names: ["ada", "bob"])
        try pages.users.setRole(nil, of: "ada")
        try pages.users.setRole(.export, of: "ada", in: StudyName("sleep"))
        try pages.users.setRole(.view, of: "ada", in: StudyName("asthma"))
        let users = try pages.users.users()
        #expect(users["ada"]?.role == nil)
        #expect(users["ada"]?.roles == ["sleep": .export, "asthma": .view])
        #expect(users["bob"]?.roles.isEmpty == true)
        try pages.users.setRole(nil, of: "ada", in: StudyName("sleep"))
        #expect(try pages.users.users()["ada"]?.roles == ["asthma": .view, "sleep": nil])
        let wrong = ["none,", "none,sleep", "view,sleep=god", "view,a=view,a=view", ",a=view"]
        for field in wrong {
            let file = pages.users.url.deletingLastPathComponent().appending(path: UUID().uuidString)
            let text = try String(contentsOf: pages.users.url, encoding: .utf8)
            let changed = text.replacing(":none,asthma=view,sleep=none\n", with: ":\(field)\n")
            try Data(changed.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(throws: StudyPagesError.self) { try StudyUserFile(file).users() }
        }
    }

    @Test("a role in one study takes away what an earlier file allowed in the others")
    func earlierFiles() throws {
        let pages = try TestPages()
        let text = try String(contentsOf: pages.users.url, encoding: .utf8)
        try Data(text.replacing(#/:[a-z]+\n/#, with: "\n").utf8).write(to: pages.users.url)
        #expect(try pages.users.users()["ada"]?.hasRole == false)
        try pages.users.setRole(.view, of: "ada", in: StudyName("sleep"))
        let user = try #require(try pages.users.users()["ada"])
        #expect(user.role(in: try StudyName("sleep")) == .view)
        #expect(user.role(in: try StudyName("asthma")) == nil)
    }

    @Test("who is new for one study has no role in another, nor can get one in it alone")
    func newForOne() throws {
        let pages = try TestPages(names: [])
        let sleep = try StudyName("sleep")
        let asthma = try StudyName("asthma")
        try pages.users.setPassword(Secret("a long password"), of: "bob", in: sleep)
        #expect(try pages.users.users()["bob"]?.role(in: sleep) == .view)
        #expect(try pages.users.users()["bob"]?.role(in: asthma) == nil)
        try pages.users.setRole(.administer, of: "bob")
        try pages.users.setRole(nil, of: "bob", in: asthma)
        let user = try #require(try pages.users.users()["bob"])
        #expect(user.may(.administer, in: try StudyName("other")) && !user.may(.view, in: asthma))
    }

    @Test("people who are added by several at once are all there")
    func addedAtOnce() async throws {
        let pages = try TestPages(names: [])
        let users = pages.users
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try users.setPassword(Secret("a long password"), of: "user\(number)") }
            }
            try await group.waitForAll()
        }
        #expect(try users.names() == (0..<8).map { "user\($0)" })
    }

    @Test("what does not respond is not waited for, and goes on by itself")
    func timeLimit() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let late = await result(within: .milliseconds(1)) {
            for await _ in gate { break }
            end.finish()
            return 1
        }
        #expect(late == nil)
        open.finish()
        for await _ in ends {}
        #expect(await result(within: .seconds(60)) { 2 } == 2)
    }

    @Test("a study that does not respond delays no other's state, however often it is asked")
    func hangingStudy() async throws {
        let names = [try StudyName("away"), try StudyName("here")]
        let hosted = HostedStudies<Int>(names, patience: .milliseconds(50))
        for (index, name) in names.enumerated() { hosted[name] = index }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let question: @Sendable (Int) async throws -> String = { number in
            if number == 0 { for await _ in gate { break } }
            return "ok"
        }
        // More looks than may be under way at once: the last ones are not begun.
        for _ in 0..<20 { #expect(await hosted.asked(question).map(\.value) == [nil, "ok"]) }
        open.finish()
    }

    // MARK: The configuration

    private func plan(_ text: String, in folder: Folder) throws -> StudiesPlan {
        let path = folder.file("studies.json").path
        return try StudiesFile(StudyUpFile(Data(text.utf8), path: path, takesSeveral: true)).plan()
    }

    private func folder(sleep: String = "{}", asthma: String = "{}") throws -> Folder {
        let folder = try Folder()
        for (name, text) in [("sleep", sleep), ("asthma", asthma)] {
            let isNamed = text.contains("\"source\"")
            let rest = text.dropFirst() == "}" ? "}" : ", \(text.dropFirst())"
            let text = isNamed ? text : "{\"source\": \"\(name)\"\(rest)"
            try FileManager.default.createDirectory(
                at: folder.file(name),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: folder.file("\(name)/study.json"))
        }
        return folder
    }

    private let both = #""studies": {"sleep": "sleep/study.json", "asthma": "asthma/study.json"}"#

    @Test("each study has its own files, and all have one receiver and one set of pages")
    func configuration() throws {
        let folder = try folder(sleep: #"{"title": "Sleep", "source": "SLEEP"}"#)
        let plan = try plan(#"{\#(both), "receiver": {"port": 0}, "pages": {"users": "users"}}"#, in: folder)
        #expect(plan.studies.map(\.name.description) == ["sleep", "asthma"])
        #expect(plan.studies[0].plan.title == "Sleep")
        let paths = plan.files.map { String($0.path.dropFirst(folder.url.path.count)) }
        let expected = ["sleep/queue", "sleep/study", "asthma/queue", "asthma/study"].map { "/\($0).sqlite" }
        #expect(paths == expected)
        #expect(
            plan.parts == ["receiver sleep", "pages sleep", "receiver asthma", "pages asthma"]
        )
    }

    @Test(
        "a configuration that would mix studies, or tells a thing twice, is refused",
        arguments: [
            ("{}", #"{"pages": {"users": "u"}}"#, "", "“pages” stands in"),
            ("{}", #"{"receiver": {"port": 1}}"#, "", "“receiver.port” stands in"),
            ("{}", #"{"queue": "sqlite:../sleep/queue.sqlite"}"#, "", "give each a place"),
            ("{}", #"{"store": "sqlite:../sleep/study.sqlite"}"#, "", "give each a place"),
            ("{}", #"{"queue": "sqlite:../sleep/study.sqlite"}"#, "", "give each a place"),
            ("{}", #"{"receiver": {"clients": "../sleep/queue.sqlite"}}"#, "", "give each a place"),
            ("{}", #"{"receiver": {"connectionsPerAddress": 9}}"#, "", "stands in"),
            (#"{"source": "A"}"#, #"{"source": "A"}"#, "", "give each study another"),
            ("{}", "{}", #", "source": "S""#, "“source” is not known"),
            ("{}", #"{"studies": {}}"#, "", "this is of several studies"),
        ]
    )
    func refused(_ sleep: String, _ asthma: String, _ more: String, _ advice: String) throws {
        let folder = try folder(sleep: sleep, asthma: asthma)
        let error = #expect(throws: CommandFailure.self) { try plan("{\(both)\(more)}", in: folder) }
        #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
    }

    @Test("two ways to one place are found to be one")
    func places() throws {
        let folder = try Folder()
        let files = FileManager.default
        let real = folder.file("real")
        try files.createDirectory(at: real, withIntermediateDirectories: true)
        try files.createSymbolicLink(at: folder.file("link"), withDestinationURL: real)
        func identity(_ path: String) throws -> String {
            try StudyPlace("sqlite:\(folder.url.path)/\(path)", option: "queue", takesSQS: true).identity
        }
        try files.createSymbolicLink(atPath: folder.file("to-q").path, withDestinationPath: "link/q")
        // Before the file is there, and afterwards.
        #expect(try identity("to-q") == identity("real/q"))
        #expect(try identity("real/q") == identity("link/./q"))
        #expect(try identity("real/q") != identity("real/w"))
        try Data().write(to: real.appending(path: "q"))
        try files.linkItem(at: real.appending(path: "q"), to: folder.file("hard"))
        #expect(try identity("link/q") == identity("hard"))
        func identity(of url: String) throws -> String {
            try StudyPlace(url, option: "queue", takesSQS: true).identity
        }
        let base = try identity(of: "postgresql://a@localhost/d")
        let same = [
            "postgres://b@127.0.0.1:5432/d?sslmode=disable", "postgresql://LOCALHOST/%64",
            "postgresql:///d?host=localhost", "postgresql://x/?host=/run/postgresql&dbname=d",
        ]
        for url in same { #expect(try identity(of: url) == base, "\(url)") }
        for url in ["postgresql://localhost:5433/d", "postgresql://db/d", "postgresql://localhost/e"] {
            #expect(try identity(of: url) != base, "\(url)")
        }
        let schema = "postgresql://localhost/d?options=-csearch_path%3Dsleep"
        #expect(try identity(of: schema) != base)
        #expect(try identity(of: "sqs:https://q/1") == identity(of: "sqs:https://q/1/?bucket=b"))
    }

    @Test(
        "names that are none are refused",
        arguments: [#"{}"#, #"["a"]"#, #"{"login": "a"}"#, #"{"Sleep": "a"}"#, #"{"sleep": 1}"#]
    )
    func wrongNames(_ studies: String) throws {
        #expect(throws: CommandFailure.self) { try plan("{\"studies\": \(studies)}", in: folder()) }
    }

    @Test("two studies have receiver, consumers and pages, and their data stay apart")
    func wholeSite() async throws {
        let folder = try folder(
            sleep: """
                {"source": "SLEEP", "keys": "../keys",
                 "receiver": {"registration": "open", "antispam": "../antispam"}}
                """,
            asthma: #"{"source": "ASTHMA", "keys": "../keys"}"#
        )
        try StudyKeysMakeCommand.parse([folder.file("keys/key-1").path, "--bits", "2048"]).run()
        let antispam = folder.file("antispam")
        try Data("spam-secret\n".utf8).write(to: antispam)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: antispam.path)
        let plan = try plan(#"{\#(both), "receiver": {"port": 0}}"#, in: folder)
        let studies = try await Studies(plan: plan, report: PartReport(printsJSON: false))
        let supervisor = Supervisor(studies.parts)
        let work = Task { await supervisor.run() }
        let phone = Phone(url: studies.receiver.url)
        var isUp = false
        for _ in 0..<600 where !isUp {
            isUp = supervisor.states.allSatisfy(\.state.isUp)
            if !isUp { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(isUp)
        #expect(try await phone.send(.get, "/health").status == 200)
        #expect(studies.consumers.map(\.part) == ["consumer sleep", "consumer asthma"])
        work.cancel()
        await work.value
        #expect(try await phone.send(.get, "/health").status == 503)
        await studies.stop()
        for (name, source) in [("sleep", "SLEEP"), ("asthma", "ASTHMA")] {
            let warehouse = try Warehouse(folder.file("\(name)/study.sqlite"), source: source)
            #expect(try await warehouse.read { try $0.messageCounts() }.isEmpty)
        }
    }
}
