import IndivoBase

/// Sleep without overlaps: of several sources, and of stages and the time in bed around them, each moment
/// once.
struct Sleep {
    struct Piece {
        var stage: SleepStage
        var time: Range<Int>
    }

    /// In the order of time.
    let pieces: [Piece]

    /// A year has some ten thousand.
    private static let limit = 200_000

    init(_ measurements: [HealthMeasurement], in time: Range<Int>) throws(SpanTotals.TooLarge) {
        struct Stay {
            var stage: SleepStage
            var time: Range<Int>
            var source: String
        }
        let stays = measurements.compactMap { measurement -> Stay? in
            guard case .sleep(let stage) = measurement.content else { return nil }
            let clamped = measurement.time.clamped(to: time)
            return clamped.isEmpty ? nil : Stay(stage: stage, time: clamped, source: measurement.source)
        }
        let counts = Dictionary(stays.map { ($0.source, 1) }, uniquingKeysWith: +)
        // What says more comes first; of equals the source that says more often.
        let groups = Dictionary(grouping: stays) { [String($0.stage.rank), $0.source] }.sorted { a, b in
            (a.key[0], -(counts[a.key[1]] ?? 0), a.key[1]) < (b.key[0], -(counts[b.key[1]] ?? 0), b.key[1])
        }
        var covered = Coverage()
        var pieces: [Piece] = []
        var steps = Self.limit
        for (_, group) in groups {
            let sorted = group.sorted {
                ($0.time.lowerBound, $0.time.upperBound) < ($1.time.lowerBound, $1.time.upperBound)
            }
            var cursor = 0
            // One source's own stages do not overlap; where they do, the earlier one ends it.
            var last = Int.min
            for stay in sorted where stay.time.upperBound > last {
                let start = max(stay.time.lowerBound, last)
                guard let parts = covered.outside(start, stay.time.upperBound, &cursor, &steps) else {
                    throw SpanTotals.TooLarge(
                        description: "overlaps cut the sleep into more than \(Self.limit) pieces"
                    )
                }
                pieces += parts.map { Piece(stage: stay.stage, time: $0) }
                last = stay.time.upperBound
            }
            covered.add(sorted.map(\.time))
        }
        self.pieces = pieces.sorted { $0.time.lowerBound < $1.time.lowerBound }
    }

    /// Microseconds of each stage, by night.
    func nights(_ period: HealthPeriod) -> [(night: Int, stages: [SleepStage: Int])] {
        var result: [Int: [SleepStage: Int]] = [:]
        for piece in pieces {
            result[period.night(of: piece.time.lowerBound), default: [:]][piece.stage, default: 0] +=
                piece.time.count
        }
        return result.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension [SleepStage: Int] {
    /// Microseconds asleep.
    var asleep: Int { reduce(0) { $0 + ($1.key.isAsleep ? $1.value : 0) } }
}
