import FHIR
import OrderedJSON

/// Where an answer comes from that nobody gave.
public enum AnswerOrigin: Sendable, Hashable, CustomStringConvertible {
    /// An expression on the patient's record: launch contexts and the results of queries.
    case expression
    /// An Observation, with its reference where the server gave an id.
    case observation(String?)

    public var description: String {
        switch self {
        case .expression: "filled in from the record"
        case .observation(let reference?): "filled in from \(reference)"
        case .observation(nil): "filled in from an Observation"
        }
    }

    /// The extension by which a response says that no person gave the answers of an item.
    var author: JSONValue {
        [
            "url": JSONValue(ExtensionURL.responseAuthor),
            "valueReference": ["type": "Device", "display": JSONValue(description)],
        ]
    }
}

extension SurveySession {
    /// Where the answers of a question come from; nil where a person gave or changed them, and where they are
    /// constants of the questionnaire.
    public func origin(of occurrence: ItemOccurrence) -> AnswerOrigin? {
        node(occurrence).flatMap { tree[$0].origin }
    }
}
