import IndivoBase
import StudyWarehouse
import WebServing

extension PageService {
    /// How many messages are listed, and put back at once.
    private static let listed = 100
    private static let atOnce = 1000

    func messages(_ visit: PageVisit) async throws -> Response {
        let status = try await queue.status()
        let dead = try await queue.deadLetters(limit: Self.listed)
        let (failed, pending, counts, kept) = try await warehouse.read { warehouse in
            (
                try warehouse.failedMessages(limit: Self.listed),
                try warehouse.pendingMessages(limit: Self.listed),
                try warehouse.messageCounts(), try warehouse.keptBytes()
            )
        }
        let done = FormParameters(decoding: visit.request.rawQuery)["done"].flatMap { Int($0) }
        let decided = FormParameters(decoding: visit.request.rawQuery)["decided"].flatMap { Int($0) }
        let note: Markup =
            decided.map {
                "<p class=\"note\" role=\"status\">\($0 == 1 ? "Decided." : "It was decided before.")</p>"
            }
            ?? done.map { "<p class=\"note\" role=\"status\">\(max(0, $0)) to be processed again.</p>" }
            ?? .empty
        let deadRows = dead.map {
            row(visit, "redeliver", id: $0.id, received: $0.received, reason: $0.reason)
        }
        let failedRows = failed.map { message in
            row(
                visit,
                "reprocess",
                id: message.id,
                received: message.received,
                reason: message.state.reason ?? ""
            )
        }
        let deadSection = section(
            visit,
            "dead",
            "Given up",
            "redeliver",
            "Messages that were received too often without an end.",
            deadRows,
            of: status.dead
        )
        let failedSection = section(
            visit,
            "failed",
            "Failed",
            "reprocess",
            """
            Messages that could not be decrypted, read or mapped. The consumer processes them again \
            with the keys it has now. With those that wait for a consent they have \
            \(MessageWords.size(kept)); beyond its limit, the consumer leaves more in the queue.
            """,
            failedRows,
            of: counts["failed"] ?? 0
        )
        return frame(visit, section: "/messages").page(
            "Messages",
            """
            \(note)
            <section aria-labelledby="queue"><h2 id="queue">Queue</h2>\(MessageWords.queue(status))</section>
            \(decisions(visit, pending, of: counts["pending"] ?? 0))
            \(deadSection)
            \(failedSection)
            """
        )
    }

    /// What waits for a person's decision.
    private func decisions(_ visit: PageVisit, _ messages: [StoredMessage], of count: Int) -> Markup {
        let rows = messages.map { message -> [Markup] in
            let shown = Self.shortened(message.id)
            return [
                "<code>\(shown)</code>", "<time datetime=\"\(message.received)\">\(message.received)</time>",
                PageTable.cell(message.state.reason ?? ""),
                """
                \(button(visit, "approve", "Approve", message.id)) \
                \(button(visit, "dismiss", "Do not approve", message.id))
                """,
            ]
        }
        let more: Markup =
            count > rows.count ? "<p class=\"quiet\">The oldest \(rows.count) of \(count).</p>" : .empty
        return """
            <section aria-labelledby="decide"><h2 id="decide">To be decided</h2><p class="quiet">\
            Withdrawals, corrections and further consents that no known app of their participant sent: \
            a phone whose app was installed anew, packages without a login, or somebody else. \
            Ask the participant before you decide. What is approved cannot be taken back; \
            an app whose message is approved may speak for the participant from then on.</p>
            \(PageTable(heads: ["Message", "Received", "Reason", "Decision"], rows: rows).markup)\
            \(more)</section>
            """
    }

    private func button(_ visit: PageVisit, _ action: String, _ words: String, _ id: String) -> Markup {
        guard visit.user.may(.operate, in: name) else { return "–" }
        return """
            <form method="post" action="\(base)/messages/\(action)">\(visit.csrf)\
            <input type="hidden" name="id" value="\(id)">\
            <button>\(words)<span class="unseen"> \(Self.shortened(id))</span></button></form>
            """
    }

    private static func shortened(_ id: String) -> String { id.count > 24 ? String(id.prefix(24)) + "…" : id }

