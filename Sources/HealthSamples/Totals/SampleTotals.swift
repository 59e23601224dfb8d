import FHIR
import Foundation
import UCUM

/// Totals of one type by hour, day or week of a time zone.
///
///     var totals = try SampleTotals(of: "StepCount", by: .day, in: TimeZone(identifier: "Europe/Berlin")!)
///     for sample in samples { try totals.add(sample) }
///     for total in try totals.all() { print(total.start, total.sum ?? 0) }
///
/// Of cumulative types, such as steps, samples are added up; one that lies in two spans is divided by time. Where samples of
/// several sources overlap, as of phone and watch, those of the source that comes first in the priority count, and of the
/// others only the time outside. Of discrete types, such as heart rates, minimum, mean and maximum are given, by the start.
public struct SampleTotals: Sendable {
    /// A total of one span.
    public struct Total: Sendable, Hashable {
        /// When the span begins.
        public let start: FHIRDateTime
        /// When it ends.
        public let end: FHIRDateTime
        /// How many samples have a part in it.
        public let count: Int
        /// The sum of a cumulative type.
        public let sum: FHIRDecimal?
        /// The least value of a discrete type.
        public let minimum: FHIRDecimal?
        /// The mean value of a discrete type.
        public let mean: FHIRDecimal?
        /// The greatest value of a discrete type.
        public let maximum: FHIRDecimal?

        /// The length of the span in hours: of a day 23, 24 or 25.
        public var hours: Int { ((end.microseconds ?? 0) - (start.microseconds ?? 0)) / 3_600_000_000 }
    }

    /// How much totals may take. Beyond is an error, not a wrong number.
    public struct Limits: Sendable, Hashable {
        /// Samples of a cumulative type, which are kept until the end because of overlaps.
        public var samples = 2_000_000
        /// Spans with samples.
        public var spans = 500_000
        /// Spans that one sample may lie in.
        public var spansOfOneSample = 10_000
        /// Different sources.
        public var sources = 1000
        /// Pieces into which spans and overlaps cut the samples.
        public var pieces = 50_000_000

        /// The limits above.
        public init() {}
    }

    /// The type's identifier.
    public let type: String
    /// The unit of all values.
    public let unit: HealthMapping.Entry.Unit
    /// Whether values add up.
    public let kind: HealthMapping.Entry.Total

    private let priority: [String]
    private let limits: Limits
    private var spans: TimeSpans
    private var sources: [String] = []
    private var sourceIndexes: [String: Int] = [:]
    private var intervals: [Interval] = []
    private var statistics: [Int: Statistics] = [:]
    private let converter: SampleConverter

    struct Interval {
        var start: Int
        var end: Int
        var value: Decimal
        var source: Int
    }

    private struct Statistics {
        var end: Int
        var count = 0
        var sum = Decimal()
        var minimum: Decimal?
        var maximum: Decimal?
    }

    /// Totals without samples yet.
    ///
    /// - Parameters:
    ///   - type: The identifier of a quantity's type, or its short form.
    ///   - priority: The names of sources, the most trusted first. Those that are not in it follow, the one with the most
    ///     samples first.
    /// - Throws: ``SampleError`` for a type that is unknown or has no numbers.
    public init(
        of type: String, by span: TotalSpan, in zone: TimeZone, mapping: HealthMapping = .standard, priority: [String] = [],
        limits: Limits = Limits()
    ) throws(SampleError) {
        let name = try mapping.type(named: type)
        let entry = try mapping.entry(of: name)
        guard let unit = entry.unit else { throw .malformed(name: "type", expected: "that of a quantity; \(name) has no numbers") }
        (self.type, self.unit, self.kind) = (name, unit, entry.total ?? .mean)
        (self.priority, self.limits) = (priority, limits)
        spans = TimeSpans(span, in: zone)
        converter = SampleConverter(mapping: mapping)
    }

    /// Counts a sample, or the members of a correlation, if they have the type.
    /// - Throws: ``SampleError``; the sample is then not counted.
    public mutating func add(_ sample: Sample) throws(SampleError) {
        for (index, member) in sample.members.enumerated() {
            do throws(SampleError) { try add(member) } catch { throw .member(index, error) }
        }
        guard sample.type == type, case .quantity(let quantity) = sample.value else { return }
        try sample.check()
        let entry = try converter.mapping.entry(of: type)
        guard let value = try converter.quantity(quantity, type, entry).value?.decimal, value.isFinite, let start = sample.start.microseconds,
            let end = sample.end.microseconds
        else { throw .number(name: "value", text: quantity.value.description) }
        let last = spans.span(at: end).upperBound
        let first = spans.span(at: start)
        guard spans.dateTime(first.lowerBound) != nil, spans.dateTime(last) != nil else {
            throw .outOfRange("the time from \(sample.start) to \(sample.end)")
        }
        switch kind {
        case .mean: try addStatistics(value, first)
        case .sum:
            let length = first.upperBound - first.lowerBound
            guard (end - start) / max(length, 1) < limits.spansOfOneSample else {
                throw .tooLarge("the sample from \(sample.start) to \(sample.end) lies in more than \(limits.spansOfOneSample) spans")
            }
            guard intervals.count < limits.samples else {
                throw .tooLarge("more than \(limits.samples) samples of \(type); narrow them by time")
            }
            intervals.append(Interval(start: start, end: end, value: value, source: try source(sample.source?.name ?? "")))
        }
    }

