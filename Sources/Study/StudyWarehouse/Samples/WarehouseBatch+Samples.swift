import FHIR
import OrderedJSON

/// A sample as a batch of messages sees it.
struct BatchSample {
    /// The participant, and the digest of the sample's identity.
    struct Key: Hashable {
        let participant: String
        let id: Int

        /// The id is a digest already.
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// A row of the table, as far as a key has it.
    struct Place: Hashable {
        let participant: String
        let start: Int
        let id: Int

        var key: Key { Key(participant: participant, id: id) }

        func hash(into hasher: inout Hasher) { hasher.combine(id) }
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

        /// Whether another sample of the same participant belongs to the same set.
        func sharesSet(with other: New) -> Bool {
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

    /// What is known of one identity: whether it is a visit, and its rows with the starts that were asked
    /// for, or all of its rows.
    struct Known {
        var isVisit = false
        /// Whether all rows are known.
        var isWhole = false
        /// The first known start with its row, usually the only one; the row is `nil` where the table has
        /// none with that start.
        private var first: (start: Int, row: Row?)?
        /// The others, with their starts.
        private var others: [(start: Int, row: Row?)] = []
        /// Where those are, once there are more than a few: nothing keeps a phone from sending thousands of
        /// samples with one identity.
        private var indexes: [Int: Int] = [:]
        private static let few = 8

        private var rows: [(start: Int, row: Row?)] { first.map { [$0] + others } ?? [] }

        var starts: [Int] { rows.compactMap { $0.row == nil ? nil : $0.start } }

        /// The row that was received last.
        var latest: Row? {
            rows.compactMap(\.row).max {
                ($0.received, $0.sample.start) < ($1.received, $1.sample.start)
            }
        }

        private func index(_ start: Int) -> Int? {
            others.count <= Self.few ? others.firstIndex { $0.start == start } : indexes[start]
        }

        private func hasStart(_ start: Int) -> Bool { first?.start == start || index(start) != nil }

        func knows(_ start: Int) -> Bool { isWhole || hasStart(start) }

        subscript(start: Int) -> Row? {
            get {
                guard let first, first.start != start else { return first?.row }
                return index(start).flatMap { others[$0].row }
            }
            set {
                guard let first, first.start != start else { return first = (start, newValue) }
                if let index = index(start) {
                    others[index].row = newValue
                } else {
                    append(start, newValue)
                }
            }
        }

        private mutating func append(_ start: Int, _ row: Row?) {
            others.append((start, row))
            guard others.count > Self.few else { return }
            let unplaced = indexes.isEmpty ? 0 : others.count - 1
            for index in unplaced..<others.count { indexes[others[index].start] = index }
        }

        /// Notes a row of the database, which a batch may have taken away.
        mutating func add(_ row: Row) { if !hasStart(row.sample.start) { self[row.sample.start] = row } }
    }

    // What the batch changes, in the order in which it was changed.
    private(set) var new: [(place: Place, new: New?)] = []
    private var newIndexes: [Place: Int] = [:]
    var removed: [Place] = []
    var visits = OrderedKeys<Key>()
    private(set) var days: [Day: Change] = [:]

    /// Whether nothing is to be written.
    var isEmpty: Bool { days.isEmpty && visits.keys.isEmpty }

    /// What was noted last of a day: samples of a day follow each other, as a rule.
    private var last: (day: Day, message: String)?

    /// Notes what changes a day.
    mutating func note(_ day: Day, _ change: Change) {
        if let last, last.day == day, last.message == change.message { return }
        last = (day, change.message)
        days[day] = change
    }

    /// Writes a row, where its place was first written.
    mutating func add(_ new: New, at place: Place) {
        if let index = newIndexes[place] { return self.new[index].new = new }
        newIndexes[place] = self.new.count
        self.new.append((place, new))
    }

    /// Cancels the row that would be written at a place.
    ///
    /// - Returns: Whether one would have been written.
    mutating func remove(at place: Place) -> Bool {
        guard let index = newIndexes[place], new[index].new != nil else { return false }
        new[index].new = nil
        return true
    }
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
    /// Whether the lookup is for a correction, which may have another start.
    let isCorrection: Bool

    /// - Parameters:
    ///   - participant: The digest of the participant's id.
    ///   - visit: The visit that an Observation has as facts.
    ///   - isCorrection: Whether it has a version, or a state other than `final`.
    /// - Returns: `nil` for a visit that is not a sample.
    package init?(_ participant: String, _ visit: StudyVisit, isCorrection: Bool) {
        guard let id = StudySample.id(ofVisit: visit.id),
            let start = FHIRDateTime(text: visit.start.xml)?.microseconds
        else { return nil }
        self.participant = participant
        self.id = id
        self.start = start
        self.isCorrection = isCorrection
    }

    package init(_ participant: String, _ sample: StudySample) {
        self.participant = participant
        id = sample.id
        start = sample.start
        isCorrection = false
    }

    var key: BatchSample.Key { BatchSample.Key(participant: participant, id: id) }
}

/// Samples of a batch: which of two samples with the same identity stays.
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
        // Also for samples of a new participant, and before the table is touched: whoever makes a partition
        // locks the table.
        try warehouse.db.prepareSampleMonths(Set(wanted.map { StudySample.month(of: $0.start) }))
        guard !known.isEmpty else { return }
        try warehouse.db.withIndexes {
            let filed = try warehouse.patientsWithSampleVisits(Set(known.keys))
            let keys = (places + corrections).compactMap { patient, lookup in
                filed.contains(patient) ? [patient, lookup.id] : nil
            }
            for (patient, id) in try warehouse.sampleVisits(keys) {
                guard let participant = known[patient] else { continue }
                samples[BatchSample.Key(participant: participant, id: id)]?.isVisit = true
            }
            let windows = Dictionary(grouping: places, by: \.patient).map { patient, lookups in
                let starts = lookups.map(\.lookup.start)
                return [patient, starts.min() ?? 0, starts.max() ?? 0]
            }
            let filled = try warehouse.patientsWithSamples(in: windows)
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
        sampleChanges.add(BatchSample.New(sample: sample, received: received, load: load), at: place)
        sampleChanges.note(BatchSample.Day(participant: participant, day: sample.day), change)
        samples[place.key, default: BatchSample.Known()][sample.start] = BatchSample.Row(
            sample,
            received: received
        )
    }

    /// Notes that the identity of a sample belongs to a visit from now on.
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
        if !sampleChanges.remove(at: place) { sampleChanges.removed.append(place) }
        samples[place.key]?[place.start] = nil
        sampleChanges.note(BatchSample.Day(participant: place.participant, day: row.sample.day), change)
        return true
    }
}
