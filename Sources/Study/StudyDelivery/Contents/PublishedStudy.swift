import FHIR
import Foundation
import StudyFormats

/// What a study has published to its phones: the signed list, and what is in its files.
public struct PublishedStudy: Sendable {
    /// The list.
    public let contents: StudyContents
    /// The questionnaires, in the list's order.
    public let questionnaires: [Questionnaire]
    /// The schedule, which has the reminders, too (``ScheduleModel``).
    public let schedule: StudySchedule?
    /// The consent document that is in force, where it is published.
    public let consent: ConsentDocument?
    private let content: [String: Data]

    /// Reads the files of a list.
    ///
    /// - Parameter content: The content of a file that the list names; its digest is checked here.
    /// - Throws: `StudyError` for a file that is not the one that was signed, or has another URL or version
    ///   than the list; the errors of what is read.
    public init(_ contents: StudyContents, _ content: (StudyContents.File) throws -> Data) throws {
        var questionnaires: [Questionnaire] = []
        var schedule: StudySchedule?
        var consent: ConsentDocument?
        var all: [String: Data] = [:]
        for file in contents.files {
            let data = try content(file)
            try file.check(data)
            all[file.digest] = data
            var found: (url: String?, version: String?) = (file.url, file.version)
            switch file.kind {
            case .questionnaire:
                let questionnaire = try Questionnaire(parsing: data)
                found = (questionnaire.url?.rawValue, questionnaire.version)
                questionnaires.append(questionnaire)
            case .schedule: schedule = try StudySchedule(parsing: data)
            case .consent:
                let document = try ConsentDocument(parsing: data)
                found = (document.id, document.version)
                consent = document
            }
            guard found == (file.url, file.version) else {
                throw StudyError.malformed(
                    format: "file of the study",
                    reason: "the \(file.name) says another URL or version of itself"
                )
            }
        }
        self.contents = contents
        self.questionnaires = questionnaires
        self.schedule = schedule
        self.consent = consent
        self.content = all
    }

    /// The content of a file of the list; `nil` for a file of another list.
    public func content(of file: StudyContents.File) -> Data? { content[file.digest] }

    /// The version of the consent that is in force; `nil` where the study does not say.
    public var consentVersion: String? { contents.consent?.version }

    /// A questionnaire by its canonical URL.
    ///
    /// - Parameter canonical: As in `http://example.org/q|2`; without a version the last one of the list.
    public func questionnaire(_ canonical: String) -> Questionnaire? {
        let parts = canonical.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        return questionnaires.last { questionnaire in
            guard questionnaire.url?.rawValue == parts.first.map(String.init) else { return false }
            return parts.count == 1 || questionnaire.version == String(parts[1])
        }
    }

    /// The questionnaire that a task of the schedule asks for.
    public func questionnaire(for task: ScheduledTask) -> Questionnaire? {
        guard task.kind == .survey else { return nil }
        return questionnaires.last { $0.url.map { task.asks(for: $0.rawValue) } ?? false }
    }

    /// Whether a participant has to sign: because there is no signature yet, or one of another version than
    /// the one in force.
    public func needsSignature(of enrolment: Enrolment) -> Bool {
        consentVersion.map { enrolment.consentVersion != $0 } ?? false
    }
}
