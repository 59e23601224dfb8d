import FHIR
import OrderedJSON

/// Why an interaction was not done: a status and an OperationOutcome.
///
/// Its text names types, parameters, limits and positions; it quotes no value that a client sent.
struct FHIRFailure: Error, Sendable {
    typealias Issue = (severity: String, code: String, text: String, expression: String?)

    var status: Int
    /// A code of the value set `issue-type`.
    var code: String
    var text: String
    /// Where, in FHIRPath.
    var expression: String?
    var headers: [(name: String, value: String)] = []
    /// What else is wrong.
    var others: [Issue] = []

    init(_ status: Int, _ code: String, _ text: String, at expression: String? = nil) {
        self.status = status
        self.code = code
        self.text = text
        self.expression = expression
    }

    var outcome: JSONValue { Self.outcome([("error", code, text, expression)] + others) }

    /// An OperationOutcome with these issues.
    static func outcome(_ issues: [Issue]) -> JSONValue {
        [
            "resourceType": "OperationOutcome",
            "issue": JSONValue(
                issues.map { issue -> JSONValue in
                    var json: JSONValue = [
                        "severity": JSONValue(issue.severity), "code": JSONValue(issue.code),
                        "diagnostics": JSONValue(issue.text),
                    ]
                    if let expression = issue.expression { json["expression"] = [JSONValue(expression)] }
                    return json
                }
            ),
        ]
    }

    static func invalid(_ text: String, at expression: String? = nil) -> FHIRFailure {
        FHIRFailure(400, "invalid", text, at: expression)
    }
    static func unknownType() -> FHIRFailure {
        FHIRFailure(404, "not-supported", "R4 has no resource of this type")
    }
    static func notFound(_ type: String) -> FHIRFailure {
        FHIRFailure(404, "not-found", "there is no such \(type)")
    }
    static func gone(_ type: String) -> FHIRFailure {
        FHIRFailure(410, "deleted", "this \(type) was deleted")
    }
    static func tooCostly(_ text: String, status: Int = 400) -> FHIRFailure {
        FHIRFailure(status, "too-costly", text)
    }
    static func severalMatches(_ count: Int) -> FHIRFailure {
        FHIRFailure(412, "multiple-matches", "the condition matches \(count) resources, and one is needed")
    }
    static func methodNotAllowed(_ allowed: String) -> FHIRFailure {
        var failure = FHIRFailure(405, "not-supported", "this address takes \(allowed)")
        failure.headers = [("Allow", allowed)]
        return failure
    }
}
