import Foundation
import IndivoXML

extension WarehouseTransaction {
    /// More concepts than are read of a questionnaire.
    private static let maximumConcepts = 20_000
    /// More units, and answers in text, than are read.
    private static let maximumRows = 50_000

    /// The questionnaires of the ontology, and those that five participants answered, by their titles; then
    /// the measurements.
    public func questionSources() throws -> [QuestionSource] {
        let root = ConceptNames.surveys
        var titles: [String: String] = [:]
        let answered = try db.rows(
            """
            SELECT c.concept_path, c.name_char
            FROM concept_dimension c
            JOIN observation_fact f ON f.concept_cd = c.concept_cd
            WHERE substr(c.concept_path, 1, ?) = ?
                AND c.concept_cd LIKE 'SURVEY:%'
                AND c.concept_cd NOT LIKE 'SURVEY:%:%'
                AND f.modifier_cd = '@'
            GROUP BY c.concept_path, c.name_char
            HAVING count(DISTINCT f.patient_num) >= ?
            ORDER BY c.concept_path LIMIT ?
            """,
            [root.count, root, ShownCount.smallest, Self.maximumConcepts]
        )
        let known = try db.rows(
            """
            SELECT c_fullname, c_name
            FROM study_metadata
            WHERE c_hlevel = 2 AND c_comment IS NULL AND substr(c_fullname, 1, ?) = ?
            LIMIT ?
            """,
            [root.count, root, Self.maximumConcepts]
        )
        for row in answered + known {
            guard let path = row.text(0), let names = ConceptNames.components(of: path, below: root),
                names.count == 1
            else {
                continue
            }
            titles[names[0]] = row.text(1) ?? names[0]
        }
        var sources = titles.map { QuestionSource(name: $0.key, title: $0.value) }
        sources.sort { ($0.title, $0.name) < ($1.title, $1.name) }
        let isMeasured = try db.finds(
            "SELECT 1 FROM concept_dimension WHERE substr(concept_path, 1, ?) = ? LIMIT 1",
            [ConceptNames.measurements.count, ConceptNames.measurements]
        )
        if isMeasured { sources.append(QuestionSource(name: Self.measurements, title: "Measurements")) }
        return sources
    }

    private static let measurements = "measurements"

    /// What was answered to each question of a questionnaire, in the order of their paths.
    ///
    /// A question that no ontology has is left out while fewer than five participants answered it: its name
    /// is untrusted.
    ///
    /// - Parameter source: The name of a ``QuestionSource``.
    public func questions(of source: String) throws -> [QuestionSummary] {
        let prefix = conceptPath(of: source)
        var summary = SourceSummary(name: source == Self.measurements ? nil : source)
        let labels = try db.rows(
            """
            SELECT c_fullname, c_name, c_metadataxml
            FROM study_metadata
            WHERE c_comment IS NULL AND substr(c_fullname, 1, ?) = ?
            LIMIT ?
            """,
            [prefix.count, prefix, Self.maximumConcepts]
        )
        for row in labels {
            let values = row.text(2).map(EnumValues.read) ?? []
            summary.labels[row.text(0) ?? ""] = (row.text(1) ?? "", values, summary.labels.count)
        }
        let counts = try db.rows(
            """
            SELECT f.concept_cd, q.tval_char, f.valtype_cd, count(DISTINCT f.patient_num) \(Self.facts)
            GROUP BY f.concept_cd, q.tval_char, f.valtype_cd ORDER BY 4 DESC LIMIT ?
            """,
            [prefix.count, prefix, Self.maximumRows]
        )
        for row in counts { summary.counts[.init(row), default: [:]][row.text(2) ?? "@"] = row.integer(3) }
        for row in try numbers(prefix) {
            guard let numbers = Self.numbers(row) else { continue }
            summary.numbers[.init(row), default: []].append(numbers)
        }
        let concepts = try db.rows(
            """
            SELECT concept_path, concept_cd, name_char
            FROM concept_dimension
            WHERE substr(concept_path, 1, ?) = ?
            ORDER BY CASE WHEN EXISTS (
                SELECT 1 FROM study_metadata WHERE c_fullname = concept_path AND c_comment IS NULL
            ) THEN 0 ELSE 1 END
            LIMIT ?
            """,
            [prefix.count, prefix, Self.maximumConcepts]
        )
        for row in summary.ordered(concepts) {
            guard let path = row.text(0), let names = ConceptNames.components(of: path, below: prefix),
                !names.isEmpty
            else {
                continue
            }
            summary.add(path: path, names: names, code: row.text(1) ?? "", name: row.text(2) ?? "")
        }
        for (key, values) in summary.enumerations {
            let rows = try db.rows(
                """
                SELECT f.tval_char, count(DISTINCT f.patient_num)
                \(Self.facts) AND f.concept_cd = ? AND q.tval_char = ? AND f.valtype_cd = 'T'
                GROUP BY f.tval_char
                LIMIT ?
                """,
                [prefix.count, prefix, key.concept, key.question, Self.maximumRows]
            )
            let found = Dictionary(rows.map { ($0.text(0) ?? "", $0.integer(1) ?? 0) }, uniquingKeysWith: +)
            summary.setChoices(of: key, values.map { ($0.label, found[$0.code] ?? 0) })
        }
        return summary.shown
    }

