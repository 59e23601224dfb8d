import Crypto
import DurableQueue
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// What an app has to remember of a participant between two starts: unfinished responses, answers to a
/// consent document, and what of the schedule was done. Encrypted, in the participant's own folder, so that
/// a withdrawal erases it.
///
/// ```swift
/// let state = try ParticipantState(of: enrolment, in: participants, keys: keychain)
/// let model = SurveyModel(survey, resuming: try state.response(to: "diary")) { response in
///     try state.setResponse(response, to: "diary")
/// }
/// ```
public struct ParticipantState: Sendable {
    private let files: SealedFolder

    /// The state of a participant.
    ///
    /// - Parameter keys: Keeps the key under which everything is encrypted.
    /// - Throws: ``/StudyFormats/StudyError/notEnrolled`` when the participant left in the meantime.
    public init(of enrolment: Enrolment, in participants: ParticipantStore, keys: any KeyStore) throws {
        let folder = try participants.folder(of: enrolment).appending(path: "state")
        files = SealedFolder(folder, identity: "state of \(enrolment.participant.uuidString)", keys: keys)
    }

    // MARK: Surveys

    /// The unfinished response to a task or questionnaire.
    public func response(to id: String) throws -> QuestionnaireResponse? {
        guard let data = try files.read(Self.name("response", id)) else { return nil }
        return try QuestionnaireResponse(parsing: data)
    }

    /// Stores an unfinished response; nil removes it, as when it was delivered.
    ///
    /// - Throws: `QueueError`, also for a response of more than 4 MB.
    public func setResponse(_ response: QuestionnaireResponse?, to id: String) throws {
        let name = Self.name("response", id)
        guard let response else { return try files.remove(name) }
        try files.write(Data(response.json()), to: name)
    }

    // MARK: The consent

    /// What was answered to this version of a consent document.
    public func consentAnswers(for document: ConsentDocument) throws -> ConsentAnswers? {
        guard let data = try files.read(Self.name("consent", document)) else { return nil }
        return try ConsentAnswers(parsing: data, for: document)
    }

    /// Stores what was answered to a consent document; nil removes it, as when it was signed.
    public func setConsentAnswers(_ answers: ConsentAnswers?, for document: ConsentDocument) throws {
        let name = Self.name("consent", document)
        guard let answers else { return try files.remove(name) }
        try files.write(Data(answers.json.utf8()), to: name)
    }

    // MARK: The schedule

    /// What of the schedule was done.
    public func completions() throws -> [TaskCompletion] {
        guard let data = try files.read("completions") else { return [] }
        return try JSONDecoder().decode([TaskCompletion].self, from: data)
    }

    /// Stores what of the schedule was done.
    public func setCompletions(_ completions: [TaskCompletion]) throws {
        try files.write(JSONEncoder().encode(completions), to: "completions")
    }

    private static func name(_ kind: String, _ document: ConsentDocument) -> String {
        name(kind, "\(document.id)\n\(document.version)")
    }

    /// Of a bounded length, whatever the id is.
    private static func name(_ kind: String, _ id: String) -> String {
        "\(kind) \(Hexadecimal.encode(SHA256.hash(data: Data(id.utf8))))"
    }
}
