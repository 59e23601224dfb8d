import FHIR
import OrderedJSON

/// A sample as a batch of messages sees it.
struct BatchSample {
    /// Whose it is, and the digest of its identity.
    struct Key: Hashable {
        let participant: String
        let id: Int
    }

    /// A row of the table, as far as a key has it.
    struct Place: Hashable {
        let participant: String
        let start: Int
        let id: Int
    }

    /// A day of a participant.
    struct Day: Hashable {
        let participant: String
        let day: Int
    }

    /// What is written.
    struct New {
        let sample: StudySample
        let received: WarehouseTime
        /// The index of the load.
        let load: Int

        /// Whether one of the same participant is in the same set.
        func isOfOneSet(_ other: New) -> Bool {
            load == other.load && sample.offset == other.sample.offset && sample.kind == other.sample.kind
                && sample.source == other.sample.source
        }
    }

    /// The message that changes a day.
    struct Change {
        let message: String
        let received: WarehouseTime
        let now: WarehouseTime
    }

    // What the batch changes, in the order in which it was changed.
    var new: [Key: New] = [:]
    var newKeys = OrderedKeys<Key>()
    var removed: [Place] = []
    var visits = OrderedKeys<Key>()
    var days: [Day: Change] = [:]
}

/// What is known of a sample's identity.
package enum KnownSample {
    /// Nothing.
    case absent
    /// It is a visit with facts.
    case visit
    /// It is a row of the table, which was received then.
    case row(StudySample, received: WarehouseTime)
}

/// What is asked about a sample's identity.
package struct SampleLookup: Hashable {
    let participant: String
    let id: Int
    /// When it began, in microseconds since 1970.
    let start: Int
    /// Whether what asks is a correction, which may have another start.
    let isCorrection: Bool

    /// - Parameters:
    ///   - participant: The digest of the participant's id.
    ///   - visit: The visit that an Observation has as facts.
    ///   - isCorrection: Whether it has a version, or a state other than `final`.
    /// - Returns: `nil` for a visit that is no sample's.
    package init?(_ participant: String, _ visit: StudyVisit, isCorrection: Bool) {
        guard let id = StudySample.id(ofVisit: visit.id),
            let start = FHIRDateTime(text: visit.start.xml)?.microseconds
        else { return nil }
        self.participant = participant
        self.id = id
        self.start = start
        self.isCorrection = isCorrection
    }

    /// That of a sample.
    package init(_ participant: String, _ sample: StudySample) {
        self.participant = participant
        id = sample.id
        start = sample.start
        isCorrection = false
    }

    var key: BatchSample.Key { BatchSample.Key(participant: participant, id: id) }
}

/// Samples of a batch: which of two of one identity stays.
///
/// HealthKit's samples never change under their UUID: an Observation without a version, whose state is
/// `final`, is looked for where it began. A correction is looked for among all of its participant's samples.
extension WarehouseBatch {
    /// Where samples are. Nobody changes that during the batch.
    package mutating func sampleStorage() throws -> SampleStorage {
        if let storage { return storage }
        try warehouse.db.lockShared(WarehouseTransaction.storageLock)
        let found = try warehouse.sampleStorage()
        storage = found
        return found
    }

    // MARK: Reading

