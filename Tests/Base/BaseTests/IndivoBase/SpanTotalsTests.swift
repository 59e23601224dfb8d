import Foundation
import IndivoBase
import Testing

/// Sums against a model that goes from second to second.
@Suite struct SpanTotalsTests {
    private static let second = 1_000_000

    private struct Piece {
        var source: String
        var time: Range<Int>
        var value: Int
    }

    /// Each second belongs to the first source, in the order of trust, that has something in it; each of its
    /// samples gives the second's part of its value. What was measured at a moment belongs to that moment.
    private func model(_ pieces: [Piece], _ order: [String], _ length: TimeSpans.Length, _ zone: TimeZone)
        -> [Int: Double]
    {
        var sums: [Int: Double] = [:]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        func start(_ second: Int) -> Int {
            let date = Date(timeIntervalSince1970: Double(second))
            let interval = calendar.dateInterval(of: length == .hour ? .hour : .day, for: date)
            return Int(interval?.start.timeIntervalSince1970 ?? 0)
        }
        guard let first = pieces.map(\.time.lowerBound).min(), let last = pieces.map(\.time.upperBound).max()
        else { return [:] }
        func rank(_ piece: Piece) -> Int { order.firstIndex(of: piece.source) ?? .max }
        for second in first..<max(last, first + 1) {
            let here = pieces.filter { $0.time.contains(second) }
            guard let best = here.map(rank).min() else { continue }
            for piece in here where rank(piece) == best {
                sums[start(second), default: 0] += Double(piece.value) / Double(piece.time.count)
            }
        }
        for piece in pieces where piece.time.isEmpty {
            let isTaken = pieces.contains {
                rank($0) < rank(piece) && $0.time.contains(piece.time.lowerBound)
            }
            if !isTaken { sums[start(piece.time.lowerBound), default: 0] += Double(piece.value) }
        }
        return sums
    }

