import OrderedJSON

/// A visit as a batch of messages sees it, with what the batch writes of it.
struct BatchVisit {
    /// Whose visit it is, and its id in tables.
    struct Key: Hashable {
        let pseudonym: String
        let visit: String

        init(_ visit: StudyVisit, of pseudonym: String) {
            self.pseudonym = pseudonym
            self.visit = visit.key
        }

        init(_ visit: String, of pseudonym: String) {
            self.pseudonym = pseudonym
            self.visit = visit
        }
    }

    /// What is written instead of all that the visit had.
    struct Content {
        var start: WarehouseTime
        var end: WarehouseTime?
        var facts: [Fact]
        var now: WarehouseTime
        /// The index of the load.
        var load: Int
    }

    /// A resource that a visit is made of.
    struct Resource {
        var json: JSONValue
        var written: WarehouseTime
        var load: Int
    }

    /// The digest of the participant's id.
    let participant: String
    /// i2b2's number; `nil` until a new one is written.
    var number: Int?
    /// When it was changed, and when that was received.
    var written: String
    var received: String
    /// What the batch writes.
    var content: Content?
    /// By their types.
    var resources: [String: Resource] = [:]
    /// Whether all that the database has of it goes.
    var isCleared = false
    /// Whether the database has nothing of it.
    var isNew: Bool

    init(participant: String, number: Int?, written: String, received: String) {
        self.participant = participant
        self.number = number
        self.written = written
        self.received = received
        isNew = number == nil
    }
}

/// A concept that the database may not have.
struct BatchConcept {
    let concept: Concept
    /// What its facts show of its values.
    let values: ValueMetadata?
    let now: WarehouseTime
    let load: Int
}

/// What a message stores: a row of `upload_status`.
struct BatchLoad {
    /// The id of the message.
    let label: String
    let now: WarehouseTime
    /// The facts that it has, that were written, and that they replaced.
    var facts = 0
    var loaded = 0
    var deleted = 0
    /// i2b2's number, once it is written.
    var number: Int?
}