    /// Reads what is known of samples at once; others are read when they are asked for.
    package mutating func read(samples wanted: [SampleLookup]) throws {
        guard !wanted.isEmpty, try sampleStorage() == .table else { return }
        wantedSamples += wanted
        var known: [Int: String] = [:]
        var lookups: [(patient: Int, lookup: SampleLookup)] = []
        for lookup in wanted where samples[lookup.key] == nil {
            samples[lookup.key] = .absent
            guard let patient = people[lookup.participant]?.number else { continue }
            known[patient] = lookup.participant
            lookups.append((patient, lookup))
        }
        // Also for those of somebody new, and before the table is touched: who makes a partition has it
        // alone.
        try warehouse.db.prepareSampleMonths(Set(wanted.map { StudySample.month(of: $0.start) }))
        guard !lookups.isEmpty else { return }
        try warehouse.db.withIndexes {
            let visits = try warehouse.sampleVisits(lookups.map { [$0.patient, $0.lookup.id] })
            for (patient, id) in visits {
                guard let participant = known[patient] else { continue }
                samples[BatchSample.Key(participant: participant, id: id)] = .visit
            }
            let windows = Dictionary(grouping: lookups, by: \.patient).map { patient, lookups in
                let starts = lookups.map(\.lookup.start)
                // All of their days, in whatever zone.
                let day = 2 * StudySample.microsecondsOfDay
                return [patient, (starts.min() ?? 0) - day, (starts.max() ?? 0) + day]
            }
            let filled = try warehouse.patientsWithSamples(in: windows)
            for patient in filled { known[patient].map { _ = peopleWithSamples.insert($0) } }
            let places = lookups.compactMap { patient, lookup in
                filled.contains(patient) ? [patient, lookup.start, lookup.id] : nil
            }
            let found = try warehouse.samples(at: places)
            for row in found { know(row, known) }
        }
        // A correction may be of a sample that began at another time.
        let moved = lookups.filter { item in
            guard item.lookup.isCorrection, case .absent? = samples[item.lookup.key] else { return false }
            return true
        }
        for (patient, lookups) in Dictionary(grouping: moved, by: \.patient) {
            let rows = try warehouse.samples(of: patient, ids: lookups.map(\.lookup.id))
            for row in rows { know(row, known) }
        }
    }

    private mutating func know(_ row: StoredSample, _ known: [Int: String]) {
        guard let participant = known[row.patient] else { return }
        let key = BatchSample.Key(participant: participant, id: row.sample.id)
        guard case .absent? = samples[key] else { return }
        samples[key] = .row(row.sample, received: row.received)
    }

    /// What is known of a sample.
    package mutating func knownSample(_ lookup: SampleLookup) throws -> KnownSample {
        if samples[lookup.key] == nil { try read(samples: [lookup]) }
        return samples[lookup.key] ?? .absent
    }

    // MARK: Changing

    /// Stores a sample, instead of what there was of the same identity.
    package mutating func store(
        _ sample: StudySample,
        of participant: String,
        message: String,
        received: WarehouseTime,
        now: WarehouseTime
    ) {
        let load = load(of: message, now: now)
        loads[load].facts += 1
        loads[load].loaded += 1
        let change = BatchSample.Change(message: message, received: received, now: now)
        let key = BatchSample.Key(participant: participant, id: sample.id)
        if takeAway(key, change) { loads[load].deleted += 1 }
        sampleChanges.new[key] = BatchSample.New(sample: sample, received: received, load: load)
        sampleChanges.newKeys.append(key)
        sampleChanges.days[BatchSample.Day(participant: participant, day: sample.day)] = change
        samples[key] = .row(sample, received: received)
    }

    /// Notes that what has the identity of a sample is a visit from now on.
    package mutating func makeVisit(
        _ lookup: SampleLookup,
        message: String,
        received: WarehouseTime,
        now: WarehouseTime
    ) {
        if case .visit? = samples[lookup.key] { return }
        let change = BatchSample.Change(message: message, received: received, now: now)
        let load = load(of: message, now: now)
        if takeAway(lookup.key, change) { loads[load].deleted += 1 }
        sampleChanges.visits.append(lookup.key)
        samples[lookup.key] = .visit
    }

    /// - Returns: Whether there was a row.
    private mutating func takeAway(_ key: BatchSample.Key, _ change: BatchSample.Change) -> Bool {
        guard case .row(let sample, _)? = samples[key] else { return false }
        // One that is new in this batch is in no table.
        if sampleChanges.new.removeValue(forKey: key) == nil {
            let place = BatchSample.Place(participant: key.participant, start: sample.start, id: key.id)
            sampleChanges.removed.append(place)
            peopleWithSamples.insert(key.participant)
        }
        sampleChanges.days[BatchSample.Day(participant: key.participant, day: sample.day)] = change
        return true
    }
}