    /// Where the concepts of a source are.
    func conceptPath(of source: String) -> String {
        source == Self.measurements
            ? ConceptNames.measurements : ConceptNames.path(ConceptNames.surveys, [source])
    }

    /// The facts of the concepts below a path, each with its question where others have the same concept.
    private static let facts = """
        FROM observation_fact f
        LEFT JOIN observation_fact q ON q.patient_num = f.patient_num
            AND q.concept_cd = f.concept_cd
            AND q.modifier_cd = '\(FactModifier.question)'
            AND q.start_date = f.start_date
            AND q.encounter_num = f.encounter_num
            AND q.instance_num = f.instance_num
            AND q.provider_id = f.provider_id
        WHERE f.modifier_cd = '@'
            AND f.concept_cd IN (
                SELECT concept_cd FROM concept_dimension WHERE substr(concept_path, 1, ?) = ?
            )
        """

    /// Of the means of five participants or more: how many, the median, and the fifth from below and above.
    private func numbers(_ prefix: String) throws -> [SQLRow] {
        try db.rows(
            """
            WITH person AS (
                SELECT f.concept_cd AS concept, q.tval_char AS question, coalesce(f.units_cd, '') AS unit,
                    f.patient_num AS number, avg(f.nval_num) AS value
                \(Self.facts) AND f.valtype_cd = 'N' AND f.tval_char = 'E' AND f.nval_num IS NOT NULL
                GROUP BY f.concept_cd, q.tval_char, coalesce(f.units_cd, ''), f.patient_num
            ), ordered AS (
                SELECT concept, question, unit, value,
                    row_number() OVER (
                        PARTITION BY concept, question, unit ORDER BY value, number
                    ) AS ordinal,
                    count(*) OVER (PARTITION BY concept, question, unit) AS people
                FROM person
            )
            SELECT concept, question, unit, people,
                avg(CASE WHEN ordinal IN ((people + 1) / 2, (people + 2) / 2) THEN value END),
                max(CASE WHEN ordinal = \(ShownCount.smallest) THEN value END),
                max(CASE WHEN ordinal = people + 1 - \(ShownCount.smallest) THEN value END)
            FROM ordered
            WHERE people >= \(ShownCount.smallest)
            GROUP BY concept, question, unit, people
            ORDER BY people DESC, unit LIMIT ?
            """,
            [prefix.count, prefix, Self.maximumRows]
        )
    }

    private static func numbers(_ row: SQLRow) -> QuestionSummary.Numbers? {
        guard let people = row.integer(3), let median = number(row, 4), let low = number(row, 5),
            let high = number(row, 6)
        else {
            return nil
        }
        return QuestionSummary.Numbers(
            unit: row.text(2) ?? "",
            participants: people,
            median: median,
            low: low,
            high: high
        )
    }

    private static func number(_ row: SQLRow, _ index: Int) -> Double? {
        row.text(index).flatMap { Double($0) }
    }
}

/// Puts the answers to a source's questions together.
private struct SourceSummary {
    /// A concept, and the question where others have the same concept.
    struct Key: Hashable {
        let concept: String
        let question: String?

        init(concept: String, question: String?) {
            self.concept = concept
            self.question = question
        }

        /// Of a row that begins with the two.
        init(_ row: SQLRow) { self.init(concept: row.text(0) ?? "", question: row.text(1)) }
    }

