import FHIR
import Foundation

/// When a participant enrolled, and which questionnaires they answered when.
public struct ParticipantTimeline: Sendable, Hashable {
    /// A questionnaire that was answered.
    public struct Response: Sendable, Hashable {
        /// The questionnaire's URL without its version.
        public let questionnaire: String
        /// When it was answered.
        public let date: Date

        /// A response.
        public init(questionnaire: String, date: Date) {
            self.questionnaire = questionnaire
            self.date = date
        }
    }

    /// The pseudonym under which exports have the participant.
    public let pseudonym: String
    /// When the first consent was signed.
    public let enrolled: Date
    /// When they stopped, and left what they had given; `nil` while they take part.
    public let stopped: Date?
    /// The completed responses, the earliest first.
    public let responses: [Response]

    /// A course.
    public init(pseudonym: String, enrolled: Date, stopped: Date? = nil, responses: [Response]) {
        self.pseudonym = pseudonym
        self.enrolled = enrolled
        self.stopped = stopped
        self.responses = responses
    }
}

extension WarehouseTransaction {
    /// The participants who are read at a time.
    private static let courseBatch = 1000

    /// Gives the course of each participant who takes part, or did until they stopped, in the order of their
    /// numbers.
    ///
    /// - Throws: What `body` throws, ``WarehouseError`` for a time that cannot be read, the database's error.
    public func eachCourse(_ body: (ParticipantTimeline) throws -> Void) throws {
        var last = 0
        while true {
            let people = try db.rows(
                """
                SELECT p.patient_num, p.pseudonym, min(c.signed), min(w.at)
                FROM study_participant p
                JOIN study_consent c ON c.participant = p.participant
                LEFT JOIN study_withdrawal w ON w.participant = p.participant
                WHERE p.patient_num > ?
                GROUP BY p.patient_num, p.pseudonym
                ORDER BY p.patient_num
                LIMIT ?
                """,
                [last, Self.courseBatch]
            )
            guard let highest = people.last?.integer(0) else { return }
            let responses = try responses(of: (last + 1)...highest)
            for person in people {
                let course = ParticipantTimeline(
                    pseudonym: person.text(1) ?? "",
                    enrolled: try Self.date(person.text(2), in: "study_consent"),
                    stopped: try person.text(3).map { try Self.date($0, in: "study_withdrawal") },
                    responses: responses[person.integer(0) ?? 0] ?? []
                )
                try body(course)
            }
            last = highest
        }
    }

    /// The URLs of the questionnaires that most participants answered, without their versions.
    package func answeredQuestionnaires(limit: Int) throws -> [String] {
        try db.rows(
            """
            SELECT c.concept_blob, count(DISTINCT f.patient_num)
            FROM observation_fact f
            JOIN concept_dimension c ON c.concept_cd = f.concept_cd
            WHERE \(Self.isOfResponse)
            GROUP BY c.concept_blob
            ORDER BY 2 DESC, 1
            LIMIT ?
            """,
            [limit]
        ).compactMap { row in row.text(0).map { String($0.prefix { $0 != "|" }) } }
    }

    /// A mark of each participant's course, by pseudonym: it changes when they answer or stop.
    package func timelineFingerprints() throws -> [String: String] {
        let rows = try db.rows(
            """
            SELECT p.pseudonym, count(f.patient_num), min(w.at)
            FROM study_participant p
            LEFT JOIN observation_fact f ON f.patient_num = p.patient_num AND \(Self.isOfResponse)
            LEFT JOIN study_withdrawal w ON w.participant = p.participant
            WHERE EXISTS (SELECT 1 FROM study_consent c WHERE c.participant = p.participant)
            GROUP BY p.pseudonym
            """
        )
        return Dictionary(
            firstOf: rows.map {
                ($0.text(0) ?? "", "\($0.integer(1) ?? 0)" + ($0.text(2) == nil ? "" : " stopped"))
            }
        )
    }

    /// Each completed response has one such fact, of its questionnaire.
    private static let isOfResponse = """
        f.modifier_cd = '@' AND f.concept_cd LIKE 'SURVEY:%' AND f.concept_cd NOT LIKE 'SURVEY:%:%'
        """

    /// The completed responses of participants, by their numbers.
    private func responses(of numbers: ClosedRange<Int>) throws -> [Int: [ParticipantTimeline.Response]] {
        var responses: [Int: [ParticipantTimeline.Response]] = [:]
        try db.eachRow(
            """
            SELECT f.patient_num, c.concept_blob, f.start_date
            FROM observation_fact f
            JOIN concept_dimension c ON c.concept_cd = f.concept_cd
            WHERE f.patient_num BETWEEN ? AND ?
                AND \(Self.isOfResponse)
            ORDER BY f.patient_num, f.start_date, c.concept_blob
            """,
            [numbers.lowerBound, numbers.upperBound]
        ) { row in
            guard let number = row.integer(0), let canonical = row.text(1) else { return }
            let response = ParticipantTimeline.Response(
                questionnaire: String(canonical.prefix { $0 != "|" }),
                date: try Self.date(row.text(2), in: "observation_fact")
            )
            responses[number, default: []].append(response)
        }
        return responses
    }

    /// The moment of a column, in UTC, with its zone or without.
    private static func date(_ text: String?, in table: String) throws -> Date {
        let written = (text ?? "").replacing(" ", with: "T")
        guard let date = FHIRDateTime(text: written.hasSuffix("Z") ? written : written + "Z")?.instant else {
            throw WarehouseError.badInput("\(table) has a time that cannot be read: \(written)")
        }
        return date
    }
}
