import DurableQueue
import Foundation
import OrderedJSON
import StudyFormats

/// Motion samples that outlive the seven days for which a phone keeps them: a sealed file for each day.
///
/// ```swift
/// let archive = MotionArchive(in: folder, keys: keychain)
/// if try archive.isDue(at: .now) { try archive.add(samples, at: .now) }
/// ```
public struct MotionArchive: Sendable {
    private let files: SealedFolder

    /// The most samples of a day; a phone gives a few thousand.
    public static let maximumPerDay = 100_000
    private static let day = 864_000

    /// An archive in a folder of its own, best within the participant's, which a withdrawal erases.
    public init(in folder: URL, keys: any KeyStore) {
        files = SealedFolder(folder, identity: "motion", keys: keys)
    }

    /// Whether samples should be asked for: not within 30 seconds of the last time, nor while the newest
    /// sample is less than two minutes old. A sample or a time in the future, as after a wrong clock, does
    /// not prevent it.
    public func isDue(at date: Date) throws -> Bool {
        let now = MotionSample.tenths(date)
        if let data = try files.read("last run"), let last = Int(String(decoding: data, as: UTF8.self)),
            (0..<300).contains(now - last)
        {
            return false
        }
        let today = now.flooredQuotient(by: Self.day)
        let newest = try (read(today) + read(today - 1)).map(\.start).filter { $0 <= now }.max()
        return newest.map { now - $0 >= 1_200 } ?? true
    }

    /// Adds samples, condensed. Where a sample with the same start is stored, the stored one stays.
    ///
    /// - Returns: How many were refused because they lie in the future.
    /// - Throws: `QueueError`; days before the one that failed are stored.
    @discardableResult
    public func add(_ samples: [MotionSample], at date: Date) throws -> Int {
        let now = MotionSample.tenths(date)
        let past = samples.filter { $0.start <= now }.sorted { $0.start < $1.start }
        try files.withLock {
            let days = Dictionary(grouping: MotionSample.condensed(past)) {
                $0.start.flooredQuotient(by: Self.day)
            }
            for (day, new) in days.sorted(by: { $0.key < $1.key }) {
                var samples = try read(day)
                var starts = Set(samples.map(\.start))
                samples += new.filter { starts.insert($0.start).inserted }
                guard samples.count <= Self.maximumPerDay else {
                    throw QueueError.badItem("a day has at most \(Self.maximumPerDay) samples")
                }
                samples.sort { $0.start < $1.start }
                try write(samples, day)
            }
            try files.write(Data(String(now).utf8), to: "last run")
        }
        return samples.count - past.count
    }

    /// The samples of a period, in order, with the one before it that reaches into it, if that is on the day
    /// before.
    ///
    /// - Throws: `QueueError` for a period of more than 400 days.
    public func samples(from start: Date, to end: Date) throws -> [MotionSample] {
        let first = MotionSample.tenths(start)
        let last = MotionSample.tenths(end)
        let days = (first.flooredQuotient(by: Self.day) - 1)...max(first, last).flooredQuotient(by: Self.day)
        guard days.count <= 402 else { throw QueueError.badItem("a period has at most 400 days") }
        let all = try days.flatMap { try read($0) }.filter { $0.start < last }
        let before = all.lastIndex { $0.start <= first } ?? 0
        return Array(all.dropFirst(before))
    }

    /// Forgets the days that ended before a date.
    public func removeDays(before date: Date) throws {
        let first = MotionSample.tenths(date).flooredQuotient(by: Self.day)
        try files.withLock {
            for name in try files.names()
            where Int(name.dropFirst(4)).map({ name.hasPrefix("day ") && $0 < first }) ?? false {
                try files.remove(name)
            }
        }
    }

    // MARK: Files

    private func write(_ samples: [MotionSample], _ day: Int) throws {
        let lines = samples.map { "\($0.start) \($0.kinds.rawValue) \($0.confidence.rawValue)\n" }
        try files.write(Data(lines.joined().utf8), to: "day \(day)")
    }

    private func read(_ day: Int) throws -> [MotionSample] {
        guard let data = try files.read("day \(day)") else { return [] }
        return try data.split(separator: 0x0A).map { line in
            let numbers = line.split(separator: 0x20).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 3, let confidence = MotionSample.Confidence(rawValue: numbers[2]) else {
                throw QueueError.badItem("the archive was written by another version")
            }
            return MotionSample(start: numbers[0], kinds: .init(rawValue: numbers[1]), confidence: confidence)
        }
    }
}
