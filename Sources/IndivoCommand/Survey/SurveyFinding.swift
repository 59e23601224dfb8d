import ArgumentParser
import OrderedJSON
import Surveys

/// What a command finds wrong with a questionnaire or a response.
protocol SurveyFinding: CustomStringConvertible {
    var isError: Bool { get }
    var json: JSONValue { get }
}

extension Sequence where Element: SurveyFinding {
    /// Prints the findings as the result, as lines or as JSON, and ends with 1 when there are errors.
    func say(asJSON: Bool, none: String? = nil) throws {
        let all = Array(self)
        if asJSON {
            try StandardStreams.say(JSONValue(all.map(\.json)).text(.pretty))
        } else {
            for finding in all { try StandardStreams.say(finding.description) }
            if all.isEmpty, let none { try StandardStreams.say(none) }
        }
        try all.end()
    }

    /// Tells the findings beside the result.
    func complain() { for finding in self { StandardStreams.complain(finding.description) } }

    /// Ends with 1 when there are errors.
    func end() throws { if contains(where: \.isError) { throw ExitCode(ExitStatus.nothingFound.rawValue) } }
}

extension SurveyDiagnostic: SurveyFinding {
    var isError: Bool { severity == .error }

    var json: JSONValue {
        [
            "linkId": linkId.map { JSONValue($0) } ?? .null, "severity": JSONValue(severity.rawValue), "code": JSONValue(code),
            "text": JSONValue(text),
        ]
    }
}

extension SurveyProblem: SurveyFinding {
    var isError: Bool { severity == .error }

    var json: JSONValue {
        [
            "linkId": linkId.map { JSONValue($0) } ?? .null, "occurrence": path.map { JSONValue($0) } ?? .null,
            "severity": JSONValue(severity.rawValue), "code": JSONValue(code), "text": JSONValue(text),
        ]
    }
}
