import HTTPServing
import StudyServer
import StudyWarehouse
import URLCoding

extension PageService {
    /// How many messages are listed, and put back at once.
    private static let (listed, atOnce) = (100, 1000)

    func messages(_ visit: PageVisit) async throws -> Response {
        let status = try await queue.status()
        let dead = try await queue.deadLetters(limit: Self.listed)
        let (failed, counts, kept) = try await warehouse.read { warehouse in
            (try warehouse.failedMessages(limit: Self.listed), try warehouse.messageCounts(), try warehouse.keptBytes())
        }
        let done = FormParameters(decoding: visit.request.rawQuery)["done"].flatMap { Int($0) }
        let note: Markup =
            done.map { "<p class=\"note\" role=\"status\">\(max(0, $0)) to be processed again.</p>" } ?? .empty
        let deadRows = dead.map { Self.row(visit, "redeliver", id: $0.id, received: $0.received, reason: $0.reason) }
        let failedRows = failed.map { message -> [Markup] in
            var reason = ""
            if case .failed(let text) = message.state { reason = text }
            return Self.row(visit, "reprocess", id: message.id, received: message.received, reason: reason)
        }
        return PageLayout.page(
            "Messages", visit, section: "/messages",
            """
            \(note)
            <section aria-labelledby="queue"><h2 id="queue">Queue</h2>\(MessageWords.queue(status))</section>
            \(Self.section(
                visit, "dead", "Given up", "redeliver", "Messages that were received too often without an end.",
                deadRows, of: status.dead))
            \(Self.section(
                visit, "failed", "Failed", "reprocess",
                """
                Messages that could not be decrypted, read or mapped. The consumer processes them again with the keys it has now. \
                With those that wait for a consent they have \(MessageWords.size(kept)); beyond its limit, the consumer leaves \
                more in the queue.
                """, failedRows, of: counts["failed"] ?? 0))
            """)
    }

    private static func row(_ visit: PageVisit, _ action: String, id: String, received: String, reason: String) -> [Markup] {
        let shown = id.count > 24 ? String(id.prefix(24)) + "…" : id
        return [
            "<code>\(shown)</code>", "<time datetime=\"\(received)\">\(received)</time>", Table.cell(reason),
            """
            <form method="post" action="/messages/\(action)">\(visit.csrf)<input type="hidden" name="id" value="\(id)">\
            <button>Process again<span class="unseen"> \(shown)</span></button></form>
            """,
        ]
    }

    private static func section(
        _ visit: PageVisit, _ id: String, _ title: String, _ action: String, _ lead: Markup, _ rows: [[Markup]], of count: Int
    ) -> Markup {
        let more: Markup = count > rows.count ? "<p class=\"quiet\">The oldest \(rows.count) of \(count).</p>" : .empty
        let all: Markup =
            rows.isEmpty
            ? .empty
            : """
            <form class="choices" method="post" action="/messages/\(action)">\(visit.csrf)\
            <button>Process all again<span class="unseen">: \(title)</span></button></form>
            """
        let table = Table(heads: ["Message", "Received", "Reason", "Again"], rows: rows)
        return """
            <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2><p class="quiet">\(lead)</p>
            \(table.markup)\(more)\(all)</section>
            """
    }

    // MARK: For those who run it

    /// The warehouse's messages for a program on this machine.
    func metrics() async -> Response {
        do {
            let (counts, kept) = try await warehouse.read { (try $0.messageCounts(), try $0.keptBytes()) }
            let states = MessageWords.states.map { ("state=\"\($0.name)\"", counts[$0.name] ?? 0) }
            return MetricsText.response(
                MetricsText.metric("warehouse_messages", .gauge, "Messages in the warehouse by state.", states)
                    + MetricsText.metric(
                        "warehouse_kept_bytes", .gauge, "Bytes of the messages that wait for a consent or failed.", kept))
        } catch {
            logger.error("the metrics fail", metadata: ["error": "\(type(of: error))"])
            return Response(status: 503)
        }
    }

    // MARK: Changes

    /// Puts a dead letter back into the queue, or all of them.
    func redeliver(_ visit: PageVisit) async throws -> Response {
        var done = 0
        if let id = visit.form["id"] {
            if try await queue.redeliver(id) { done = 1 }
        } else {
            for letter in try await queue.deadLetters(limit: Self.atOnce) where try await queue.redeliver(letter.id) { done += 1 }
        }
        logger.info("put back", metadata: ["name": "\(visit.session.name)", "messages": "\(done)"])
        return .seeOther("/messages?done=\(done)")
    }

    /// Asks the consumer for another attempt.
    func reprocess(_ visit: PageVisit) async throws -> Response {
        let id = visit.form["id"]
        let done = try await warehouse.transaction { try $0.requestReprocessing(id) }
        logger.info("to be processed again", metadata: ["name": "\(visit.session.name)", "messages": "\(done)"])
        return .seeOther("/messages?done=\(done)")
    }
}
