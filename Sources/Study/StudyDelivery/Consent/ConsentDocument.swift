import OrderedJSON
import StudyFormats

/// The document that somebody is asked to agree to, as data: sections, sharing, questions of comprehension
/// and eligibility.
///
/// ```swift
/// let document = try ConsentDocument(parsing: data)
/// for section in document.sections { show(section.title, section.text) }
/// ```
/// ``init(parsing:)`` reads `consent.json` and C3-PRO's unsigned Contract; see <doc:Formats>.
public struct ConsentDocument: Sendable, Hashable {
    /// The document's id, the same for all its versions.
    public var id: String
    /// Its version. A new version has to be signed again.
    public var version: String
    public var title: String
    /// The language of its texts, as in `de` or `ar`.
    public var language: String?
    /// The study's id.
    public var study: String
    /// Who runs the study.
    public var organization: String
    /// The sections, in order.
    public var sections: [Section] = []
    /// What the participant may choose to share, and with whom.
    public var sharing: [SharingChoice] = []
    /// Questions that show whether the text was understood.
    public var comprehension: [ComprehensionQuestion] = []
    /// How many of them have to be answered correctly.
    public var comprehensionMinimum = 0
    /// Statements that decide who can take part.
    public var eligibility: [EligibilityCriterion] = []
    /// Whether a drawn signature is needed.
    public var requiresSignatureImage = true
    /// Warnings about the file that it was read from.
    public internal(set) var warnings: [StudyFormatProblem] = []
    /// C3-PRO's Contract, when it was read from one.
    var definition: JSONValue?

    /// A section.
    public struct Section: Sendable, Hashable {
        /// The kind, by ResearchKit's names: `Overview`, `Privacy`, `DataGathering`, …, `Custom`,
        /// `OnlyInDocument`.
        public var kind: String
        public var title: String
        /// A sentence or two, shown first.
        public var summary: String?
        /// The whole text, in paragraphs.
        public var text: String

        /// The kinds that there are.
        public static let kinds = [
            "Overview", "Privacy", "DataGathering", "DataUse", "TimeCommitment", "StudySurvey", "StudyTasks",
            "Withdrawing",
            "Custom", "OnlyInDocument",
        ]
    }

    /// Something that the participant may share or not.
    public struct SharingChoice: Sendable, Hashable {
        /// The choice's id.
        public var id: String
        /// What is shared.
        public var text: String
        /// With whom.
        public var recipient: String
    }

    /// A question with one right answer.
    public struct ComprehensionQuestion: Sendable, Hashable {
        /// The question's id.
        public var id: String
        /// The question.
        public var text: String
        /// The answers to choose from.
        public var options: [String]
        /// The index of the right one.
        public var answer: Int
    }

    /// A statement, to which the participant says yes or no.
    public struct EligibilityCriterion: Sendable, Hashable {
        /// The criterion's id.
        public var id: String
        /// The statement.
        public var text: String
        /// The answer that is required: `true` includes, `false` excludes.
        public var mustBe: Bool
    }

    /// Reads `consent.json`, or a Contract of C3-PRO.
    ///
    /// - Throws: `JSONError`, ``/StudyFormats/StudyFormatError`` with all problems.
    public init(parsing data: some Sequence<UInt8>) throws {
        let json = try JSONValue(parsing: data, limits: .studyFile)
        var problems = ObjectReader.Problems()
        let read =
            json["resourceType"] == nil
            ? ConsentDocument(reading: json, &problems) : ConsentDocument(contract: json, &problems)
        try problems.check()
        guard var document = read else { throw StudyFormatError(problems: problems.all) }
        document.checkTexts(json, &problems)
        try problems.check()
        document.warnings = problems.all
        self = document
    }

    init(id: String, version: String, title: String, study: String, organization: String) {
        self.id = id
        self.version = version
        self.title = title
        self.study = study
        self.organization = organization
    }

    /// What holds for all of a document, however it was written: bounds of all texts, ids that are unique,
    /// sections.
    private func checkTexts(_ json: JSONValue, _ problems: inout ObjectReader.Problems) {
        let texts =
            [title, organization] + sections.flatMap { [$0.title, $0.summary ?? "", $0.text] }
            + sharing.flatMap {
                [
                    $0.text,
                    $0.recipient,
                ]
            } + comprehension.flatMap { [$0.text] + $0.options } + eligibility.map(\.text)
        let size = texts.reduce(0) { $0 + $1.utf8.count }
        if size > TextLimits.document {
            problems.add(
                "the texts have \(size) bytes together; at most \(TextLimits.document) are printed",
                "",
                json
            )
        }
        // HTML can spell marks as entities.
        if texts.contains(where: { $0.contains { $0.unicodeScalars.count > TextLimits.scalarsOfCharacter } })
        {
            problems.add(
                "a character has more than \(TextLimits.scalarsOfCharacter - 1) combining marks",
                "",
                json
            )
        }
        if sections.isEmpty { problems.add("there is no section", "", json) }
        for (list, ids) in [
            ("sharing", sharing.map(\.id)), ("comprehension", comprehension.map(\.id)),
            ("eligibility", eligibility.map(\.id)),
        ] where Set(ids).count != ids.count {
            problems.add("two have the same id", list, json[list] ?? json)
        }
    }
}
