/// How a study is going, in numbers that say nothing of a single person.
public struct StudyOverview: Sendable, Hashable {
    /// The messages of a day in UTC.
    public struct Day: Sendable, Hashable {
        /// As in `2026-03-01`.
        public let day: String
        /// How many messages there are in each state.
        public let counts: [String: Int]
        /// All of them.
        public var total: Int { counts.values.reduce(0, +) }
    }

    /// The participants of whom there are facts.
    public let participants: ShownCount
    /// The participants who agreed, and have not withdrawn.
    public let consents: ShownCount
    /// Those of them whose consent in force, the one signed last, says that their data may be shared beyond
    /// the study.
    public let sharing: ShownCount
    /// The participants who withdrew.
    public let withdrawn: ShownCount
    /// How many messages are in each state.
    public let messages: [String: Int]
    /// The days on which something came, the first one first.
    public let days: [Day]
}

extension WarehouseTransaction {
    /// How much is used up of the numbers that the database gives, from 0 to 1, by what they are for: visits,
    /// facts, loads and participants. Where one is used up, nothing more of its kind is stored. SQLite's do
    /// not end.
    public func usedNumbers() throws -> [String: Double] { try db.usedNumbers() }

    /// Participants, consents and messages. The numbers of people change when those of five have changed.
    ///
    /// - Parameter first: The first day that is reported, as in `2026-03-01`.
    public func overview(since first: String) throws -> StudyOverview {
        var days: [String: [String: Int]] = [:]
        let rows = try db.rows(
            """
            SELECT substr(received, 1, 10), state, count(*) FROM study_message WHERE received >= ?
            GROUP BY substr(received, 1, 10), state
            """,
            [first]
        )
        for row in rows { days[row.text(0) ?? "", default: [:]][row.text(1) ?? ""] = row.integer(2) }
        let people = try publishedPeople()
        return StudyOverview(
            participants: ShownCount(people.participants),
            consents: ShownCount(people.consents),
            sharing: ShownCount(people.sharing),
            withdrawn: ShownCount(people.withdrawn),
            messages: try messageCounts(),
            days: days.sorted { $0.key < $1.key }.map { StudyOverview.Day(day: $0.key, counts: $0.value) }
        )
    }

    func people() throws -> StudyPeople {
        StudyPeople(
            participants: try db.number("SELECT count(*) FROM study_participant"),
            consents: try db.number(Self.consents),
            sharing: try db.number(Self.consents + Self.sharing),
            withdrawn: try db.number("SELECT count(*) FROM study_withdrawal")
        )
    }

    private static let consents = """
        SELECT count(DISTINCT c.participant) FROM study_consent c
        WHERE NOT EXISTS (SELECT 1 FROM study_withdrawal w WHERE w.participant = c.participant)
        """
    /// What was signed last is in force; of two that were signed at one time both have to agree.
    private static let sharing = """
         AND c.shares = 1 AND NOT EXISTS (SELECT 1 FROM study_consent n WHERE n.participant = c.participant
            AND n.signed >= c.signed AND coalesce(n.shares, 0) <> 1)
        """

    /// How many participants each state has, by its postal code.
    public func states() throws -> [String: Int] {
        try db.rows(
            """
            SELECT statecityzip_path, count(*) FROM patient_dimension WHERE statecityzip_path IS NOT NULL
            GROUP BY statecityzip_path
            """
        ).reduce(into: [:]) { counts, row in
            counts[String((row.text(0) ?? "").prefix { $0 != "\\" }), default: 0] += row.integer(1) ?? 0
        }
    }

    // MARK: Messages that failed

    /// Asks for a message to be processed again that could not be: the consumer, which has the keys, does it.
    ///
    /// - Parameter id: The message; all of them without it.
    /// - Returns: How many will be.
    @discardableResult
    package func requestReprocessing(_ id: String?) throws -> Int {
        let sql = "UPDATE study_message SET state = 'again' WHERE state = 'failed' AND body IS NOT NULL"
        guard let id else { return try db.execute(sql) }
        return try db.execute(sql + " AND id = ?", [id])
    }
}
