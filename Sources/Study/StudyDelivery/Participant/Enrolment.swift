import FHIR
import Foundation
import OrderedJSON
import StudyFormats

/// A person's participation in a study, under a random id that is not derived from the person.
public struct Enrolment: Sendable, Hashable {
    /// The study's id.
    public let study: String
    /// The participant's id, random for each study and each enrolment: nobody can link two of them.
    public let participant: UUID
    /// When it began.
    public let enrolledAt: FHIRInstant
    /// The version of the consent document that was signed last; `nil` before.
    public var consentVersion: String?

    /// The participant as resources refer to it.
    public var reference: Reference<Patient> { Reference("Patient/\(participant.uuidString)") }

    var json: JSONValue {
        var json: JSONValue = [
            "study": JSONValue(study), "participant": JSONValue(participant.uuidString),
            "enrolledAt": enrolledAt.tree,
        ]
        if let consentVersion { json["consentVersion"] = JSONValue(consentVersion) }
        return json
    }

    init(study: String, participant: UUID, enrolledAt: FHIRInstant) {
        self.study = study
        self.participant = participant
        self.enrolledAt = enrolledAt
    }

    init?(json: JSONValue) {
        guard let study = json["study"]?.string,
            let participant = json["participant"]?.string.flatMap(UUID.init(uuidString:)),
            let enrolledAt = json["enrolledAt"].flatMap(FHIRInstant.init(tree:))
        else { return nil }
        self.init(study: study, participant: participant, enrolledAt: enrolledAt)
        consentVersion = json["consentVersion"]?.string
    }
}
