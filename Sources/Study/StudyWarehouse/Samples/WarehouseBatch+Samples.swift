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

        var key: Key { Key(participant: participant, id: id) }
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

    /// A row of the table.
    struct Row {
        let sample: StudySample
        let received: WarehouseTime

        init(_ sample: StudySample, received: WarehouseTime) {
            self.sample = sample
            self.received = received
        }

        init(_ stored: StoredSample) { self.init(stored.sample, received: stored.received) }
    }

    /// What is known of one identity: a visit, and the rows that began when somebody asked, or all of them.
    struct Known {
        var isVisit = false
        /// Whether all rows are known.
        var isWhole = false
        /// By their starts; `nil` where there is none.
        private var rows: [Int: Row?] = [:]

        var starts: [Int] { rows.compactMap { $0.value == nil ? nil : $0.key } }

        /// The row that was received last.
        var latest: Row? {
            rows.values.compactMap { $0 }.max {
                ($0.received, $0.sample.start) < ($1.received, $1.sample.start)
            }
        }

        func knows(_ start: Int) -> Bool { isWhole || rows.index(forKey: start) != nil }

        subscript(start: Int) -> Row? {
            get { rows[start] ?? nil }
            set { rows.updateValue(newValue, forKey: start) }
        }

        /// Notes a row of the database, which a batch may have taken away.
        mutating func add(_ row: Row) {
            if rows.index(forKey: row.sample.start) == nil { self[row.sample.start] = row }
        }
    }

    // What the batch changes, in the order in which it was changed.
    var new: [Place: New] = [:]
    var newPlaces = OrderedKeys<Place>()
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
/// `final`, is looked for where it began. A correction is looked for among all of its participant's samples,
/// and replaces all of its identity.
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
        var places: [(patient: Int, lookup: SampleLookup)] = []
        var corrections: [(patient: Int, lookup: SampleLookup)] = []
        for lookup in wanted {
            var found = samples[lookup.key] ?? BatchSample.Known()
            guard !isAnswered(lookup, by: found) else { continue }
            if lookup.isCorrection { found.isWhole = true } else { found[lookup.start] = nil }
            samples.updateValue(found, forKey: lookup.key)
            guard let patient = people[lookup.participant]?.number else { continue }
            known[patient] = lookup.participant
            if lookup.isCorrection {
                corrections.append((patient, lookup))
            } else {
                places.append((patient, lookup))
            }
        }
        // Also for those of somebody new, and before the table is touched: who makes a partition has it
        // alone.
        try warehouse.db.prepareSampleMonths(Set(wanted.map { StudySample.month(of: $0.start) }))
        guard !known.isEmpty else { return }
        try warehouse.db.withIndexes {
            let keys = (places + corrections).map { [$0.patient, $0.lookup.id] }
            for (patient, id) in try warehouse.sampleVisits(keys) {
                guard let participant = known[patient] else { continue }
                samples[BatchSample.Key(participant: participant, id: id)]?.isVisit = true
            }
            let windows = Dictionary(grouping: places, by: \.patient).map { patient, lookups in
                let starts = lookups.map(\.lookup.start)
                // All of their days, in whatever zone.
                let day = 2 * StudySample.microsecondsOfDay
                return [patient, (starts.min() ?? 0) - day, (starts.max() ?? 0) + day]
            }
            let filled = try warehouse.patientsWithSamples(in: windows)
            for patient in filled { known[patient].map { _ = peopleWithSamples.insert($0) } }
            let asked = places.compactMap { patient, lookup in
                filled.contains(patient) ? [patient, lookup.start, lookup.id] : nil
            }
            for stored in try warehouse.samples(at: asked) {
                guard let key = Self.key(of: stored, known) else { continue }
                samples[key]?[stored.sample.start] = BatchSample.Row(stored)
            }
        }
        for (patient, lookups) in Dictionary(grouping: corrections, by: \.patient) {
            for stored in try warehouse.samples(of: patient, ids: lookups.map(\.lookup.id)) {
                guard let key = Self.key(of: stored, known) else { continue }
                samples[key]?.add(BatchSample.Row(stored))
            }
        }
    }

    private func isAnswered(_ lookup: SampleLookup, by known: BatchSample.Known) -> Bool {
        lookup.isCorrection ? known.isWhole : known.knows(lookup.start)
    }

    private static func key(of stored: StoredSample, _ known: [Int: String]) -> BatchSample.Key? {
        known[stored.patient].map { BatchSample.Key(participant: $0, id: stored.sample.id) }
    }

    /// What is known of a sample; of several that a correction replaces, the one that was received last.
    package mutating func knownSample(_ lookup: SampleLookup) throws -> KnownSample {
        let known = try known(lookup)
        if known.isVisit { return .visit }
        guard let row = lookup.isCorrection ? known.latest : known[lookup.start] else { return .absent }
        return .row(row.sample, received: row.received)
    }

    private mutating func known(_ lookup: SampleLookup) throws -> BatchSample.Known {
        if let known = samples[lookup.key], isAnswered(lookup, by: known) { return known }
        try read(samples: [lookup])
        return samples[lookup.key] ?? BatchSample.Known()
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
        let place = BatchSample.Place(participant: participant, start: sample.start, id: sample.id)
        if takeAway(place, change) { loads[load].deleted += 1 }
        sampleChanges.new[place] = BatchSample.New(sample: sample, received: received, load: load)
        sampleChanges.newPlaces.append(place)
        sampleChanges.days[BatchSample.Day(participant: participant, day: sample.day)] = change
        samples[place.key, default: BatchSample.Known()][sample.start] = BatchSample.Row(
            sample,
            received: received
        )
    }

    /// Notes that what has the identity of a sample is a visit from now on.
    package mutating func makeVisit(
        _ lookup: SampleLookup,
        message: String,
        received: WarehouseTime,
        now: WarehouseTime
    ) throws {
        let isVisit = try known(lookup).isVisit
        let starts = lookup.isCorrection ? try known(lookup).starts.sorted() : [lookup.start]
        let change = BatchSample.Change(message: message, received: received, now: now)
        let load = load(of: message, now: now)
        for start in starts {
            let place = BatchSample.Place(participant: lookup.participant, start: start, id: lookup.id)
            if takeAway(place, change) { loads[load].deleted += 1 }
        }
        guard !isVisit else { return }
        sampleChanges.visits.append(lookup.key)
        samples[lookup.key]?.isVisit = true
    }

    /// - Returns: Whether there was a row.
    private mutating func takeAway(_ place: BatchSample.Place, _ change: BatchSample.Change) -> Bool {
        guard let row = samples[place.key]?[place.start] else { return false }
        // One that is new in this batch is in no table.
        if sampleChanges.new.removeValue(forKey: place) == nil {
            sampleChanges.removed.append(place)
            peopleWithSamples.insert(place.participant)
        }
        samples[place.key]?[place.start] = nil
        sampleChanges.days[BatchSample.Day(participant: place.participant, day: row.sample.day)] = change
        return true
    }
}
