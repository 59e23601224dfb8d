import FHIR
import OrderedJSON
import WebServing

/// The responses that several routes give.
enum ReceiverResponse {
    static func json(_ status: Int, _ json: JSONValue) -> Response {
        Response(status: status, type: "application/json", text: json.text()).adding(
            "Cache-Control",
            "no-store"
        )
    }

    /// OAuth's error (RFC 6749, 5.2).
    static func error(_ status: Int, _ error: String, _ description: String) -> Response {
        json(status, ["error": JSONValue(error), "error_description": JSONValue(description)])
    }

    static func fhir(_ status: Int, _ code: String, _ text: String) -> Response {
        let outcome: JSONValue = [
            "resourceType": "OperationOutcome",
            "issue": [["severity": "error", "code": JSONValue(code), "details": ["text": JSONValue(text)]]],
        ]
        return Response(status: status, type: "application/fhir+json", text: outcome.text())
    }

    /// For later.
    static func busy(_ seconds: Int) -> Response {
        error(503, "temporarily_unavailable", "Try again later").adding("Retry-After", String(seconds))
    }

    static func tooMany(_ seconds: Int) -> Response {
        error(429, "slow_down", "Too many requests").adding("Retry-After", String(seconds))
    }

    static let notFound = error(404, "not_found", "There is nothing here")

    /// For metrics.
    static let notForOthers = error(403, "access_denied", "Metrics are for programs on this machine")

    static func notAllowed(_ methods: String) -> Response {
        error(405, "invalid_request", "The method is not allowed here").adding("Allow", methods)
    }
}