    /// The questionnaire; `nil` for the measurements.
    let name: String?
    /// What the ontology has, by paths, and its place among the others: answers are in the questionnaire's
    /// order.
    var labels: [String: (name: String, values: [(code: String, label: String)], place: Int)] = [:]
    /// Participants by the type of the value.
    var counts: [Key: [String: Int]] = [:]
    var numbers: [Key: [QuestionSummary.Numbers]] = [:]
    /// Questions whose answers are codes in the value.
    private(set) var enumerations: [Key: [(code: String, label: String)]] = [:]
    private var paths: [Key: String] = [:]
    private var questions: [String: QuestionSummary] = [:]

    init(name: String?) { self.name = name }

    /// Rows of concepts, which begin with the path: first those of the ontology in its order, then the others
    /// by their names.
    func ordered(_ concepts: [SQLRow]) -> [SQLRow] {
        concepts.sorted { one, other in
            let places = [one, other].map { labels[$0.text(0) ?? ""]?.place ?? .max }
            return places[0] == places[1]
                ? Self.isBefore(one.text(2) ?? "", other.text(2) ?? "") : places[0] < places[1]
        }
    }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.compare(other, options: .numeric) == .orderedAscending
    }

    /// The questions by their paths, numbers in them as numbers.
    var shown: [QuestionSummary] {
        let sorted = questions.filter { !$0.value.isEmpty }.sorted { Self.isBefore($0.key, $1.key) }
        return sorted.map { entry in
            var question = entry.value
            // By what is shown: an exact order would show which of two equal numbers is larger before it is
            // rounded.
            question.numbers.sort { ($1.participants, $0.unit) < ($0.participants, $1.unit) }
            return question
        }
    }

    mutating func add(path: String, names: [String], code: String, name: String) {
        guard let survey = self.name else { return measurement(path, code, name) }
        let last = names[names.count - 1]
        guard let link = ConceptNames.linkID(of: last) else {
            guard names.count > 1, let link = ConceptNames.linkID(of: names[names.count - 2]) else { return }
            // The code of an answer, or one of a shared scheme that other questions have, too.
            let isOwn = code == ConceptNames.answer(String(last.dropFirst()), to: link, in: survey)
            return choice(path, link, Key(concept: code, question: isOwn ? nil : "\(survey):\(link)"), name)
        }
        let isShared = code != ConceptNames.question(link, in: survey)
        let key = Key(concept: code, question: isShared ? "\(survey):\(link)" : nil)
        question(path, link, key, name)
        if let values = labels[path]?.values, !values.isEmpty, isShared {
            enumerations[key] = values
            paths[key] = path
        }
    }

    private mutating func measurement(_ path: String, _ code: String, _ name: String) {
        question(path, code, Key(concept: code, question: nil), name)
    }

    private mutating func question(_ path: String, _ id: String, _ key: Key, _ name: String) {
        let counts = counts[key] ?? [:]
        let people = counts.values.max() ?? 0
        guard people > 0, labels[path] != nil || people >= ShownCount.smallest else { return }
        var question = questions[path] ?? QuestionSummary(id: id, label: labels[path]?.name ?? name)
        question.numbers = numbers[key] ?? []
        let others = counts.filter { $0.key != "N" }.values.max() ?? 0
        question.others =
            others > 0 || question.numbers.isEmpty ? ShownCount(others > 0 ? others : people) : nil
        questions[path] = question
    }

    private mutating func choice(_ path: String, _ link: String, _ key: Key, _ name: String) {
        let count = counts[key]?.values.max() ?? 0
        let isKnown = labels[path] != nil
        guard isKnown || count >= ShownCount.smallest else { return }
        let parent = ConceptNames.parent(of: path)
        let new = QuestionSummary(id: link, label: labels[parent]?.name ?? link)
        questions[parent, default: new].choices.append(
            .init(label: labels[path]?.name ?? name, count: ShownCount(count))
        )
    }

    mutating func setChoices(of key: Key, _ choices: [(label: String, count: Int)]) {
        guard let path = paths[key] else { return }
        questions[path]?.choices = choices.map { .init(label: $0.label, count: ShownCount($0.count)) }
        questions[path]?.others = nil
    }
}

/// The codes of a question's answers in i2b2's description of its values.
private enum EnumValues {
    static func read(_ xml: String) -> [(code: String, label: String)] {
        guard let root = try? XMLNode(parsing: xml) else { return [] }
        var known: Set<String> = []
        return root.find("EnumValues > Val").compactMap { value in
            let code = value.text()
            return known.insert(code).inserted ? (code, value.attr("description") ?? code) : nil
        }
    }
}
