import Foundation

/// Numbers as they are published: kept until several participants have changed them.
///
/// Whoever looks twice sees the difference between two sets of numbers. A difference made by a single
/// participant would reveal that participant's answer, however much the numbers are rounded: some day one of
/// them is just below the next step. So all numbers of a source change together, and not before
/// ``ShownCount/smallest`` participants gave something new, or left.
extension WarehouseTransaction {
    /// What is shown of a source.
    ///
    /// - Parameters:
    ///   - marks: By participant, what changes when they give something new.
    ///   - make: The numbers as they are now.
    /// - Returns: `nil` while fewer than five participants gave anything.
    package func published<Content: Codable>(
        _ source: String,
        marks: [String: String],
        _ make: () throws -> Content
    ) throws -> Content? {
        try db.lock("published \(source)")
        let row = try db.row("SELECT content, marks FROM study_published WHERE source = ?", [source])
        let shown = try row?.text(0).map { try JSONDecoder().decode(Content.self, from: Data($0.utf8)) }
        let earlier =
            try row?.text(1).map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
            ?? [:]
        let gone = earlier.keys.count { marks[$0] == nil }
        let changed = gone + marks.count { earlier[$0.key] != $0.value }
        guard changed >= ShownCount.smallest else { return shown }
        let content = try make()
        try db.execute(
            """
            INSERT INTO study_published VALUES (?, ?, ?)
            ON CONFLICT (source) DO UPDATE SET content = excluded.content, marks = excluded.marks
            """,
            [source, try Self.json(content), try Self.json(marks)]
        )
        return content
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    /// What was answered to each question of a questionnaire, as it is shown: the same until five
    /// participants answered again.
    ///
    /// - Parameter source: The name of a ``QuestionSource``.
    public func publishedQuestions(of source: String) throws -> [QuestionSummary] {
        let prefix = conceptPath(of: source)
        let rows = try db.rows(
            """
            SELECT patient_num, count(*), max(upload_id)
            FROM observation_fact
            WHERE modifier_cd = '@'
                AND concept_cd IN (
                    SELECT concept_cd FROM concept_dimension WHERE substr(concept_path, 1, ?) = ?
                )
            GROUP BY patient_num
            """,
            [prefix.count, prefix]
        )
        return try published("questions \(source)", marks: Self.marks(rows)) { try questions(of: source) }
            ?? []
    }

    /// How many participants each state has, by its postal code, as it is shown: the same until it changed
    /// for five.
    public func publishedStates() throws -> [String: Int] {
        let rows = try db.rows(
            """
            SELECT patient_num, statecityzip_path
            FROM patient_dimension
            WHERE statecityzip_path IS NOT NULL
            """
        )
        return try published("states", marks: Self.marks(rows)) { try states() } ?? [:]
    }

    /// The people of an overview, as they are shown: the same until five of them agreed, gave their first
    /// data, or left.
    func publishedPeople() throws -> StudyPeople {
        let rows = try db.rows(
            """
            SELECT participant, max(consents), max(shares), max(known), max(gone)
            FROM (
                SELECT participant, count(*) AS consents, sum(coalesce(shares, 0)) AS shares, 0 AS known,
                    0 AS gone
                FROM study_consent
                GROUP BY participant
                UNION ALL SELECT participant, 0, 0, 1, 0 FROM study_participant
                UNION ALL SELECT participant, 0, 0, 0, 1 FROM study_withdrawal
            ) AS people
            GROUP BY participant
            """
        )
        return try published("people", marks: Self.marks(rows)) { try people() } ?? StudyPeople()
    }

    private static func marks(_ rows: [SQLRow]) -> [String: String] {
        Dictionary(
            rows.map { row in
                let texts = row.values.map { $0.text ?? "" }
                return (texts.first ?? "", texts.dropFirst().joined(separator: " "))
            },
            uniquingKeysWith: { $1 }
        )
    }
}

/// How many people of each kind there are.
struct StudyPeople: Codable {
    var participants = 0
    var consents = 0
    var sharing = 0
    var withdrawn = 0
}
