import Foundation

/// Totals of numbers by hour, day, week or month of a time zone.
///
/// For sums, a number that spans two spans of time is divided between them, and where sources overlap the
/// first one counts. For means, a number belongs to the span of its start.
package struct SpanTotals: Sendable {
    /// How numbers are summarized.
    package enum Kind: Sendable, Hashable { case sum, mean }

    /// What the numbers of a span come to.
    package struct Summary: Sendable, Hashable {
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

    /// How much totals may take. Beyond is an error, not a wrong number.
    package struct Limits: Sendable, Hashable {
        package var samples = 2_000_000
        package var spans = 500_000
        package var spansOfOneSample = 10_000
        package var sources = 1000
        package var pieces = 50_000_000

        package init() {}
    }

    /// More than the limits allow, or than a decimal holds.
    package struct TooLarge: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private struct Interval {
        var time: Range<Int>
        var value: Decimal
        var source: Int
    }

    private let kind: Kind
    private let priority: [String]
    private let limits: Limits
    private var spans: TimeSpans
    private var sources: [String] = []
    private var sourceIndexes: [String: Int] = [:]
    private var intervals: [Interval] = []
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
    }

    /// The spans in which a time begins and ends.
    package mutating func bounds(of time: Range<Int>) -> Range<Int> {
        spans.span(at: time.lowerBound).lowerBound..<spans.span(at: time.upperBound).upperBound
    }

    /// Takes a number that was measured over a time, or at its start where the time is empty.
    package mutating func add(_ value: Decimal, over time: Range<Int>, source: String) throws(TooLarge) {
        let span = spans.span(at: time.lowerBound)
        switch kind {
        case .mean: try Self.record(value, in: span, &summaries, limits)
        case .sum:
            guard time.count / max(span.count, 1) < limits.spansOfOneSample else {
                throw TooLarge(description: "one sample lies in more than \(limits.spansOfOneSample) spans")
            }
            guard intervals.count < limits.samples else {
                throw TooLarge(description: "more than \(limits.samples) samples; narrow them by time")
            }
            intervals.append(Interval(time: time, value: value, source: try index(of: source)))
        }
    }

    private mutating func index(of source: String) throws(TooLarge) -> Int {
        if let index = sourceIndexes[source] { return index }
        guard sources.count < limits.sources else {
            throw TooLarge(description: "more than \(limits.sources) sources")
        }
        sourceIndexes[source] = sources.count
        sources.append(source)
        return sources.count - 1
    }

    private static func record(
        _ value: Decimal,
        in span: Range<Int>,
        isNew: Bool = true,
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
        if isNew { summary.count += 1 }
        summary.minimum = min(summary.minimum ?? value, value)
        summary.maximum = max(summary.maximum ?? value, value)
        summaries[span.lowerBound] = summary
    }

    /// What the spans come to that have numbers, by their starts.
    package func all() throws(TooLarge) -> [(start: Int, summary: Summary)] {
        (kind == .sum ? try summed() : summaries).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The sums of what the sources give, each outside the time of those before it.
    private func summed() throws(TooLarge) -> [Int: Summary] {
        var result: [Int: Summary] = [:]
        var covered = Coverage()
        var pieces = limits.pieces
        var counts = [Int](repeating: 0, count: sources.count)
        for interval in intervals { counts[interval.source] += 1 }
        let order = sources.indices.sorted { a, b in
            let ranks = [a, b].map { priority.firstIndex(of: sources[$0]) ?? .max }
            return (ranks[0], -counts[a], sources[a]) < (ranks[1], -counts[b], sources[b])
        }
        var bySource: [[Interval]] = Array(repeating: [], count: sources.count)
        for interval in intervals { bySource[interval.source].append(interval) }
        for source in order {
            let sorted = bySource[source].sorted {
                ($0.time.lowerBound, $0.time.upperBound) < ($1.time.lowerBound, $1.time.upperBound)
            }
            bySource[source] = []
            var cursor = 0
            for interval in sorted {
                guard
                    let parts = covered.outside(
                        interval.time.lowerBound,
                        interval.time.upperBound,
                        &cursor,
                        &pieces
                    )
                else {
                    throw tooManyPieces
                }
                var counted: Int?
                for part in parts { try divide(interval, part, &counted, &result, &pieces) }
            }
            covered.add(sorted.map(\.time))
        }
        return result
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

    /// Adds the part of a number that a part of its time has. Parts come in the order of time.
    /// - Parameter counted: The span in which the number was counted last: however many parts it has there,
    ///   it is one.
    private func divide(
        _ interval: Interval,
        _ part: Range<Int>,
        _ counted: inout Int?,
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
            let share =
                interval.time.isEmpty
                ? interval.value : interval.value * Decimal(end - position) / Decimal(interval.time.count)
            try Self.record(share, in: span, isNew: counted != span.lowerBound, &result, limits)
            counted = span.lowerBound
            position = end
        } while position < part.upperBound
    }
}
