import FHIR

/// A survey that was filled from a patient's record, to be checked and completed by a person.
public struct PopulatedSurvey: Sendable {
    /// The session with what was filled in; ``/Surveys/SurveySession/origin(of:)`` says where each answer
    /// comes from.
    public var session: SurveySession
    /// What could not be had, such as a search that the server refused.
    public let problems: [PopulationProblem]
    /// How many requests were made.
    public let requests: Int
}

/// Something that a survey asks a record for, and that could not be had. Its fields stay empty.
public struct PopulationProblem: Sendable, Hashable, CustomStringConvertible {
    /// Why there is no result.
    public enum Reason: Sendable, Hashable {
        /// The server responded with this status.
        case status(Int)
        /// The server gave something that is no result of a search, nor the resource.
        case unexpectedContent
        /// There are more searches, or results that depend on results, than are asked for.
        case tooMany
        /// There are more results than are taken; the first ones are.
        case truncated(Int)
    }

    /// The type of the resources that were asked for, such as `Observation`.
    public let type: String
    /// Why there is no result.
    public let reason: Reason

    public var description: String {
        let explanation =
            switch reason {
            case .status(403), .status(401): "the server does not let this app read it; ask for the scope"
            case .status(404): "the server has none, or does not know the type"
            case .status(let status): "the server responded with \(status)"
            case .unexpectedContent: "the server gave something else"
            case .tooMany: "there are too many searches"
            case .truncated(let count): "only the first \(count) were taken"
            }
        return "\(type): \(explanation)"
    }
}
