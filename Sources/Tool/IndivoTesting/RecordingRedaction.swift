import Foundation
import HTTPTypes
import Indivo
import IndivoBase
import OAuth1
import OrderedJSON

/// Removes from exchanges whatever would let a reader act as somebody: signatures, tokens and their secrets,
/// verifiers, passwords, cookies.
///
/// A value that was found once is removed wherever it occurs. Patients' data stays: a recording of real
/// patients is as confidential as their records.
struct RecordingRedaction {
    /// What replaces secrets, by the secret.
    private var marks: [String: String] = [:]
    /// The secrets that have other characters than letters and digits, the longest first: one may be a part
    /// of another.
    private var composed: [String] = []

    /// - Parameter secrets: Values to take out wherever they occur.
    init(secrets: [Secret] = []) { for secret in secrets { _ = mark(for: secret.reveal()) } }

    static let prefix = "redacted"

    mutating func redact(_ exchange: RecordedExchange) -> RecordedExchange {
        var redacted = exchange
        redacted.requestHeaders = exchange.requestHeaders.map { redact($0) }
        redacted.requestBody = exchange.requestBody.map { redact($0) }
        redacted.path = redact(exchange.path)
        switch exchange.outcome {
        case .answer(var answer):
            answer.body = redact(answer.body)
            let status = answer.response.status
            answer.response.status = HTTPResponse.Status(
                code: status.code,
                reasonPhrase: redact(status.reasonPhrase)
            )
            answer.response.headerFields = HTTPFields(answer.response.headerFields.map { redact($0) })
            redacted.outcome = .answer(answer)
        case .failure(let error):
            redacted.outcome = .failure(
                HTTPTransportError(
                    kind: error.kind,
                    server: error.server,
                    mayHaveReachedServer: error.mayHaveReachedServer,
                    detail: error.detail.map { redact($0) }
                )
            )
        }
        // A secret that only the response reveals may be in the request, too.
        redacted.path = replaceKnown(redacted.path)
        redacted.requestBody = redacted.requestBody.map { redact($0) }
        return redacted
    }

