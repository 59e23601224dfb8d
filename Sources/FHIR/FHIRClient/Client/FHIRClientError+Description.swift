import FHIR
import HTTPCalls
import IndivoBase

extension FHIRClientError: CustomStringConvertible {
    public var description: String {
        var text = "\(interaction) (\(request)): \(explanation)"
        if let issues { text += " [\(issues)]" }
        if attempts > 1 { text += ", after \(attempts) attempts" }
        text += RetryAdvice.text(
            mayHaveBeenDone: mayHaveBeenDone,
            isSafeToRetry: isSafeToRetry,
            changes: changes
        )
        return text.shown()
    }

    private var explanation: String {
        switch reason {
        case .badArgument(let what): what
        case .notReachable: transportError?.message ?? "the server cannot be reached"
        case .timedOut: "the server did not respond in time"
        case .responseLost: "the connection broke before the response was complete"
        case .responseTooLarge:
            "the response is too long; ask for less, or raise HTTPLimits.maximumResponseBytes"
        case .unauthorized: "the server wants other credentials (401); get a new token, or log in again"
        case .forbidden: "the credentials do not permit it (403); ask for the scope that does"
        case .notFound: "there is no such resource, or the server does not know the type (404)"
        case .deleted: "the resource was deleted (410)"
        case .conflict: "it conflicts with what is stored (409); read the newest version first"
        case .preconditionFailed:
            """
            the version is not the newest, or several resources match (412); read the newest version, \
            or narrow the condition
            """
        case .invalid: "the server refuses what was sent (\(status ?? 400)); see the outcome"
        case .notSupported: "the server does not support it (\(status ?? 501)); see its capabilities"
        case .busy:
            "the server is busy (\(status ?? 503)); try again "
                + (retryAfter.map { "in \($0.components.seconds) s" } ?? "later")
        case .serverFailed(let status): "the server failed (\(status))"
        case .unexpectedStatus(let status) where (300..<400).contains(status):
            "the server redirects (\(status)), which is not followed; check the base URL"
        case .unexpectedStatus(let status): "unexpected status \(status)"
        case .malformedResponse(let what):
            "the response is not what it should be: \(what); check that the base URL is a FHIR server's"
        case .foreignLink:
            "the next page is on another server; it was not asked for, so that no token goes there"
        case .endlessPages: "the next pages have no end"
        case .authorization(let what): "no token: \(what)"
        case .cancelled: "cancelled"
        }
    }

    /// Severity, code and FHIRPath of the issues: the parts of an outcome that cannot be about a patient.
    private var issues: String? {
        guard let issues = outcome?.issue, !issues.isEmpty else { return nil }
        let shown = issues.prefix(5).map(\.summary)
        return shown.joined(separator: "; ") + (issues.count > shown.count ? "; …" : "")
    }
}

extension OperationOutcome.Issue {
    /// Severity, code and FHIRPath, without the server's words: an element of a path has letters and indices
    /// only.
    fileprivate var summary: String {
        func known(_ code: (some FHIRCode)?) -> String? {
            code.flatMap {
                $0.code.utf8.count <= 30 && $0.code.utf8.allSatisfy(Self.isNameByte) ? $0.code : nil
            }
        }
        let path = expression.first.flatMap { path in
            path.utf8.count <= 200 && path.utf8.allSatisfy { Self.isNameByte($0) || ".[]".utf8.contains($0) }
                ? path : nil
        }
        return [known(severity), known(code), path.map { "at \($0)" }].compactMap(\.self).joined(
            separator: " "
        )
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-")
    }

    /// The text for people: that of the details, the diagnostics, or the code. These are the server's words,
    /// which may be about a patient.
    public var message: String {
        let words =
            details?.text ?? diagnostics ?? details?.coding.first?.display ?? code?.code ?? "no reason given"
        let position = expression.isEmpty ? "" : " (\(expression.joined(separator: ", ")))"
        return "\(severity?.code ?? "error"): \(words)\(position)".shown()
    }
}
