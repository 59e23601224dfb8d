import DurableQueue
import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyTesting
import Synchronization
import Testing

@testable import IndivoCommand
@testable import StudyDelivery
@testable import StudyFormats
@testable import StudyServer

/// A folder of what a study publishes.
private struct Published {
    static let study = "org.example.sleep"
    static let schedule = """
        {"tasks": [{"taskId": "diary", "taskType": "survey", "notificationType": "delayable", "starts": "1d", \
        "repeats": "7d", "expires": "1y"}]}
        """
    let folder: Folder
    var contents: StudyContentsFolder { StudyContentsFolder(folder.file("published")) }

    init() throws { folder = try Folder() }

    static func questionnaire(_ version: String, _ name: String = "diary", text: String = "Sleep?") -> String
    {
        """
        {"resourceType": "Questionnaire", "id": "\(name)", "url": "http://example.org/Questionnaire/\(name)",
         "version": "\(version)", "status": "active", "item": [{"linkId": "a", "text": "\(text)", \
        "type": "decimal"}]}
        """
    }

    static func consent(_ version: String) -> String {
        """
        {"id": "consent", "version": "\(version)", "title": "Consent", "study": "\(study)", "organization": \
        "Hospital", "sections": [{"kind": "Overview", "title": "Welcome", "text": "We study sleep."}]}
        """
    }

    @discardableResult
    func publish(
        _ questionnaires: [String] = [questionnaire("1")],
        study: String = study,
        by key: StudyPrivateKey = StudyKeys.key,
        version: Int? = nil,
        at time: StudyTime = .now
    ) throws -> StudyContents {
        let inForce = StudyContents.Consent(
            document: "consent",
            version: "3",
            requiredFrom: StudyTime(seconds: 1_790_000_000)
        )
        var items = try questionnaires.map {
            try StudyContentsFolder.Item(Questionnaire(parsing: Data($0.utf8)))
        }
        items.append(try .init(schedule: Data(Self.schedule.utf8)))
        items.append(.init(consent: Data(Self.consent("3").utf8), inForce))
        return try contents.publish(
            items,
            consent: inForce,
            study: study,
            signedBy: key,
            version: version,
            at: time
        )
    }

    /// The list as it is signed.
    func list() throws -> String {
        String(decoding: try Data(contentsOf: contents.url.appending(path: "contents.jwt")), as: UTF8.self)
    }

    /// A phone's store, which asks the server that `respond` is.
    func store(_ server: Server, _ name: String = "phone") throws -> PublishedStudyStore {
        try PublishedStudyStore(
            in: folder.file(name),
            study: Self.study,
            signedBy: StudyKeys.certificate(),
            from: #require(URL(string: "https://study.example.org/c3pro")),
            transport: server
        )
    }

    /// A server that serves the folder.
    var server: Server {
        let root = contents.url
        return Server { request in
            let name = (request.path ?? "").split(separator: "/").last.map(String.init) ?? ""
            let data = FileManager.default.contents(atPath: root.appending(path: name).path)
            return (data == nil ? 404 : 200, data ?? Data())
        }
    }
}

/// A server in memory.
private struct Server: HTTPTransport {
    let respond: @Sendable (HTTPRequest) -> (status: Int, body: Data)

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let answer = respond(request)
        return HTTPAnswer(response: HTTPResponse(status: .init(code: answer.status)), body: answer.body)
    }

    /// The same server, but for what is at some path.
    func changing(_ end: String, _ change: @escaping @Sendable (Data) -> (Int, Data)) -> Server {
        Server { request in
            let answer = respond(request)
            return request.path?.hasSuffix(end) == true ? change(answer.body) : answer
        }
    }
}

/// A server whose first answers are others.
private final class Faltering: HTTPTransport {
    /// How often the list was asked for.
    let lists = Mutex(0)
    private let first: Mutex<[Result<Int, HTTPTransportError>]>
    private let server: Server

    init(_ first: [Result<Int, HTTPTransportError>], then server: Server) {
        self.first = Mutex(first)
        self.server = server
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        if request.path?.hasSuffix("contents.jwt") == true { lists.withLock { $0 += 1 } }
        guard let next = first.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            return try await server.send(request, body: body)
        }
        return HTTPAnswer(response: HTTPResponse(status: .init(code: try next.get())), body: Data())
    }
}

