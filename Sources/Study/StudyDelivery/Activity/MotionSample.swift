import Foundation
import StudyFormats

/// The motion that a phone's coprocessor recognised from a moment on, until the next sample.
public struct MotionSample: Sendable, Hashable {
    /// Kinds of motion; several at once are possible.
    public struct Kinds: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Not known.
        public static let unknown = Kinds(rawValue: 1)
        /// At rest.
        public static let stationary = Kinds(rawValue: 2)
        /// In a vehicle.
        public static let automotive = Kinds(rawValue: 4)
        public static let walking = Kinds(rawValue: 8)
        public static let running = Kinds(rawValue: 16)
        /// On a bicycle.
        public static let cycling = Kinds(rawValue: 32)
        /// All bits that have a meaning.
        public static let all = Kinds(rawValue: 63)
    }

    /// How sure it is.
    public enum Confidence: Int, Sendable, Hashable, Comparable {
        /// Low confidence.
        case low
        /// Medium confidence.
        case medium
        /// High confidence.
        case high

        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// When it began, in tenths of a second since 2001-01-01T00:00:00Z: the archive's precision.
    public let start: Int
    /// What it was.
    public var kinds: Kinds
    /// How sure it is.
    public var confidence: Confidence

    /// A sample; the start is rounded to tenths of a second.
    public init(start: Date, kinds: Kinds, confidence: Confidence) {
        self.init(start: Self.tenths(start), kinds: kinds, confidence: confidence)
    }

    init(start: Int, kinds: Kinds, confidence: Confidence) {
        self.start = start
        self.kinds = kinds.intersection(.all)
        self.confidence = confidence
    }

    static func tenths(_ date: Date) -> Int {
        let tenths = (date.timeIntervalSinceReferenceDate * 10).rounded()
        return tenths.isNaN ? 0 : Int(min(max(tenths, -1e12), 1e12))
    }

    static func date(_ tenths: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(tenths) / 10) }

    /// Drops unknown motion, joins neighbours of the same kinds, and neighbours in vehicles with all their
    /// kinds. Gaps go to the sample before. The samples are in order.
    public static func condensed(_ samples: [MotionSample]) -> [MotionSample] {
        var result: [MotionSample] = []
        for sample in samples where !sample.kinds.subtracting(.unknown).isEmpty {
            var sample = sample
            sample.kinds.remove(.unknown)
            if let last = result.last,
                last.kinds == sample.kinds
                    || (last.kinds.contains(.automotive) && sample.kinds.contains(.automotive))
            {
                result[result.count - 1].kinds.formUnion(sample.kinds)
                result[result.count - 1].confidence = max(last.confidence, sample.confidence)
            } else {
                result.append(sample)
            }
        }
        return result
    }
}
