import FHIR
import Foundation
import OrderedJSON
import StudyFormats

/// A participant's withdrawal from a study. It is all that is kept of the participant, until the server has
/// the report.
public struct Withdrawal: Sendable, Hashable {
    /// The state of a withdrawal. From the first state on there is no enrolment any more.
    public enum State: Sendable, Hashable {
        /// The data on this device is being erased.
        case erasing
        /// The data on this device is erased; the server does not have the report yet.
        case reporting
        /// The server refused the report for good. Kept until ``ParticipantStore/acknowledge(_:)``.
        case refused(reason: String)
    }

    /// The study's id.
    public let study: String
    /// The participant who left.
    public let participant: UUID
    /// When it was decided.
    public let date: FHIRInstant
    /// What becomes of the data that the study has; `nil` leaves that to the study, which erases them as a
    /// rule.
    public let data: WithdrawnData?
    /// When the participation that it ends began; `nil` in what earlier versions stored.
    let enrolledAt: FHIRInstant?
    public internal(set) var state: State

    /// The name under which it is stored: the participant's own, so that it replaces nobody else's.
    var name: String { "withdrawal \(participant.uuidString)" }

    var json: JSONValue {
        var json: JSONValue = [
            "study": JSONValue(study), "participant": JSONValue(participant.uuidString), "date": date.tree,
        ]
        if let data { json["data"] = JSONValue(data.rawValue) }
        if let enrolledAt { json["enrolledAt"] = enrolledAt.tree }
        switch state {
        case .erasing: json["state"] = "erasing"
        case .reporting: json["state"] = "reporting"
        case .refused(let reason):
            json["state"] = "refused"
            json["reason"] = JSONValue(reason)
        }
        return json
    }

    init(
        study: String,
        participant: UUID,
        date: FHIRInstant,
        data: WithdrawnData? = nil,
        enrolledAt: FHIRInstant? = nil
    ) {
        self.study = study
        self.participant = participant
        self.date = date
        self.data = data
        self.enrolledAt = enrolledAt
        state = .erasing
    }

    init?(json: JSONValue) {
        guard let study = json["study"]?.string,
            let participant = json["participant"]?.string.flatMap(UUID.init(uuidString:)),
            let date = json["date"].flatMap(FHIRInstant.init(tree:))
        else { return nil }
        let data = json["data"]?.string.flatMap(WithdrawnData.init(rawValue:))
        let enrolledAt = json["enrolledAt"].flatMap(FHIRInstant.init(tree:))
        self.init(study: study, participant: participant, date: date, data: data, enrolledAt: enrolledAt)
        switch json["state"]?.string {
        case "erasing": state = .erasing
        case "reporting": state = .reporting
        case "refused": state = .refused(reason: json["reason"]?.string ?? "")
        default: return nil
        }
    }

    /// The result of a withdrawal's report, and of the withdrawal in one run.
    public enum Result: Sendable, Hashable {
        /// The server knows, and nothing is left here.
        case finished
        /// The server refused the report for good; the local data is erased all the same.
        case refused(reason: String)
        /// It could not be finished for this reason, and continues in the next run.
        case pending(reason: String)
    }
}
