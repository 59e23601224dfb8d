import FHIR
import Foundation
import IndivoBase
import UCUM

/// How totals are divided.
public enum TotalSpan: String, Sendable, Hashable, CaseIterable {
    case hour
    /// By the day, of 23 or 25 hours where summer time begins or ends.
    case day
    /// By the week, from Monday on.
    case week

    fileprivate var length: TimeSpans.Length {
        switch self {
        case .hour: .hour
        case .day: .day
        case .week: .week
        }
    }
}

/// Totals of one type by hour, day or week of a time zone.
///
///     var totals = try SampleTotals(of: "StepCount", by: .day, in: TimeZone(identifier: "Europe/Berlin")!)
///     for sample in samples { try totals.add(sample) }
///     for total in try totals.all() { print(total.start, total.sum ?? 0) }
///
/// Of cumulative types, such as steps, samples are added up; one that lies in two spans is divided by time.
/// Where samples of several sources overlap, as of phone and watch, those of the source that comes first in
/// the priority count, and of the others only the time outside. A sample that comes again counts once, if it
/// comes within a million samples of the type; samples are the same when their ``Sample/identity`` is. Of
/// discrete types, such as heart rates, minimum, mean and maximum are given, by the start.
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

    /// The limits of totals. Exceeding one is an error, and never gives a wrong number.
    public struct Limits: Sendable, Hashable {
        /// Days of sources with samples of a cumulative type, which are kept until the end because of
        /// overlaps: a day on which three sources have some is three.
        public var days = 200_000
        /// Bytes of memory that the samples of those days take: packed, some eight each.
        public var bytes = 256 << 20
        /// Spans with samples.
        public var spans = 500_000
        /// Spans that one sample may lie in.
        public var spansOfOneSample = 10_000
        /// Different sources.
        public var sources = 1000
        /// Pieces into which spans and overlaps cut the samples, beside a few of each.
        public var pieces = 50_000_000

        /// The limits above.
        public init() {}

        fileprivate var ofSpans: SpanTotals.Limits {
            var result = SpanTotals.Limits()
            result.days = days
            result.bytes = bytes
            result.spans = spans
            result.spansOfOneSample = spansOfOneSample
            result.sources = sources
            result.pieces = pieces
            return result
        }
    }

    /// The type's identifier.
    public let type: String
    /// The unit of all values.
    public let unit: HealthMapping.Entry.Unit
    /// Whether values add up.
    public let kind: HealthMapping.Entry.Total

    private var totals: SpanTotals
    private let zone: TimeZone
    private let converter: SampleConverter
    /// Hashes of the identities of the last samples; when there are enough, the older half is forgotten.
    private var recent: Set<Int> = []
    private var older: Set<Int> = []
    private static let remembered = 1_000_000

    /// Totals of no samples yet.
    ///
    /// - Parameters:
    ///   - type: The identifier of a quantity's type, or its short form.
    ///   - priority: The names of sources, the most trusted first. Those that are not in it follow, the one
    ///     with the most samples first.
    /// - Throws: ``SampleError`` for a type that is unknown or has no numbers.
    public init(
        of type: String,
        by span: TotalSpan,
        in zone: TimeZone,
        mapping: HealthMapping = .standard,
        priority: [String] = [],
        limits: Limits = Limits()
    ) throws(SampleError) {
        let name = try mapping.type(named: type)
        let entry = try mapping.entry(of: name)
        guard let unit = entry.unit else {
            throw .malformed(name: "type", expected: "that of a quantity; \(name) has no numbers")
        }
        self.type = name
        self.unit = unit
        self.kind = entry.total ?? .mean
        self.zone = zone
        totals = SpanTotals(
            kind == .sum ? .sum : .mean,
            by: span.length,
            in: zone,
            priority: priority,
            limits: limits.ofSpans
        )
        converter = SampleConverter(mapping: mapping)
    }

    /// Counts a sample, or the members of a correlation, if they have the type and were not counted before.
    /// - Throws: ``SampleError``; the sample is then not counted. After ``SampleError/tooLarge(_:)`` the
    ///   totals are not those of all samples.
    public mutating func add(_ sample: Sample) throws(SampleError) {
        for (index, member) in sample.members.enumerated() {
            do throws(SampleError) { try add(member) } catch { throw .member(index, error) }
        }
        guard sample.type == type, case .quantity(let quantity) = sample.value else { return }
        let identity = sample.identity.hashValue
        if recent.contains(identity) || older.contains(identity) { return }
        try sample.check()
        let entry = try converter.mapping.entry(of: type)
        guard let value = try converter.quantity(quantity, type, entry).value?.decimal, value.isFinite,
            let start = sample.start.microseconds,
            let end = sample.end.microseconds
        else { throw .number(name: "value", text: quantity.value.description) }
        let bounds = totals.bounds(of: start..<end)
        guard dateTime(bounds.lowerBound) != nil, dateTime(bounds.upperBound) != nil else {
            throw .outOfRange("the time from \(sample.start) to \(sample.end)")
        }
        do throws(SpanTotals.TooLarge) {
            try totals.add(value, over: start..<end, source: sample.source?.name ?? "")
        } catch {
            if error.concernsSingleNumber {
                throw .malformed(name: "end", expected: "nearer to 'start': \(error)")
            }
            throw .tooLarge("\(type): \(error)")
        }
        if recent.count >= Self.remembered {
            older = recent
            recent = []
        }
        recent.insert(identity)
    }

    private func dateTime(_ instant: Int) -> FHIRDateTime? {
        FHIRDateTime(
            microseconds: instant,
            offset: TimeSpans(.day, in: zone).offset(at: instant) / 60_000_000
        )
    }

    /// The totals of the spans that have samples, in the order of time.
    /// - Throws: ``SampleError`` where there are more spans than allowed, or a sum is too large.
    public func all() throws(SampleError) -> [Total] {
        let found: [(start: Int, summary: SpanTotals.Summary)]
        do throws(SpanTotals.TooLarge) { found = try totals.all() } catch {
            throw .tooLarge("\(type): \(error)")
        }
        var result: [Total] = []
        func number(_ value: Decimal?) -> FHIRDecimal? {
            value.map { SampleNumber.rounded($0, isExact: false) }
        }
        for (start, summary) in found {
            guard let from = dateTime(start), let to = dateTime(summary.end) else {
                throw .outOfRange("a span")
            }
            let isSum = kind == .sum
            result.append(
                Total(
                    start: from,
                    end: to,
                    count: summary.count,
                    sum: isSum ? number(summary.sum) : nil,
                    minimum: isSum ? nil : number(summary.minimum),
                    mean: isSum ? nil : number(summary.mean),
                    maximum: isSum ? nil : number(summary.maximum)
                )
            )
        }
        return result
    }
}