    /// Text for comparing two requests: every value of a secret's name is replaced by the same mark.
    static func masked(_ text: String) -> String {
        var redaction = RecordingRedaction()
        return redaction.redact(text).replacing(#/redacted-\d+/#, with: prefix)
    }

    /// The names of parameters, fields and elements whose values are secret.
    private static let names: Set = [
        "oauth_signature", "oauth_token", "oauth_token_secret", "oauth_verifier", "smart_oauth_token",
        "smart_oauth_token_secret", "password", "csrf", "csrfmiddlewaretoken", "sessionid", "location_token",
        "surl_sig", "surl_token", "connecttoken", "connectsecret", "resttoken", "restsecret",
        // OAuth 2, which FHIR servers use.
        "access_token", "refresh_token", "id_token", "client_secret", "client_assertion", "code_verifier",
    ]

    private mutating func redact(_ text: String) -> String {
        replaceKnown(redactMembers(redactTags(redactParameters(text))))
    }

    /// `name=value` as in a form or a query, `name="value"` as in a header, and both percent-encoded, as in a
    /// URL within a URL. A part of a longer name is not a name.
    private mutating func redactParameters(_ text: String) -> String {
        guard Self.names.contains(where: text.contains) else { return text }
        let pattern =
            #/
            (?<before> ^ | [^A-Za-z0-9_] | %[0-9A-Fa-f]{2} )
            (?<name> [a-z_]+ )
            (?<equals> (?: = | %3D ) (?: &quot; | " | %22 )? )
            (?<value> [^&"\s,<>]+? )
            (?<after> %22 | %26 | [&"\s,<>] | $ )
            /#
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: pattern) {
            result += rest[..<match.equals.endIndex]
            rest = rest[match.equals.endIndex...]
            if Self.names.contains(String(match.name)) {
                result += mark(for: String(match.value))
                // The end of one parameter may be the beginning of the next.
                rest = rest[match.value.endIndex...]
            }
        }
        return result + rest
    }

    /// `<input name="oauth_token" value="…">` in a page, `<RESTSecret>…</RESTSecret>` in XML, and the
    /// verifier that a sandbox shows where an app has no callback.
    private mutating func redactTags(_ text: String) -> String {
        guard text.contains("<") else { return text }
        let inputs = text.matches(of: #/<input\b[^>]*\bname="(?<name>[^"]*)"[^>]*\bvalue="(?<value>[^"]+)"/#)
        let elements = text.matches(of: #/<(?<name>[A-Za-z]+)>(?<value>[^<>\s]+)</[A-Za-z]+>/#)
        let secrets = (inputs.map { ($0.name, $0.value) } + elements.map { ($0.name, $0.value) })
            .filter { Self.names.contains($0.0.lowercased()) }.map(\.1)
        let verifiers = text.matches(of: #/<code class="verifier">(?<value>[^<>\s]+)</code>/#).map(\.value)
        return (secrets + verifiers).reduce(text) { result, value in
            result.replacing(value, with: mark(for: String(value)))
        }
    }

    /// `"oauth_token": "…"` in JSON.
    private mutating func redactMembers(_ text: String) -> String {
        guard text.contains("\""), Self.names.contains(where: text.lowercased().contains) else { return text }
        let pattern = #/"(?<name>[A-Za-z_]+)"\s*:\s*(?<value>"(?:[^"\\]|\\.)+")/#
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: pattern) {
            result += rest[..<match.value.startIndex]
            rest = rest[match.value.endIndex...]
            let value = try? JSONValue(parsing: String(match.value)).string
            if Self.names.contains(match.name.lowercased()), let value {
                result += "\"\(mark(for: value))\""
            } else {
                result += match.value
            }
        }
        return result + rest
    }

    /// The mark for a secret, remembered. A mark is left as it is.
    private mutating func mark(for secret: String) -> String {
        if secret.hasPrefix(Self.prefix) { return secret }
        let plain = (try? PercentEncoding.decode(secret)) ?? secret
        if let known = marks[plain] { return known }
        let mark = "\(Self.prefix)-\(marks.count + 1)"
        marks[plain] = mark
        if plain.utf8.count >= Self.shortest, !plain.utf8.allSatisfy(\.isASCIILetterOrDigit) {
            composed = (composed + [plain]).sorted { ($0.count, $0) > ($1.count, $1) }
        }
        return mark
    }

    /// Short values could be a part of anything: they are removed only where their names are.
    private func replaceKnown(_ text: String) -> String {
        guard !marks.isEmpty else { return text }
        var text = replaceWords(text)
        // `strstr`, many times faster than comparing characters, stops at a NUL.
        let hasNUL = text.utf8.contains(0)
        for secret in composed {
            for form in Set([secret, PercentEncoding.encode(secret)])
            where hasNUL || strstr(text, form) != nil {
                // Literal: a combining accent after a secret would change its last character.
                text = text.replacingOccurrences(
                    of: form,
                    with: marks[secret] ?? Self.prefix,
                    options: .literal
                )
            }
        }
        return text
    }

    /// Secrets of letters and digits only, as an Indivo server makes them, are searched for word by word: a
    /// recording can contain hundreds.
    private func replaceWords(_ text: String) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let word = rest.prefix(while: \.isASCIILetterOrDigit)
            let mark = word.count < Self.shortest ? nil : marks[String(decoding: word, as: UTF8.self)]
            // The digits of an escape do not belong to the word after it.
            let behind = rest[word.endIndex...]
            let gap = behind.prefix(behind.first == UInt8(ascii: "%") ? 3 : 1)
            result += (mark.map { Array($0.utf8)[...] } ?? word) + gap
            rest = rest[gap.endIndex...]
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let shortest = 6

    private mutating func redact(_ body: Data) -> Data {
        String(validating: body, as: UTF8.self).map { Data(redact($0).utf8) } ?? body
    }

    private mutating func redact(_ field: HTTPField) -> HTTPField {
        var field = field
        switch field.name.canonicalName {
        case "cookie", "set-cookie":
            let parts = field.value.split(separator: ";")
            // What follows the first part of Set-Cookie are the cookie's attributes.
            for cookie in field.name == .cookie ? parts : Array(parts.prefix(1)) {
                let pair = cookie.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { _ = mark(for: String(pair[1])) }
            }
            field.value = Self.prefix
        case "authorization" where !field.value.lowercased().hasPrefix("oauth "): field.value = Self.prefix
        default: field.value = redact(field.value)
        }
        return field
    }
}