@Suite("Published contents of a study")
struct ContentsTests {
    private static let diary = "http://example.org/Questionnaire/diary"

    @Test("a phone fetches what is published, asks again in vain, and has it offline")
    func roundTrip() async throws {
        let published = try Published()
        let receiver = try await Receiver.start(
            queue: SQLiteMessageQueue(nil),
            .open { $0.contents = published.contents.url }
        )
        func store() throws -> PublishedStudyStore {
            try PublishedStudyStore(
                in: published.folder.file("phone"),
                study: Published.study,
                signedBy: StudyKeys.certificate(),
                from: receiver.url.appending(path: "c3pro")
            )
        }
        await #expect(throws: StudyServerProblem.self) { try await store().fetch() }
        #expect(try store().stored() == nil)
        try published.publish([Published.questionnaire("1"), Published.questionnaire("2")])
        let (study, isNew) = try await store().fetch()
        #expect(isNew)
        #expect(study.contents.version == 1 && study.questionnaires.count == 2)
        #expect(study.questionnaire("\(Self.diary)|1")?.version == "1")
        #expect(study.questionnaire(Self.diary)?.version == "2")
        #expect(study.questionnaire("\(Self.diary)|3") == nil && study.questionnaire("") == nil)
        let task = try #require(study.schedule?.tasks.first)
        #expect(study.questionnaire(for: task)?.version == "2" && task.notification == .delayable)
        #expect(study.consentVersion == "3" && study.consent?.version == "3")
        #expect(study.contents.consent?.requiredFrom?.seconds == 1_790_000_000)
        #expect(try await !store().fetch().isNew)
        try published.publish()
        let (next, isNext) = try await store().fetch()
        #expect(isNext)
        #expect(next.contents.version == 2 && next.questionnaires.count == 1)
        await receiver.stop()
        await #expect(throws: HTTPTransportError.self) { try await store().fetch() }
        #expect(try store().stored()?.contents == next.contents)
    }

