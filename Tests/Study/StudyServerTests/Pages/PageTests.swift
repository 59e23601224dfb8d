import FHIR
import Foundation
import StudyServer
import StudyWarehouse
import Testing
import WebServing

@testable import StudyServer

@Suite struct PageTests {
    private static let received: FHIRDateTime = "2026-03-02T00:00:00Z"
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/sleep", "status": "active", "title": \
        "Sleep <b>well</b>",
         "item": [
          {"linkId": "woke", "type": "choice", "text": "What woke you <script>alert(1)</script>", \
        "answerOption": [
           {"valueCoding": {"code": "noise", "display": "Noise & shouting"}},
           {"valueCoding": {"code": "light", "display": "Light"}}]},
          {"linkId": "hours", "type": "decimal", "text": "Hours"}, {"linkId": "note", "type": "text", \
        "text": "A note"}]}
        """

    /// Pages of a study with 12 participants, one of whom is unusual in everything.
    private func study() async throws -> TestPages {
        let pages = try TestPages()
        let questionnaires = [try Questionnaire(parsing: Self.questionnaire)]
        let ontology = Ontology(questionnaires)
        let mapper = ResponseMapper(Codebook(questionnaires))
        let now = WarehouseTime(Self.received)
        try await pages.warehouse.transaction { try $0.store(ontology, now: now) }
        for person in 1...12 {
            let isUnusual = person == 12
            let response = try QuestionnaireResponse(
                parsing: """
                    {"resourceType": "QuestionnaireResponse", "questionnaire": "http://example.org/sleep", \
                    "status": "completed",
                     "identifier": {"value": "r-\(person)"}, "item": [
                      {"linkId": "woke", "answer": [{"valueCoding": {"code": \
                    "\(isUnusual ? "light" : "noise")"}}]},
                      {"linkId": "hours", "answer": [{"valueDecimal": \
                    \(isUnusual ? "23.75" : "\(person).5")}]},
                      {"linkId": "note", "answer": [{"valueString": "private thought \(person)"}]}]}
                    """
            )
            let set = try mapper.map(response, visit: "v", received: Self.received)
            try await pages.warehouse.transaction { db in
                let participant = try db.participant("digest-\(person)", now: now)
                try db.store([set], of: participant, label: "m", written: now, now: now)
                try db.keep(
                    StoredMessage(
                        id: "m-\(person)",
                        kind: "envelope",
                        body: Data([1]),
                        received: "2026-03-01T10:00:00Z",
                        state: .loaded
                    )
                )
            }
        }
        return pages
    }

    private func visitor(_ pages: TestPages) async -> Visitor {
        var visitor = Visitor(pages)
        _ = await visitor.logIn()
        return visitor
    }

    @Test("pages are found, have no script, and are not kept by browsers")
    func headers() async throws {
        let pages = try await study()
        var visitor = await visitor(pages)
        let source = try #require(try await pages.warehouse.read { try $0.questionSources().first?.name })
        for path in ["/", "/messages", "/questions", "/questions/\(source)", "/map", "/progress"] {
            let answer = await visitor.get(path)
            #expect(answer.status == 200, "\(path)")
            let policy = answer.response.header("Content-Security-Policy") ?? ""
            #expect(
                policy.hasPrefix("default-src 'none'") && !policy.contains("script")
                    && policy.contains("form-action 'self'")
            )
            #expect(answer.response.header("Cache-Control") == "no-store")
            #expect(!answer.text.contains("<script") && !answer.text.contains(" style="), "\(path)")
            #expect(answer.text.contains(" · Sleep &amp; rest</title>"), "\(path)")
        }
        let map = await visitor.get("/map.svg")
        #expect(map.status == 200 && map.response.header("Content-Security-Policy") == "default-src 'none'")
        #expect(await visitor.get("/nothing").status == 404)
        #expect(await visitor.get("/questions/nothing").status == 404)
        #expect(await visitor.send("DELETE", "/").status == 405)
    }

    @Test("answers are shown as counts, and nothing of a single person is")
    func answers() async throws {
        let pages = try await study()
        var visitor = await visitor(pages)
        let source = try #require(try await pages.warehouse.read { try $0.questionSources().first?.name })
        let text = await visitor.get("/questions/\(source)").text
        #expect(text.contains("Noise &amp; shouting") && text.contains(">10+<") && !text.contains(">11<"))
        #expect(text.contains("Light") && text.contains("&lt; 5"))
        // In the questionnaire's order, which is not the alphabet's.
        let answers = text.ranges(of: /Noise|Light/).map { text[$0.lowerBound...].prefix(5) }
        #expect(answers == ["Noise", "Light"])
        #expect(text.contains("What woke you &lt;script&gt;"))
        #expect(!text.contains("23.75") && !text.contains("private thought"))
        // The median of 1.5 … 11.5 and 23.75, and the fifth from below and above.
        for number in ["7", "5.5", "8.5"] { #expect(text.contains(">\(number)<"), "\(number)") }
        #expect(text.contains("10+ participants"))
        #expect(await visitor.get("/questions").text.contains("Sleep &lt;b&gt;well"))
    }

    @Test("answers that were counted are shown again for half a minute")
    func cache() async throws {
        let pages = try await study()
        var visitor = await visitor(pages)
        let source = try #require(try await pages.warehouse.read { try $0.questionSources().first?.name })
        let first = await visitor.get("/questions/\(source)").text
        try await pages.warehouse.transaction { db in
            for person in 1...11 { try db.withdraw("digest-\(person)", now: WarehouseTime(Self.received)) }
        }
        #expect(await visitor.get("/questions/\(source)").text == first)
        pages.pass(31)
        #expect(await visitor.get("/questions/\(source)").text != first)
    }

    @Test("the overview has days, participants and the queue")
    func overview() async throws {
        let pages = try await study()
        try await pages.queue.send(
            StudyMessage(id: "x", content: .envelope, received: "2026-03-01T10:00:00Z", body: Data([1]))
        )
        var visitor = await visitor(pages)
        let text = await visitor.get("/").text
        #expect(text.contains("2026-03-01: 12"))
        #expect(
            text.contains("<dt>With data</dt><dd>10+</dd>") && text.contains("<dt>Waiting</dt><dd>1</dd>")
        )
    }

    @Test("a dead letter is put back by its button, and by no other form")
    func redelivery() async throws {
        let pages = try await study()
        for id in ["a", "b", "c"] {
            try await pages.queue.send(
                StudyMessage(
                    id: id,
                    content: .envelope,
                    received: "2026-03-01T10:00:00Z",
                    body: Data(id.utf8)
                )
            )
        }
        for received in try await pages.queue.receive(limit: 10, visibility: 60) {
            try await pages.queue.release(received, after: 0, reason: "no <b>luck</b>")
        }
        var visitor = await visitor(pages)
        let page = await visitor.get("/messages")
        #expect(page.text.contains("no &lt;b&gt;luck"))
        for fields in [["id": "a"], ["id": "a", "csrf": "x"], ["csrf": page.csrf + "x"]] {
            #expect(await visitor.post("/messages/redeliver", fields).status == 403)
        }
        var elsewhere = visitor
        elsewhere.headers = ["sec-fetch-site": "cross-site"]
        #expect(await elsewhere.post("/messages/redeliver", ["id": "a", "csrf": page.csrf]).status == 403)
        #expect(try await pages.queue.status().dead == 3)
        let answer = await visitor.post("/messages/redeliver", ["id": "a", "csrf": page.csrf])
        #expect(answer.response.header("Location") == "/messages?done=1")
        let status = try await pages.queue.status()
        #expect(status.depth == 1 && status.dead == 2)
        #expect(
            await visitor.post("/messages/redeliver", ["csrf": page.csrf]).response.header("Location")
                == "/messages?done=2"
        )
        #expect(await visitor.get("/messages?done=2").text.contains("2 to be processed again"))
    }

    @Test("a message that failed is asked for again by its button")
    func reprocessing() async throws {
        let pages = try await study()
        try await pages.warehouse.transaction { db in
            for id in ["f-1", "f-2"] {
                let state = StoredMessage.State.failed(reason: "it is not decrypted")
                try db.keep(
                    StoredMessage(
                        id: id,
                        kind: "envelope",
                        body: Data([1]),
                        received: "2026-03-01T10:00:00Z",
                        state: state
                    )
                )
            }
        }
        var visitor = await visitor(pages)
        let page = await visitor.get("/messages")
        #expect(page.text.contains("it is not decrypted"))
        #expect(await visitor.post("/messages/reprocess", ["id": "f-1"]).status == 403)
        _ = await visitor.post("/messages/reprocess", ["id": "f-1", "csrf": page.csrf])
        #expect(try await pages.warehouse.read { try $0.requestedMessages() } == ["f-1"])
        _ = await visitor.post("/messages/reprocess", ["csrf": page.csrf])
        #expect(try await pages.warehouse.read { try $0.requestedMessages() } == ["f-1", "f-2"])
    }

    @Test("what waits for a decision is decided by its buttons, and by no other form")
    func decisions() async throws {
        let pages = try await study()
        try await pages.warehouse.transaction { db in
            for id in ["w-1", "w-2"] {
                let state = StoredMessage.State.pending(reason: "it is a <b>withdrawal</b>")
                try db.keep(
                    StoredMessage(
                        id: id,
                        kind: "envelope",
                        body: Data([1]),
                        received: "2026-03-01T10:00:00Z",
                        state: state
                    )
                )
            }
        }
        var visitor = await visitor(pages)
        let page = await visitor.get("/messages")
        #expect(page.text.contains("it is a &lt;b&gt;withdrawal"))
        for action in ["approve", "dismiss"] {
            #expect(await visitor.post("/messages/\(action)", ["id": "w-1"]).status == 403)
        }
        #expect(try await pages.warehouse.read { try $0.approvedMessages() }.isEmpty)
        let done = await visitor.post("/messages/approve", ["id": "w-1", "csrf": page.csrf])
        #expect(done.response.header("Location") == "/messages?decided=1")
        _ = await visitor.post("/messages/dismiss", ["id": "w-2", "csrf": page.csrf])
        #expect(try await pages.warehouse.read { try $0.approvedMessages() } == ["w-1"])
        #expect(try await pages.warehouse.read { try $0.message("w-2") }?.state == .dismissed)
        let again = await visitor.post("/messages/approve", ["id": "w-2", "csrf": page.csrf])
        #expect(again.response.header("Location") == "/messages?decided=0")
    }

    @Test("a client that asks too often is told to wait")
    func requestLimit() async throws {
        var visitor = Visitor(try TestPages())
        for _ in 0..<240 { _ = await visitor.get("/style.css") }
        let answer = await visitor.get("/style.css")
        #expect(answer.status == 429 && answer.response.header("Retry-After") != nil)
    }

    @Test("off this machine the pages start behind TLS alone")
    func addresses() async throws {
        let pages = try TestPages()
        var configuration = StudyPages.Configuration()
        configuration.address = "0.0.0.0"
        configuration.port = 0
        await #expect(throws: StudyPagesError.self) {
            try await StudyPages.start(
                warehouse: pages.warehouse,
                queue: pages.queue,
                users: pages.users,
                configuration
            )
        }
        configuration.address = "127.0.0.1"
        let running = try await StudyPages.start(
            warehouse: pages.warehouse,
            queue: pages.queue,
            users: pages.users,
            configuration
        )
        await running.stop()
    }

    @Test(
        "the metrics have the bytes of what failed, for programs on this machine alone",
        arguments: [nil, "pages.example.org"]
    )
    func metrics(host: String?) async throws {
        let pages = try TestPages(host: host)
        try await pages.warehouse.transaction { db in
            for (id, state) in [("f", .failed(reason: "x")), ("w", .waiting), ("l", .loaded)]
                as [(String, StoredMessage.State)]
            {
                let body = Data(count: 7_000)
                try db.keep(
                    StoredMessage(
                        id: id,
                        kind: "envelope",
                        body: body,
                        received: "2026-03-01T10:00:00Z",
                        state: state
                    )
                )
            }
        }
        var program = Visitor(pages)
        let text = await program.get("/metrics").text
        #expect(text.contains("study_warehouse_messages{state=\"failed\"} 1\n"))
        #expect(text.contains("study_warehouse_kept_bytes 14000\n"))
        for change in [
            { $0.peer = "10.0.0.1" }, { $0.headers = ["x-forwarded-for": "6.6.6.6"] },
            { $0.host = "rebound.example" },
        ]
            as [(inout Visitor) -> Void]
        {
            var stranger = Visitor(pages)
            change(&stranger)
            #expect(await stranger.get("/metrics").text.contains("study_") == false)
        }
        guard host == nil else { return }
        var visitor = await visitor(pages)
        #expect(await visitor.get("/messages").text.contains("they have 14 kB"))
    }
}