    /// The nights in which the clocks of Berlin change, and a plain one.
    @Test(
        "sums are those of a simple model, for random pieces around any time",
        arguments: [1_774_740_000, 1_792_880_000, 1_780_000_000],
        [TimeSpans.Length.hour, .day]
    )
    func sums(_ around: Int, _ length: TimeSpans.Length) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let order = ["Watch", "Phone", "Scale"]
        for seed in 0..<6 {
            var random = SeededGenerator(seed: 11, part: around, seed)
            let pieces = (0..<Int.random(in: 1..<25, using: &random)).map { _ in
                let start = around + Int.random(in: -20_000..<20_000, using: &random)
                let length = random.happens(0.2) ? 0 : Int.random(in: 1..<9000, using: &random)
                return Piece(
                    source: order.randomElement(using: &random) ?? "",
                    time: start..<start + length,
                    value: Int.random(in: 0..<500, using: &random)
                )
            }
            var totals = SpanTotals(.sum, by: length, in: zone, priority: order)
            for piece in pieces {
                let time = piece.time.lowerBound * Self.second..<piece.time.upperBound * Self.second
                try totals.add(Decimal(piece.value), over: time, source: piece.source)
            }
            let found = Dictionary(
                uniqueKeysWithValues: try totals.all().map {
                    ($0.start / Self.second, NSDecimalNumber(decimal: $0.summary.sum).doubleValue)
                }
            )
            let expected = model(pieces, order, length, zone)
            for start in Set(found.keys).union(expected.keys) {
                #expect(abs((found[start] ?? 0) - (expected[start] ?? 0)) < 1e-6, "\(seed) \(start)")
            }
        }
    }

    @Test("a number that comes in pieces is counted once in each span")
    func piecesOfANumber() throws {
        var totals = SpanTotals(.sum, by: .hour, in: .gmt, priority: ["a"])
        for start in [600, 1800] {
            try totals.add(1, over: start * Self.second..<(start + 60) * Self.second, source: "a")
        }
        try totals.add(72, over: 0..<7200 * Self.second, source: "b")
        #expect(try totals.all().map(\.summary.count) == [3, 1])
    }

    @Test("a value that lasts over several spans counts in the mean of its start's span")
    func means() throws {
        var totals = SpanTotals(.mean, by: .day, in: .gmt)
        for value in [60, 70, 83] {
            try totals.add(Decimal(value), over: 0..<172_800 * Self.second, source: "")
        }
        let all = try totals.all()
        #expect(
            all.count == 1 && all.first?.summary.mean == 71 && all.first?.summary.minimum == 60
                && all.first?.summary.maximum == 83
        )
    }

    @Test("what exceeds a limit is an error")
    func exceeded() throws {
        var limits = SpanTotals.Limits()
        limits.days = 3
        limits.bytes = 100
        limits.sources = 2
        limits.spans = 1
        limits.pieces = 0
        limits.spansOfOneSample = 5
        func error(_ samples: [(Range<Int>, String)]) -> String {
            var totals = SpanTotals(.sum, by: .hour, in: .gmt, limits: limits)
            do throws(SpanTotals.TooLarge) {
                for (time, source) in samples {
                    try totals.add(
                        1,
                        over: time.lowerBound * Self.second..<time.upperBound * Self.second,
                        source: source
                    )
                }
                return "\(try totals.all().count)"
            } catch { return error.description }
        }
        #expect(error([(0..<9, "a")]) == "1")
        #expect(error(Array(repeating: (0..<9, "a"), count: 20)) == "1")
        #expect(error(Array(repeating: (0..<9, "a"), count: 30)).contains("more than 100 bytes"))
        let days = (0..<4).map { ($0 * 86_400..<$0 * 86_400 + 9, "a") }
        #expect(error(days).contains("on more than 3 days"))
        #expect(error([(0..<9, "a"), (0..<9, "b"), (0..<9, "c")]).contains("more than 2 sources"))
        #expect(error([(0..<9, "a"), (3600..<3609, "a")]).contains("more than 1 spans"))
        #expect(error([(0..<36_000, "a")]).contains("more than 5 spans"))
        #expect(error([(0..<7200, "a"), (0..<7200, "b")]).contains("more than"))
    }

    @Test("what reaches over days is divided, and counted once a span")
    func overDays() throws {
        var totals = SpanTotals(.sum, by: .week, in: .gmt, priority: ["a", "b"])
        let day = 86_400
        // From Sunday noon to Thursday noon; the other source has a day and a half of it.
        let sunday = 3 * day + day / 2
        try totals.add(96, over: sunday * Self.second..<(sunday + 4 * day) * Self.second, source: "b")
        try totals.add(5, over: 5 * day * Self.second..<(6 * day + day / 2) * Self.second, source: "a")
        let all = try totals.all()
        #expect(all.map(\.summary.sum) == [12, 53] && all.map(\.summary.count) == [1, 2])
    }

    @Test("packed numbers come out as they went in")
    func packed() throws {
        for seed in 0..<40 {
            var random = SeededGenerator(seed: 5, part: seed)
            let start = Int.random(in: -1 << 50..<1 << 51, using: &random)
            var packed = PackedNumbers(near: start)
            var given: [(value: Decimal, time: Range<Int>)] = []
            var size = 0
            for _ in 0..<200 {
                let scale = random.happens(0.7) ? Self.second : 1
                let first = start + Int.random(in: -90_000..<90_000, using: &random) * scale
                let length = random.happens(0.3) ? 0 : Int.random(in: 0..<1 << 40, using: &random)
                let digits = Int.random(in: 0...1 << Int.random(in: 0...62, using: &random), using: &random)
                var value = Decimal(
                    sign: random.happens(0.2) ? .minus : .plus,
                    exponent: Int.random(in: -40...20, using: &random),
                    significand: Decimal(digits)
                )
                if random.happens(0.1) { value = value / 3 }
                let time = first..<first + length / scale * scale
                size += packed.append(value, over: time)
                given.append((value, time))
            }
            var found: [(value: Decimal, time: Range<Int>)] = []
            packed.forEach(near: start) { found.append(($0, $1)) }
            #expect(found.map(\.value) == given.map(\.value) && found.map(\.time) == given.map(\.time))
            #expect(size == packed.bytes.count)
        }
        // About the largest integers, on both sides.
        for text in [
            "9223372036854775808", "-9223372036854775808", "27670116110564127424", "1152921504606846976",
        ] {
            var packed = PackedNumbers(near: 0)
            let value = try #require(Decimal(string: text))
            _ = packed.append(value, over: 0..<Self.second)
            packed.forEach(near: 0) { found, _ in #expect(found == value) }
        }
        var packed = PackedNumbers(near: 0)
        // A second of a watch.
        let energy = try #require(Decimal(string: "0.123"))
        #expect(packed.append(energy, over: 60 * Self.second..<64 * Self.second) == 5)
    }
}