    private mutating func source(_ name: String) throws(SampleError) -> Int {
        if let index = sourceIndexes[name] { return index }
        guard sources.count < limits.sources else { throw .tooLarge("more than \(limits.sources) sources") }
        sourceIndexes[name] = sources.count
        sources.append(name)
        return sources.count - 1
    }

    private mutating func addStatistics(_ value: Decimal, _ span: Range<Int>) throws(SampleError) {
        guard statistics[span.lowerBound] != nil || statistics.count < limits.spans else {
            throw .tooLarge("more than \(limits.spans) spans with samples; take longer spans, or narrow them by time")
        }
        var all = statistics[span.lowerBound] ?? Statistics(end: span.upperBound)
        let sum = all.sum + value
        guard sum.isFinite else { throw .number(name: "value", text: "a sum beyond what a decimal holds") }
        all.sum = sum
        all.count += 1
        all.minimum = min(all.minimum ?? value, value)
        all.maximum = max(all.maximum ?? value, value)
        statistics[span.lowerBound] = all
    }

    /// The totals of the spans that have samples, in the order of time.
    /// - Throws: ``SampleError`` where there are more spans than allowed, or a sum is too large.
    public func all() throws(SampleError) -> [Total] {
        let found = kind == .sum ? try summed() : statistics
        var totals: [Total] = []
        for (start, all) in found.sorted(by: { $0.key < $1.key }) {
            guard let from = spans.dateTime(start), let to = spans.dateTime(all.end) else {
                throw .outOfRange("a span")
            }
            func number(_ value: Decimal?) -> FHIRDecimal? { value.map { SampleNumber.rounded($0, isExact: false) } }
            let mean = kind == .mean ? all.sum / Decimal(all.count) : nil
            totals.append(
                Total(
                    start: from, end: to, count: all.count, sum: kind == .sum ? number(all.sum) : nil, minimum: number(all.minimum),
                    mean: number(mean), maximum: number(all.maximum)))
        }
        return totals
    }

    /// The sums of what the sources say, each outside the time of those before it.
    private func summed() throws(SampleError) -> [Int: Statistics] {
        var result: [Int: Statistics] = [:]
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
            let sorted = bySource[source].sorted { ($0.start, $0.end) < ($1.start, $1.end) }
            bySource[source] = []
            var cursor = 0
            for interval in sorted {
                guard let parts = covered.outside(interval.start, interval.end, &cursor, &pieces) else { throw tooManyPieces }
                for part in parts { try divide(interval, part, &result, &pieces) }
            }
            covered.add(sorted)
        }
        return result
    }

    private var tooManyPieces: SampleError {
        .tooLarge("overlaps and spans cut the samples into more than \(limits.pieces) pieces; narrow them by time")
    }

    /// Adds the part of a sample's value that a part of its time has.
    private func divide(
        _ interval: Interval, _ part: Range<Int>, _ result: inout [Int: Statistics], _ pieces: inout Int
    ) throws(SampleError) {
        var spans = spans
        var position = part.lowerBound
        repeat {
            pieces -= 1
            guard pieces > 0 else { throw tooManyPieces }
            let span = spans.span(at: position)
            let end = min(max(span.upperBound, position), part.upperBound)
            let share =
                interval.end == interval.start
                ? interval.value : interval.value * Decimal(end - position) / Decimal(interval.end - interval.start)
            guard result[span.lowerBound] != nil || result.count < limits.spans else {
                throw .tooLarge("more than \(limits.spans) spans with samples; take longer spans, or narrow them by time")
            }
            var all = result[span.lowerBound] ?? Statistics(end: span.upperBound)
            let sum = all.sum + share
            guard sum.isFinite else { throw .number(name: "value", text: "a sum beyond what a decimal holds") }
            all.sum = sum
            all.count += 1
            result[span.lowerBound] = all
            position = end
        } while position < part.upperBound
    }
}