    private func row(
        _ visit: PageVisit,
        _ action: String,
        id: String,
        received: String,
        reason: String
    ) -> [Markup] {
        [
            "<code>\(Self.shortened(id))</code>", "<time datetime=\"\(received)\">\(received)</time>",
            PageTable.cell(reason),
            button(visit, action, "Process again", id),
        ]
    }

    private func section(
        _ visit: PageVisit,
        _ id: String,
        _ title: String,
        _ action: String,
        _ lead: Markup,
        _ rows: [[Markup]],
        of count: Int
    ) -> Markup {
        let more: Markup =
            count > rows.count ? "<p class=\"quiet\">The oldest \(rows.count) of \(count).</p>" : .empty
        let all: Markup =
            rows.isEmpty || !visit.user.may(.operate, in: name)
            ? .empty
            : """
            <form class="choices" method="post" action="\(base)/messages/\(action)">\(visit.csrf)\
            <button>Process all again<span class="unseen">: \(title)</span></button></form>
            """
        let table = PageTable(heads: ["Message", "Received", "Reason", "Again"], rows: rows)
        return """
            <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2><p class="quiet">\(lead)</p>
            \(table.markup)\(more)\(all)</section>
            """
    }

    // MARK: For those who run it

    /// The warehouse's messages for a program on this machine.
    func metrics() async -> Response {
        do { return MetricsText.response(try await metricsText()) } catch {
            access.logger.error("the metrics fail", metadata: ["reason": "\(FailureReason.text(of: error))"])
            return Response(status: 503)
        }
    }

    func metricsText() async throws -> String {
        let (counts, kept, used) = try await warehouse.read {
            (try $0.messageCounts(), try $0.keptBytes(), try $0.usedNumbers())
        }
        let states = MessageWords.states.map { ("state=\"\($0.name)\"", counts[$0.name] ?? 0) }
        return MetricsText.metric(
            "warehouse_messages",
            .gauge,
            "Messages in the warehouse by state.",
            states
        )
            + MetricsText.metric(
                "warehouse_kept_bytes",
                .gauge,
                "Bytes of the messages that wait for a consent or failed.",
                kept
            )
            + MetricsText.metric(
                "warehouse_numbers_used_percent",
                .gauge,
                "How much is used up of the numbers that PostgreSQL gives; at 100 nothing is stored.",
                used.sorted { $0.key < $1.key }.map { name, share in
                    ("of=\"\(name)\"", Int((share * 100).rounded(.up)))
                }
            )
    }

    // MARK: Changes

    /// Puts a dead letter back into the queue, or all of them.
    func redeliver(_ visit: PageVisit) async throws -> Response {
        var done = 0
        if let id = visit.form["id"] {
            if try await queue.redeliver(id) { done = 1 }
        } else {
            for letter in try await queue.deadLetters(limit: Self.atOnce)
            where try await queue.redeliver(letter.id) { done += 1 }
        }
        access.logger.info("put back", metadata: ["name": "\(visit.session.name)", "messages": "\(done)"])
        return .seeOther("\(base)/messages?done=\(done)")
    }

    /// Asks the consumer for another attempt.
    func reprocess(_ visit: PageVisit) async throws -> Response {
        let id = visit.form["id"]
        let done = try await warehouse.transaction { try $0.requestReprocessing(id) }
        access.logger.info(
            "to be processed again",
            metadata: ["name": "\(visit.session.name)", "messages": "\(done)"]
        )
        return .seeOther("\(base)/messages?done=\(done)")
    }

    /// Approves a message that waits for a decision, or decides against it.
    func decide(
        _ visit: PageVisit,
        _ decision: String,
        _ body: @escaping @Sendable (WarehouseTransaction, String) throws -> Bool
    ) async throws -> Response {
        guard let id = visit.form["id"] else { return .seeOther("\(base)/messages") }
        let isDone = try await warehouse.transaction { try body($0, id) }
        access.logger.info(
            "\(decision)",
            metadata: ["name": "\(visit.session.name)", "message": "\(id)", "messages": "\(isDone ? 1 : 0)"]
        )
        return .seeOther("\(base)/messages?decided=\(isDone ? 1 : 0)")
    }
}
