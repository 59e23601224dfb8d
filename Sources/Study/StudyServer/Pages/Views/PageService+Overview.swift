import StudyWarehouse
import WebServing

extension PageService {
    /// How many days are shown.
    private static let dayCount = 30

    func overview(_ visit: PageVisit) async throws -> Response {
        let today = today()
        let first = today.advanced(bySeconds: Int64(1 - Self.dayCount) * 86_400)
        let overview = try await warehouse.transaction { try $0.overview(since: first.day) }
        let status = try await queue.status()
        return frame(visit, section: "/").page(
            "Overview",
            """
            <section aria-labelledby="days"><h2 id="days">What came \
            in</h2>\(Self.days(overview.days, first, today))</section>
            <section aria-labelledby="people"><h2 id="people">Participants</h2><dl>
            <dt>Consents</dt><dd>\(overview.consents.description)</dd>
            <dt>May be shared</dt><dd>\(overview.sharing.description)</dd>
            <dt>With data</dt><dd>\(overview.participants.description)</dd>
            <dt>Withdrew</dt><dd>\(overview.withdrawn.description)</dd></dl></section>
            <section aria-labelledby="messages"><h2 id="messages">Messages</h2>\
            \(Self.states(overview.messages))</section>
            <section aria-labelledby="queue"><h2 id="queue">Queue</h2>\(MessageWords.queue(status))</section>
            """
        )
    }

    private static func states(_ counts: [String: Int]) -> Markup {
        let rows = MessageWords.states.map { state -> Markup in
            "<dt>\(state.words)</dt><dd>\(counts[state.name] ?? 0)</dd>"
        }
        return "<dl>\(rows)</dl>"
    }

    private static func days(_ days: [StudyOverview.Day], _ first: Timestamp, _ today: Timestamp) -> Markup {
        guard !days.isEmpty else { return "<p>Nothing came in the last \(dayCount) days.</p>" }
        let start = Int(first.seconds / 86_400)
        let numbers = Dictionary(
            (0..<dayCount).map { (first.advanced(bySeconds: Int64($0) * 86_400).day, start + $0) },
            uniquingKeysWith: { $1 }
        )
        let marks = days.compactMap { day -> TimeChart.Mark? in
            guard let number = numbers[day.day] else { return nil }
            return TimeChart.Mark(
                .bar(0, Double(day.total)),
                over: number..<(number + 1),
                style: "received",
                words: "\(day.day): \(day.total)"
            )
        }
        let rows = days.reversed().map { day -> [Markup] in
            ["<time datetime=\"\(day.day)\">\(day.day)</time>", "\(day.total)"]
                + MessageWords.states.map { "\(day.counts[$0.name] ?? 0)" }
        }
        let total = days.reduce(0) { $0 + $1.total }
        let chart = TimeChart.markup(
            title: "Messages by day",
            lead: "<strong>\(total)</strong> in \(dayCount) days",
            time: start..<(start + dayCount),
            ticks: [(start, first.day), (start + dayCount, today.day)],
            marks: marks,
            table: PageTable(heads: ["Day", "Messages"] + MessageWords.states.map(\.words), rows: rows)
        )
        return "<div class=\"charts wide\">\(chart)</div>"
    }
}

/// The words for messages and the queue.
enum MessageWords {
    /// The states of messages in the warehouse.
    static let states: [(name: String, words: String)] = [
        ("loaded", "In the warehouse"), ("kept", "Kept as files"), ("waiting", "Waiting for consent"),
        ("failed", "Failed"),
        ("again", "To be processed again"), ("pending", "To be decided"), ("approved", "Approved"),
        ("dismissed", "Not approved"), ("refused", "Of people who withdrew"),
    ]

    static func queue(_ status: MessageQueueStatus) -> Markup {
        """
        <dl><dt>Waiting</dt><dd>\(status.depth)</dd>
        <dt>Age of the oldest</dt><dd>\(status.age == 0 ? "–" : age(status.age))</dd>
        <dt>Given up</dt><dd>\(status.dead)</dd></dl>
        """
    }

    /// Bytes, as people say it.
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) bytes"
        case ..<10_000_000: "\(bytes / 1000) kB"
        case ..<10_000_000_000: "\(bytes / 1_000_000) MB"
        default: "\(bytes / 1_000_000_000) GB"
        }
    }

    /// Seconds, as people say it.
    static func age(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
