import FHIR
import Foundation
import StudyWarehouse

/// Rows of samples into a warehouse, without the messages in which they come.
enum SampleLoad {
    static let samplesOfADay = 1000
    /// 2026-03-01T00:00:00Z
    static let firstSecond = 1_772_323_200
    private static let daysOfATransaction = 10

    /// Loads days of samples, ten in a transaction as a consumer does, and prints in how many seconds.
    ///
    /// - Parameter count: How many days; each participant has twenty.
    static func load(_ store: String, count: Int) async throws {
        let warehouse = try await ConsumerLoad.warehouse(store)
        try await warehouse.store(samplesAs: .table)
        let people = (0..<max(1, count / 20)).map { "participant \($0)" }
        let now = WarehouseTime(FHIRDateTime(Date()))
        let start = ContinuousClock.now
        for first in stride(from: 0, to: count, by: daysOfATransaction) {
            let days = first..<min(first + daysOfATransaction, count)
            try await warehouse.transaction { warehouse in
                let owners = days.map { people[$0 % people.count] }
                var batch = try WarehouseBatch(
                    warehouse,
                    messages: days.map { "day \($0)" },
                    participants: Set(owners)
                )
                for owner in owners { _ = try batch.pseudonym(of: owner, now: now) }
                let samples = zip(days, owners).map { day, owner in
                    (day, owner, Self.samples(of: day, day / people.count))
                }
                try batch.read(
                    samples: samples.flatMap { _, owner, samples in
                        samples.map { SampleLookup(owner, $0) }
                    }
                )
                for (day, owner, samples) in samples {
                    for sample in samples {
                        _ = try batch.knownSample(SampleLookup(owner, sample))
                        batch.store(sample, of: owner, message: "day \(day)", received: now, now: now)
                    }
                }
                try batch.write()
            }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        print(#"{"samples": \#(count * samplesOfADay), "seconds": \#(seconds)}"#)
    }

    private static func samples(of number: Int, _ day: Int) -> [StudySample] {
        let kind = StudySample.Kind(concept: "LOINC:8867-4", key: "LOINC:8867-4", unit: "/min")
        return (0..<samplesOfADay).map { index in
            StudySample(
                id: Int.random(in: .min ... .max),
                kind: kind,
                start: (firstSecond + day * 86_400 + index * 86) * 1_000_000,
                end: nil,
                value: Double(60 + index % 40),
                offset: 60,
                source: #"{"code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]}}"#
            )
        }
    }
}