    @Test("the receiver serves files by digest alone, and tags save sending them again")
    func serving() async throws {
        let published = try Published()
        let contents = try published.publish()
        let receiver = try await Receiver.start(
            queue: SQLiteMessageQueue(nil),
            .open { $0.contents = published.contents.url }
        )
        let phone = Phone(url: receiver.url)
        let digest = try #require(contents.files.first).digest
        for path in ["/c3pro/contents.jwt", "/c3pro/contents/\(digest)"] {
            let answer = try await phone.send(.get, path)
            let tag = try #require(answer.fields[.eTag])
            #expect(answer.status == 200 && !answer.text.isEmpty)
            for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try await phone.send(.get, path, ["If-None-Match": known])
                #expect(again.status == 304 && again.text.isEmpty && again.fields[.eTag] == tag)
            }
            #expect(try await phone.send(.get, path, ["If-None-Match": "\"x\""]).status == 200)
            #expect(try await phone.send(.post, path).status == 405)
        }
        let others = [digest.uppercased(), String(digest.dropLast()), "..", "%2e%2e", "contents.jwt"]
        try Data("secret".utf8).write(to: published.contents.url.appending(path: "private-key.pem"))
        for name in others + ["private-key.pem", String(repeating: "0", count: 64), "\(digest)/x"] {
            #expect(try await phone.send(.get, "/c3pro/contents/\(name)").status == 404, "\(name)")
        }
        // A file that has grown over the bound is not read.
        try Data(count: StudyContents.maximumFileSize + 1)
            .write(to: published.contents.url.appending(path: digest))
        #expect(try await phone.send(.get, "/c3pro/contents/\(digest)").status == 404)
        let metrics = try await phone.send(.get, "/metrics").text
        #expect(metrics.contains("study_contents_expires_timestamp_seconds \(contents.expires.seconds)\n"))
        await receiver.stop()
    }

    @Test("an older list, or another of the same version, is refused; the stored one stays")
    func older() async throws {
        let published = try Published()
        try published.publish()
        let first = try Data(contentsOf: published.contents.url.appending(path: "contents.jwt"))
        let second = try published.publish([Published.questionnaire("2")])
        let store = try published.store(published.server)
        #expect(try await store.fetch().study.contents == second)
        let old = published.server.changing("contents.jwt") { _ in (200, first) }
        await #expect(throws: StudyError.self) { try await published.store(old).fetch() }
        try FileManager.default.removeItem(at: published.contents.url.appending(path: "contents.jwt"))
        try published.publish(version: 2)
        await #expect(throws: StudyError.self) { try await store.fetch() }
        #expect(try store.stored()?.contents == second)
    }

    @Test("what is changed, of another signer or study, expired, or garbage is refused")
    func refused() async throws {
        let published = try Published()
        let good = try published.publish()
        let server = published.server
        let file = try #require(good.files.first)
        let digest = file.digest
        let other = try Published()
        try other.publish(by: StudyKeys.other)
        let foreign = try Published()
        try foreign.publish(study: "org.example.other")
        let late = try Published()
        try late.publish(at: StudyTime(seconds: StudyTime.now.seconds - 91 * 86_400))
        let early = try Published()
        try early.publish(at: StudyTime(seconds: StudyTime.now.seconds + 2 * 86_400))
        // All that a list of contents has, under the type of another.
        let keys = try SignedList.sign(
            .keys,
            study: Published.study,
            issued: .now,
            expires: StudyTime(seconds: StudyTime.now.seconds + 86_400),
            [JSONMember(name: "version", value: 9), JSONMember(name: "files", value: [])],
            by: StudyKeys.key
        )
        let signed = try published.list()
        let claims = try #require(JWS(signed))
        let raised = String(decoding: claims.payload, as: UTF8.self)
            .replacing("\"version\":1", with: "\"version\":9")
        var forged = JWS(header: claims.header, payload: Data(raised.utf8))
        forged.signature = claims.signature
        let forgedList = forged.compact
        func list(_ text: String) -> Server {
            server.changing("contents.jwt") { _ in (200, Data(text.utf8)) }
        }
        let servers: [(String, Server)] = [
            (
                "a changed file",
                server.changing(digest) {
                    (200, Data(String(decoding: $0, as: UTF8.self).replacing("Sleep?", with: "Drink?").utf8))
                }
            ),
            ("a short file", server.changing(digest) { (200, Data($0.dropLast())) }),
            ("a file that is away", server.changing(digest) { _ in (404, Data()) }),
            ("a file that has not changed", server.changing(digest) { _ in (304, Data()) }),
            ("a long file", server.changing(digest) { (200, $0 + Data(count: 1)) }),
            ("another signer", other.server), ("another study", foreign.server),
            ("an expired list", late.server), ("a list of the future", early.server),
            ("a list of keys", list(keys)), ("a forged list", list(forgedList)),
            ("a list without a signature", list("eyJhbGciOiJub25lIn0.\(raised.count).")),
            ("a login page", list("<html>Log in</html>")), ("nothing", list("")),
            ("a long list", list(String(repeating: "a", count: StudyContents.maximumLength + 1))),
            ("a failure", server.changing("contents.jwt") { _ in (500, Data()) }),
            ("a redirect", server.changing("contents.jwt") { _ in (302, Data()) }),
            ("no change of nothing", server.changing("contents.jwt") { _ in (304, Data()) }),
        ]
        for (index, (what, server)) in servers.enumerated() {
            let store = try published.store(server, "phone-\(index)")
            await #expect(throws: (any Error).self, "\(what)") { try await store.fetch() }
            #expect(try store.stored() == nil, "\(what)")
            // Nor does it replace what was good.
            let kept = try published.store(published.server, "kept-\(index)")
            _ = try await kept.fetch()
            _ = try? await published.store(server, "kept-\(index)").fetch()
            #expect(try kept.stored()?.contents == good, "\(what)")
        }
        await #expect(throws: StudyServerProblem.self) {
            try await published.store(servers[15].1, "a").fetch()
        }
        #expect(throws: StudyError.self) {
            _ = try StudyKeyList(signed, study: Published.study, signedBy: StudyKeys.certificate())
        }
    }

    @Test("a busy server, or one whose answer is lost, is asked again; others are not")
    func asksAgain() async throws {
        let published = try Published()
        let contents = try published.publish()
        let lost = HTTPTransportError(kind: .responseLost, server: "study", mayHaveReachedServer: true)
        let cases: [(first: [Result<Int, HTTPTransportError>], isFetched: Bool, sent: Int)] = [
            ([.success(503), .failure(lost)], true, 3), ([.success(429)], true, 2),
            ([.success(503), .success(503), .success(503), .success(503)], false, 4),
            ([.success(404)], false, 1), ([.success(500)], false, 1),
        ]
        for (index, (first, isFetched, sent)) in cases.enumerated() {
            let server = Faltering(first, then: published.server)
            let store = try PublishedStudyStore(
                in: published.folder.file("phone-\(index)"),
                study: Published.study,
                signedBy: StudyKeys.certificate(),
                from: #require(URL(string: "https://study.example.org/c3pro")),
                transport: server,
                timing: CallTiming(now: { Date() }, elapsed: { .zero }, sleep: { _ in }, random: { 0 })
            )
            if isFetched {
                #expect(try await store.fetch().study.contents == contents)
            } else {
                await #expect(throws: StudyServerProblem.self) { try await store.fetch() }
            }
            #expect(server.lists.withLock { $0 } == sent, "\(first)")
        }
    }

    @Test("what was damaged on the disk is told, and fetched again")
    func damaged() async throws {
        let published = try Published()
        let contents = try published.publish()
        let store = try published.store(published.server)
        _ = try await store.fetch()
        let digest = try #require(contents.files.first).digest
        let file = published.folder.file("phone/\(digest)")
        try Data("{}".utf8).write(to: file)
        #expect(throws: StudyError.self) { try store.stored() }
        try FileManager.default.removeItem(at: file)
        #expect(throws: StudyError.self) { try store.stored() }
        // The server says that the list has not changed, and gives the file.
        let same = published.server.changing("contents.jwt") { _ in (304, Data()) }
        #expect(try await !published.store(same).fetch().isNew)
        #expect(try store.stored()?.contents == contents)
        try Data("x".utf8).write(to: published.folder.file("phone/contents.jwt"))
        #expect(throws: StudyError.self) { try store.stored() }
        _ = try await store.fetch()
        #expect(try store.stored()?.contents == contents)
    }

    @Test("a stored list is of use after its time, and files of earlier lists are removed")
    func expiry() async throws {
        let published = try Published()
        try published.publish([Published.questionnaire("1"), Published.questionnaire("2")])
        let store = try published.store(published.server)
        _ = try await store.fetch()
        let contents = try published.publish([Published.questionnaire("2")])
        _ = try await store.fetch()
        let later = StudyTime(seconds: contents.expires.seconds + 1)
        // The same list, from a server that gives it as if it were new.
        await #expect(throws: StudyError.self) { try await store.fetch(at: later) }
        let same = published.server.changing("contents.jwt") { _ in (304, Data()) }
        #expect(try await published.store(same).fetch(at: later).study.contents == contents)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: published.folder.file("phone").path
        )
        #expect(Set(names) == Set(contents.files.map(\.digest) + ["contents.jwt", ".lock"]))
    }

    @Test("a list over its bounds, with a repeated name or another consent is not made")
    func bounds() throws {
        func file(_ kind: StudyContents.File.Kind, _ number: Int = 1, size: Int = 1) -> StudyContents.File {
            let isQuestionnaire = kind == .questionnaire
            return StudyContents.File(
                kind,
                url: isQuestionnaire ? "http://example.org/\(number)" : nil,
                version: isQuestionnaire ? "1" : nil,
                content: Data(count: size)
            )
        }
        func make(_ files: [StudyContents.File], version: Int = 1) throws {
            _ = try StudyContents(study: "s", version: version, files: files)
        }
        try make((1...500).map { file(.questionnaire, $0) })
        #expect(throws: StudyError.self) { try make((1...501).map { file(.questionnaire, $0) }) }
        let largest = StudyContents.maximumFileSize
        try make((1...8).map { file(.questionnaire, $0, size: largest) })
        #expect(throws: StudyError.self) { try make((1...9).map { file(.questionnaire, $0, size: largest) }) }
        #expect(throws: StudyError.self) { try make([file(.schedule, size: largest + 1)]) }
        #expect(throws: StudyError.self) { try make([file(.schedule, size: 0)]) }
        #expect(throws: StudyError.self) { try make([file(.questionnaire), file(.questionnaire)]) }
        #expect(throws: StudyError.self) { try make([file(.schedule), file(.schedule, size: 2)]) }
        #expect(throws: StudyError.self) { try make([file(.consent)]) }
        #expect(throws: StudyError.self) { try make([file(.schedule)], version: 0) }
        #expect(throws: StudyError.self) { try make([file(.schedule)], version: .max) }
        for (url, version) in [(nil, "1"), ("", "1"), ("http://a|1", "1"), ("http://a", nil)] {
            #expect(throws: StudyError.self) {
                try make([.init(.questionnaire, url: url, version: version, content: Data(count: 1))])
            }
        }
        let long = StudyContents.File(
            .questionnaire,
            url: "http://example.org/" + String(repeating: "a", count: 2_000),
            version: "1",
            content: Data(count: 1)
        )
        #expect(throws: StudyError.self) { try make([long]) }
    }

    @Test("versions of what is published rise, and another study's list is not replaced")
    func rising() throws {
        let published = try Published()
        #expect(try published.publish().version == 1)
        #expect(try published.publish().version == 2)
        #expect(try published.publish(version: 7).version == 7)
        #expect(throws: StudyError.self) { try published.publish(version: 7) }
        #expect(throws: StudyError.self) { try published.publish(study: "org.example.other") }
        #expect(try published.contents.contents().version == 7)
        // Nobody knows what version phones have.
        try Data("x".utf8).write(to: published.contents.url.appending(path: "contents.jwt"))
        #expect(throws: StudyError.self) { try published.publish() }
        let nameless = #"{"resourceType": "Questionnaire", "url": "http://example.org/q"}"#
        #expect(throws: StudyError.self) {
            try StudyContentsFolder.Item(Questionnaire(parsing: Data(nameless.utf8)))
        }
    }

    @Test("of publishers at once each makes a version of its own")
    func publishers() async throws {
        let published = try Published()
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...8 {
                group.addTask { try published.publish([Published.questionnaire("\(number)")]).version }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions.sorted() == Array(1...8))
        #expect(try published.contents.questionnaires().count == 1)
        // While one writes, the folder is locked.
        let steps = Mutex(0)
        let path = published.contents.url.path
        var folder = published.contents
        folder.disk = Disk { _ in
            let descriptor = open(path, O_RDONLY | O_DIRECTORY)
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { steps.withLock { $0 += 1 } } else { return EIO }
            return 0
        }
        let item = try StudyContentsFolder.Item(schedule: Data(Published.schedule.utf8))
        _ = try folder.publish([item], study: Published.study, signedBy: StudyKeys.key)
        #expect(steps.withLock { $0 } > 0)
    }

    @Test("another key is refused unless asked for, and what is no longer named is removed")
    func anotherKey() throws {
        let published = try Published()
        let first = try published.publish()
        #expect(throws: StudyError.self) { try published.publish(by: StudyKeys.other) }
        #expect(try published.contents.contents() == first)
        let questionnaire = try Questionnaire(parsing: Data(Published.questionnaire("2").utf8))
        let second = try published.contents.publish(
            [.init(questionnaire)],
            study: Published.study,
            signedBy: StudyKeys.other,
            changesKey: true
        )
        let names = try FileManager.default.contentsOfDirectory(atPath: published.contents.url.path)
        #expect(Set(names) == Set(second.files.map(\.digest) + ["contents.jwt"]))
        for name in names {
            let file = published.contents.url.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o644, "\(name)")
        }
    }

    @Test("a broken fetch goes on with what it has, despite files that another removes")
    func overlapping() async throws {
        let published = try Published()
        try published.publish()
        let store = try published.store(published.server)
        _ = try await store.fetch()
        let other = [Published.questionnaire("1"), Published.questionnaire("1", "sleep")]
        let third = try published.publish(other, version: 3)
        let new = try #require(third.files.first { $0.url?.hasSuffix("sleep") == true })
        let server = published.server
        let folder = published.folder.file("phone")
        // While the third list's new file is on its way, another fetch removes one that both lists have.
        let known = try #require(third.files.first { $0.url == Self.diary })
        let slow = server.changing(new.digest) { data in
            try? FileManager.default.removeItem(at: folder.appending(path: known.digest))
            return (200, data)
        }
        #expect(try await published.store(slow).fetch().study.contents == third)
        #expect(try store.stored()?.contents == third)
        // The second file fails: the first is there all the same.
        let broken = server.changing(new.digest) { _ in (429, Data()) }
        let phone = try published.store(broken, "broken")
        await #expect(throws: StudyServerProblem.self) { try await phone.fetch() }
        let digests = try FileManager.default.contentsOfDirectory(
            atPath: published.folder.file("broken").path
        )
        #expect(digests.contains(known.digest) && !digests.contains("contents.jwt"))
        #expect(try phone.stored() == nil)
    }

    @Test("of two lists of one version the first one stored stays, also when they overlap")
    func oneVersion() async throws {
        let published = try Published()
        let twin = try Published()
        try published.publish()
        let good = try published.contents.contents()
        try twin.publish([Published.questionnaire("2")])
        let first = try published.store(published.server)
        let digest = try #require(twin.contents.contents().files.first).digest
        // While the twin's file is on its way, the other list is stored.
        let list = try Data(published.list().utf8)
        let folder = published.folder.file("phone")
        let slow = twin.server.changing(digest) { data in
            try? list.write(to: folder.appending(path: "contents.jwt"))
            return (200, data)
        }
        await #expect(throws: StudyError.self) { try await published.store(slow).fetch() }
        #expect(try await first.fetch().study.contents == good)
    }

    @Test("a stored list that cannot be opened is an error, not a first fetch")
    func unreadable() async throws {
        let published = try Published()
        try published.publish(version: 2)
        let store = try published.store(published.server)
        _ = try await store.fetch()
        let list = published.folder.file("phone/contents.jwt")
        try FileManager.default.removeItem(at: list)
        try FileManager.default.createDirectory(at: list, withIntermediateDirectories: false)
        await #expect(throws: StudyError.self) { try await store.fetch() }
        #expect(throws: StudyError.self) { try store.stored() }
    }

    @Test("a file that says another version of itself than the signed list is refused")
    func contradiction() throws {
        let data = Data(Published.questionnaire("2").utf8)
        let contents = try StudyContents(
            study: "s",
            version: 1,
            files: [.init(.questionnaire, url: Self.diary, version: "1", content: data)]
        )
        #expect(throws: StudyError.self) { try PublishedStudy(contents) { _ in data } }
    }

    @Test("the tool publishes a folder, which all parts of the server read, and fetches it")
    func commands() async throws {
        let published = try Published()
        let folder = published.folder
        for (name, text) in [
            ("key.pem", StudyKeys.key.pem), ("signer.pem", try StudyKeys.certificate().pem),
            ("q.json", Published.questionnaire("1")), ("schedule.json", Published.schedule),
            ("consent.json", Published.consent("3")),
        ] { try Data(text.utf8).write(to: folder.file(name)) }
        let arguments = [
            published.contents.url.path, "--study", Published.study, "--signing-key",
            folder.file("key.pem").path, "--questionnaire", folder.file("q.json").path, "--schedule",
            folder.file("schedule.json").path, "--consent", folder.file("consent.json").path, "--quiet",
        ]
        try StudyPublishCommand.parse(arguments + ["--consent-required-from", "2026-09-01"]).run()
        #expect(throws: CommandFailure.self) {
            var other = arguments
            other[2] = "org.example.other"
            try StudyPublishCommand.parse(other).run()
        }
        let config = folder.file("study.json")
        let text = """
            {"questionnaires": ["published"], "schedule": "published", "receiver": {"contents": "published"}}
            """
        try Data(text.utf8).write(to: config)
        let plan = try StudyUpFile(config.path).plan()
        #expect(plan.questionnaires.map(\.version) == ["1"] && plan.schedule?.tasks.map(\.id) == ["diary"])
        #expect(plan.receiver.contents?.standardizedFileURL.path == published.contents.url.path)
        let receiver = try await Receiver.start(
            queue: SQLiteMessageQueue(nil),
            .open { $0.contents = published.contents.url }
        )
        let output = folder.file("now")
        try await StudyFetchCommand.parse([
            receiver.url.appending(path: "c3pro").absoluteString, "--study", Published.study, "--signer",
            folder.file("signer.pem").path, "--output", output.path, "--quiet",
        ]).run()
        await receiver.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
        #expect(names == ["consent.json", "questionnaire-1.json", "schedule.json"])
        let schedule = try Data(contentsOf: output.appending(path: "schedule.json"))
        #expect(schedule == Data(Published.schedule.utf8))
        // A questionnaire that was changed in the folder is not the one that phones have.
        let digest = try #require(published.contents.contents().files.first).digest
        try Data(Published.questionnaire("1", text: "Dreams?").utf8)
            .write(to: published.contents.url.appending(path: digest))
        #expect(throws: (any Error).self) { try StudyUpFile(config.path).plan() }
    }
}
