import Foundation

/// Totals of numbers by hour, day, week or month of a time zone.
///
/// For sums, a number that spans several periods is divided between them, and where sources overlap, the
/// first one counts. For means, a number belongs to the period of its start.
package struct SpanTotals: Sendable {
    /// How numbers are summarized.
    package enum Kind: Sendable, Hashable { case sum, mean }

    /// The summary of the numbers of a span.
    package struct Summary: Sendable, Equatable {
        /// When the span ends.
        package fileprivate(set) var end: Int
        /// How many numbers have a part in it.
        package fileprivate(set) var count = 0
        package fileprivate(set) var sum = Decimal()
        /// The least number, or part of one.
        package fileprivate(set) var minimum: Decimal?
        /// The greatest number, or part of one.
        package fileprivate(set) var maximum: Decimal?

        package var mean: Decimal { sum / Decimal(count) }
    }

    /// How much memory totals may take. Exceeding a limit is an error; totals are never wrong.
    package struct Limits: Sendable {
        /// Days, counted for each source: a day on which three sources have numbers counts as three.
        package var days = 200_000
        /// Bytes that the numbers of those days take, some eight each.
        package var bytes = 256 << 20
        package var spans = 500_000
        package var spansOfOneSample = 10_000
        package var sources = 1000
        package var pieces = 50_000_000

        package init() {}
    }

    /// More than the limits allow, or than a decimal holds.
    package struct TooLarge: Error, CustomStringConvertible {
        package let description: String
        /// Whether it is about a single number, without which the totals are correct.
        package let concernsSingleNumber: Bool

        package init(description: String, concernsSingleNumber: Bool = false) {
            self.description = description
            self.concernsSingleNumber = concernsSingleNumber
        }
    }

    /// A number that is being divided.
    private struct Interval {
        var time: Range<Int>
        var value: Decimal
        /// The span for which a part is being divided off. However many parts the number has there, it counts
        /// once.
        var span: Range<Int>?
        /// The time that the number's parts have in that span.
        var part = 0
    }

    /// A day of a source.
    private struct Day: Hashable {
        /// When the day begins in the zone.
        var start: Int
        var source: Int
    }

    private let kind: Kind
    private let priority: [String]
    private let limits: Limits
    private var spans: TimeSpans
    private var sources: [String] = []
    private var sourceIndexes: [String: Int] = [:]
    /// How many numbers each source has.
    private var counts: [Int] = []
    /// The numbers of sums, which are kept until the end because of overlaps.
    private var numbers: [Day: PackedNumbers] = [:]
    private var bytes = 0
    private var days: TimeSpans
    private var summaries: [Int: Summary] = [:]

    /// - Parameter priority: The names of sources, the most trusted first. Those that are not in it follow,
    ///   the one with the most numbers first.
    package init(
        _ kind: Kind,
        by length: TimeSpans.Length,
        in zone: TimeZone,
        priority: [String] = [],
        limits: Limits = Limits()
    ) {
        self.kind = kind
        self.priority = priority
        self.limits = limits
        spans = TimeSpans(length, in: zone)
        days = TimeSpans(.day, in: zone)
    }

    /// The spans in which a time begins and ends.
    package mutating func bounds(of time: Range<Int>) -> Range<Int> {
        spans.span(at: time.lowerBound).lowerBound..<spans.span(at: time.upperBound).upperBound
    }

    /// Adds a number that was measured over a time, or at its start if the time is empty.
    package mutating func add(_ value: Decimal, over time: Range<Int>, source: String) throws(TooLarge) {
        let span = spans.span(at: time.lowerBound)
        switch kind {
        case .mean: try Self.record(value, in: span, &summaries, limits)
        case .sum:
            guard time.count / max(span.count, 1) < limits.spansOfOneSample else {
                throw TooLarge(
                    description: "one sample lies in more than \(limits.spansOfOneSample) spans",
                    concernsSingleNumber: true
                )
            }
            let day = Day(start: days.span(at: time.lowerBound).lowerBound, source: try index(of: source))
            guard numbers[day] != nil || numbers.count < limits.days else {
                throw TooLarge(
                    description:
                        "the sources have samples on more than \(limits.days) days; narrow them by time"
                )
            }
            bytes += numbers[day, default: PackedNumbers(near: day.start)].append(value, over: time)
            counts[day.source] += 1
            guard bytes <= limits.bytes else {
                throw TooLarge(
                    description:
                        """
                        the samples take more than \(limits.bytes) bytes of memory even when packed; \
                        narrow them by time
                        """
                )
            }
        }
    }

    private mutating func index(of source: String) throws(TooLarge) -> Int {
        if let index = sourceIndexes[source] { return index }
        guard sources.count < limits.sources else {
            throw TooLarge(description: "more than \(limits.sources) sources")
        }
        sourceIndexes[source] = sources.count
        sources.append(source)
        counts.append(0)
        return sources.count - 1
    }

    private static func record(
        _ value: Decimal,
        in span: Range<Int>,
        _ summaries: inout [Int: Summary],
        _ limits: Limits
    ) throws(TooLarge) {
        guard summaries[span.lowerBound] != nil || summaries.count < limits.spans else {
            throw TooLarge(
                description:
                    "more than \(limits.spans) spans with samples; take longer spans, or narrow them by time"
            )
        }
        var summary = summaries[span.lowerBound] ?? Summary(end: span.upperBound)
        let sum = summary.sum + value
        guard sum.isFinite else { throw TooLarge(description: "a sum is beyond what a decimal holds") }
        summary.sum = sum
        summary.count += 1
        summary.minimum = min(summary.minimum ?? value, value)
        summary.maximum = max(summary.maximum ?? value, value)
        summaries[span.lowerBound] = summary
    }

    /// The summaries of all spans that have numbers, by their starts.
    package func all() throws(TooLarge) -> [(start: Int, summary: Summary)] {
        let summaries = kind == .sum ? try summed() : summaries
        return summaries.keys.sorted().compactMap { start in summaries[start].map { (start, $0) } }
    }

    /// The sums over the sources, each outside the time of the sources before it. It works day by day, so
    /// that only one day's numbers are unpacked at a time; what reaches into the next day is divided there.
    private func summed() throws(TooLarge) -> [Int: Summary] {
        var result: [Int: Summary] = [:]
        let order = sourcesByTrust()
        var ranks = [Int](repeating: 0, count: order.count)
        for (rank, source) in order.enumerated() { ranks[source] = rank }
        var bySource: [Int: [Int]] = [:]
        for day in numbers.keys { bySource[day.start, default: []].append(day.source) }
        // Each number has at least one piece, and some more if others overlap it.
        var pieces = limits.pieces + 4 * counts.reduce(0, +)
        var carried: [Int: [Interval]] = [:]
        var calendar = days
        var starts = bySource.keys.sorted()[...]
        var after: Int?
        while let start = carried.isEmpty ? starts.first : after {
            let window = calendar.span(at: start)
            after = window.upperBound
            let own = bySource[start] ?? []
            if starts.first == start { starts.removeFirst() }
            var rest: [Int: [Interval]] = [:]
            var covered = Coverage()
            for rank in Set(own).union(carried.keys).map({ ranks[$0] }).sorted() {
                let source = order[rank]
                var intervals = carried[source] ?? []
                numbers[Day(start: start, source: source)]?.forEach(near: start) { value, time in
                    intervals.append(Interval(time: time, value: value))
                }
                intervals.sort {
                    ($0.time.lowerBound, $0.time.upperBound) < ($1.time.lowerBound, $1.time.upperBound)
                }
                let inside = intervals.map { interval in
                    max(
                        interval.time.lowerBound,
                        window.lowerBound
                    )..<min(
                        interval.time.upperBound,
                        window.upperBound
                    )
                }
                var cursor = 0
                for index in intervals.indices {
                    let time = inside[index]
                    guard let parts = covered.outside(time.lowerBound, time.upperBound, &cursor, &pieces)
                    else { throw tooManyPieces }
                    for part in parts { try divide(&intervals[index], part, &result, &pieces) }
                    if intervals[index].time.upperBound > window.upperBound {
                        pieces -= 1
                        rest[source, default: []].append(intervals[index])
                    } else {
                        try settle(&intervals[index], &result)
                    }
                }
                covered.add(inside)
            }
            carried = rest
        }
        return result
    }

    /// The sources, the most trusted first.
    private func sourcesByTrust() -> [Int] {
        sources.indices.sorted { a, b in
            let ranks = [a, b].map { priority.firstIndex(of: sources[$0]) ?? .max }
            return (ranks[0], -counts[a], sources[a]) < (ranks[1], -counts[b], sources[b])
        }
    }

    private var tooManyPieces: TooLarge {
        TooLarge(
            description:
                """
                overlaps and spans cut the samples into more than \(limits.pieces) pieces; \
                narrow them by time
                """
        )
    }

    /// Divides the share of a number that falls into a part of its time. Parts come in the order of time.
    private func divide(
        _ interval: inout Interval,
        _ part: Range<Int>,
        _ result: inout [Int: Summary],
        _ pieces: inout Int
    ) throws(TooLarge) {
        var spans = spans
        var position = part.lowerBound
        repeat {
            pieces -= 1
            guard pieces > 0 else { throw tooManyPieces }
            let span = spans.span(at: position)
            let end = min(span.upperBound, part.upperBound)
            if interval.span != span {
                try settle(&interval, &result)
                interval.span = span
            }
            interval.part += end - position
            position = end
        } while position < part.upperBound
    }

    /// Records the number's share of the span that is being divided off.
    private func settle(_ interval: inout Interval, _ result: inout [Int: Summary]) throws(TooLarge) {
        guard let span = interval.span else { return }
        let share =
            interval.part == interval.time.count
            ? interval.value : interval.value * Decimal(interval.part) / Decimal(interval.time.count)
        try Self.record(share, in: span, &result, limits)
        interval.span = nil
        interval.part = 0
    }
}
