import DurableQueue
import Indivo

extension CommandFailure {
    /// What the tool says of a call that failed, and ends with: the one place where that is decided. When it
    /// is verbose, that may name what is in documents.
    package init(_ error: IndivoError, isVerbose: Bool = false) {
        let next = Self.nextCommand(after: error).map { "\nnext: \($0)" } ?? ""
        let details = isVerbose ? "\n" + error.debugDetails : ""
        let status: ExitStatus =
            switch error.reason {
            case .badArgument, .login(.badCallback): .wrongUse
            case .notReachable, .timedOut, .responseLost: .notReached
            case .notFound, .login(.cancelled), .cancelled: .nothingFound
            default: .refused
            }
        self.init(Self.explanation(of: error) + next + details, status: status)
    }

    /// The same of whatever a command throws; `nil` for what only asks for help, is the
    /// parser's, or another part's.
    package init?(any error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as IndivoError:
            if case .login(.sessionNotKept(let why)) = error.reason {
                self.init(why.inToolsWords)
                return
            }
            self.init(error, isVerbose: CommandLine.arguments.contains { ["-v", "--verbose"].contains($0) })
        case let error as SessionStoreError: self.init("\(error)".inToolsWords)
        case let error as any LocatedError: self.init("a document cannot be read: \(error)", status: .refused)
        case let error as QueueError: self.init("\(error)")
        case is CancellationError: self.init("cancelled", status: .nothingFound)
        default: return nil
        }
    }

    private static func explanation(of error: IndivoError) -> String {
        switch error.reason {
        case .refused(let causes):
            let reasons = causes.enumerated().map { "\n  \($0.offset + 1). \($0.element.forTheTool)" }
                .joined()
            return "\(error.call) (\(error.request)): the server refuses (403). It gives no reason; "
                + "the likeliest first, it is one of:" + reasons
        case .notReachable, .timedOut, .responseLost:
            let doubt = " The server may have acted on it all the same: look before you repeat it."
            return "\(error)\(error.isSafeToRetry ? "" : doubt)".inToolsWords
        default: return "\(error)".inToolsWords
        }
    }

    /// The command that helps.
    private static func nextCommand(after error: IndivoError) -> String? {
        switch error.reason {
        case .badArgument, .responseTooLarge, .login(.badCallback), .cancelled: nil
        case .notReachable where error.call == "login":
            "check INDIVO_UI, the address of the pages; for a server to try things with, run “indivo sandbox”"
        case .notReachable, .timedOut, .responseLost:
            """
            check INDIVO_API with “indivo call GET /version”; for a server to try things with, \
            run “indivo sandbox”
            """
        case .refused, .login: "run “indivo login”"
        case .notFound: nextCommand(notFoundBy: error.call)
        case .conflict(.externalIDUsed):
            "“indivo documents meta --external-id ID” shows the document that has the id"
        case .conflict(.messageIDUsed): "send it under another --id"
        case .conflict(.deleted): "add its content as a new document"
        case .conflict(.alreadyReplaced):
            "“indivo documents versions ID” lists the versions; replace the newest"
        case .invalid, .invalidDocument:
            "“indivo document check FILE” tells what a server would refuse; --verbose tells more"
        case .serverFailed, .unexpectedStatus, .malformedResponse:
            "check INDIVO_API with “indivo call GET /version”; --verbose tells more"
        }
    }

    private static func nextCommand(notFoundBy call: String) -> String {
        if call.contains("app_") { return "“indivo app-documents list” lists the ids" }
        if call.contains("document") { return "“indivo documents list” lists the ids" }
        if call == "generic_list" { return "“indivo reports --help” lists the models" }
        if call == "record" { return "run “indivo login” for a record that it has" }
        if call == "read_demographics" { return "“indivo demographics set FILE” sets them" }
        return "“indivo calls” lists the calls, “indivo sessions” the records"
    }
}

extension IndivoError.RefusalCause {
    fileprivate var forTheTool: String {
        switch self {
        case .tokenGone: "the token has expired or was revoked (“indivo login” gets another)"
        case .wrongConsumer:
            "the consumer key or secret is wrong (INDIVO_CONSUMER_KEY, INDIVO_CONSUMER_SECRET)"
        case .notAuthorized:
            "the app was not authorised, or the code is another's (begin “indivo login” again)"
        case .changedOnTheWay: "\(self) (INDIVO_API)"
        default: "\(self)"
        }
    }
}

extension String {
    /// A message of the library that names the tool's ways where it named those of an app.
    package var inToolsWords: String {
        let words = [
            ("log in with selectRecord", "log in with indivo login"),
            ("log in again with selectRecord", "log in again with indivo login"),
            ("set them with setDemographics(_:)", "set them with indivo demographics set"),
            ("; debugDetails has more", "; --verbose has more"),
            ("name the host in the option plainHTTPHosts", "name the host with --allow-http"),
        ]
        return words.reduce(self) { $0.replacing($1.0, with: $1.1) }
    }
}
