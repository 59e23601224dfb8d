import FHIR
import FHIRClient

extension CommandFailure {
    /// What the tool says of an interaction that failed, with the server's own words.
    ///
    /// - Parameter hints: What may be wrong with the request, a line each.
    init(_ error: FHIRClientError, hints: [String] = []) {
        let issues = error.outcome?.issue.map { "\n  \($0.message)" }.joined() ?? ""
        let next = Self.nextCommand(after: error).map { "\nnext: \($0)" } ?? ""
        let hints = hints.map { "\nhint: \($0)" }.joined()
        self.init("\(error)".inToolsWords + issues + hints + next, status: ExitStatus(error))
    }

    private static func nextCommand(after error: FHIRClientError) -> String? {
        switch error.reason {
        case .notFound where error.outcome == nil, .notSupported where error.outcome == nil:
            // A FHIR server explains itself; what answers without an OperationOutcome is probably not one.
            "the FHIR API may be under another path of the server, such as /fhir; check the base URL with "
                + "“indivo fhir capabilities”"
        case .notReachable, .timedOut, .malformedResponse: "check the base URL with “indivo fhir capabilities”"
        case .unauthorized, .forbidden: "set FHIR_TOKEN to a token that the server takes"
        case .notSupported: "“indivo fhir capabilities” says what the server supports"
        case .invalid where error.interaction.hasPrefix("search"):
            "“indivo fhir capabilities” lists the search parameters of each type"
        case .invalid: "“indivo fhir check FILE” says what is wrong with a resource"
        case .conflict, .preconditionFailed: "“indivo fhir history TYPE/ID” lists the versions"
        default: nil
        }
    }
}

extension ExitStatus {
    /// What an error of an interaction means to the shell.
    fileprivate init(_ error: FHIRClientError) {
        self =
            switch error.reason {
            case .badArgument: .wrongUse
            case .notReachable, .timedOut, .responseLost: .notReached
            case .notFound, .deleted, .cancelled: .nothingFound
            default: .refused
            }
    }
}
