import Foundation
import HTTPTypes
import Indivo

/// Takes out of an exchange what would let a reader act as somebody: signatures, token secrets, verifiers, passwords,
/// cookies.
///
/// Patients' data stays: a recording of real patients is as confidential as their records.
enum Redaction {
    /// What stands in the place of a secret.
    static let mark = "redacted"

    static func redact(_ exchange: RecordedExchange) -> RecordedExchange {
        var redacted = exchange
        redacted.path = redact(exchange.path)
        redacted.requestHeaders = exchange.requestHeaders.map(redact)
        redacted.requestBody = exchange.requestBody.map(redact)
        if case .answer(var answer) = exchange.outcome {
            answer.response.headerFields = HTTPFields(answer.response.headerFields.map(redact))
            answer.body = redact(answer.body)
            redacted.outcome = .answer(answer)
        }
        return redacted
    }

    private static let names = [
        "oauth_signature", "oauth_token_secret", "smart_oauth_token_secret", "oauth_verifier", "password",
    ]

    /// `name=value` as in a form or a query, `name="value"` as in a header, and both percent-encoded, as in a URL
    /// within a URL. A name is one only if no part of a longer one.
    private static func redact(_ text: String) -> String {
        guard names.contains(where: text.contains) else { return text }
        let pattern = #/
            (?<before> ^ | [^A-Za-z0-9_] | %[0-9A-Fa-f]{2} )
            (?<name> [a-z_]+ )
            (?<equals> (?: = | %3D ) (?: " | %22 )? )
            (?<value> [^&"\s,<>]+? )
            (?<after> %22 | %26 | [&"\s,<>] | $ )
            /#
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: pattern) {
            if names.contains(String(match.name)) {
                result += rest[..<match.value.startIndex] + mark
                // What ends one parameter may begin the next.
                rest = rest[match.value.endIndex...]
            } else {
                result += rest[..<match.equals.endIndex]
                rest = rest[match.equals.endIndex...]
            }
        }
        return result + rest
    }

    private static func redact(_ body: Data) -> Data {
        guard let text = String(validating: body, as: UTF8.self) else { return body }
        return Data(redact(text).utf8)
    }

    private static func redact(_ field: HTTPField) -> HTTPField {
        var field = field
        field.value =
            switch field.name.canonicalName {
            case "cookie", "set-cookie": mark
            case "authorization" where !field.value.lowercased().hasPrefix("oauth "): mark
            default: redact(field.value)
            }
        return field
    }
}
