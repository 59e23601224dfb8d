import Foundation
import StudyFormats

/// A stretch of time with one activity.
struct ActivityStretch: Sendable, Hashable {
    /// What somebody did, by C3-PRO's names.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Three hours or more at rest.
        case sleeping
        /// At rest.
        case stationary
        /// In a vehicle.
        case driving
        case walking
        case running
        /// On a bicycle.
        case cycling
        /// Not known.
        case unknown
    }

    /// What it was.
    let kind: Kind
    /// When it began.
    let start: Date
    /// When it ended.
    let end: Date
}

/// Makes stretches of activity of motion samples, by C3-PRO's documented rules:
/// - in a vehicle for less than five minutes is stationary;
/// - on a bicycle for less than two minutes is running beside running, else walking beside walking, else
///   stationary;
/// - walking for less than a minute with low confidence is stationary;
/// - of several kinds at once counts the first of cycling, running, walking, automotive, stationary;
/// - stationary for three hours or more, after all else was joined, is sleeping.
enum MotionInterpretation {
    private struct Entry {
        var kinds: MotionSample.Kinds
        let confidence: MotionSample.Confidence
        let start: Int
        let end: Int
        var duration: Int { end - start }
    }

    private static let minute = 600

    /// The stretches in a period; those that reach beyond it are cut off.
    ///
    /// - Parameter samples: In any order; of two with the same start the first counts. Samples from the end
    ///   of the period on do not count.
    static func stretches(_ samples: [MotionSample], from start: Date, to end: Date)
        -> [ActivityStretch]
    {
        let first = MotionSample.tenths(start)
        let last = MotionSample.tenths(end)
        guard first < last else { return [] }
        var seen: Set<Int> = []
        let inOrder = samples.filter { $0.start < last && seen.insert($0.start).inserted }.sorted {
            $0.start < $1.start
        }
        let condensed = MotionSample.condensed(inOrder)
        // An entry reaches to the next one; the last to the end. Rules look at whole entries, the period is
        // cut out afterwards.
        var entries = condensed.indices.map { index in
            Entry(
                kinds: condensed[index].kinds,
                confidence: condensed[index].confidence,
                start: condensed[index].start,
                end: index + 1 < condensed.count ? condensed[index + 1].start : last
            )
        }
        let original = entries
        for index in entries.indices {
            let kinds = original[index].kinds
            let neighbours = [index - 1, index + 1].filter(entries.indices.contains).map {
                original[$0].kinds
            }
            if kinds.contains(.automotive), original[index].duration < 5 * minute {
                entries[index].kinds = .stationary
            } else if kinds.contains(.cycling), original[index].duration < 2 * minute {
                entries[index].kinds =
                    neighbours.contains { $0.contains(.running) }
                    ? .running : neighbours.contains { $0.contains(.walking) } ? .walking : .stationary
            } else if kinds == .walking, original[index].duration < minute, original[index].confidence == .low
            {
                entries[index].kinds = .stationary
            }
        }
        return joined(entries, first)
    }

    private static func joined(_ entries: [Entry], _ first: Int) -> [ActivityStretch] {
        var stretches: [(kind: ActivityStretch.Kind, start: Int, end: Int)] = []
        for entry in entries {
            let kind = kind(of: entry.kinds)
            if let last = stretches.last, last.kind == kind {
                stretches[stretches.count - 1].end = entry.end
            } else {
                stretches.append((kind, entry.start, entry.end))
            }
        }
        return stretches.filter { $0.end > first }.map { stretch in
            let isSleep = stretch.kind == .stationary && stretch.end - stretch.start >= 180 * minute
            return ActivityStretch(
                kind: isSleep ? .sleeping : stretch.kind,
                start: MotionSample.date(max(stretch.start, first)),
                end: MotionSample.date(stretch.end)
            )
        }
    }

    private static func kind(of kinds: MotionSample.Kinds) -> ActivityStretch.Kind {
        if kinds.contains(.cycling) { return .cycling }
        if kinds.contains(.running) { return .running }
        if kinds.contains(.walking) { return .walking }
        if kinds.contains(.automotive) { return .driving }
        return kinds.contains(.stationary) ? .stationary : .unknown
    }
}
