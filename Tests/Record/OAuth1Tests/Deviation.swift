import OAuth1
import TestSupport

/// Why a recorded signature is not the one RFC 5849 gives, and what the server must have made of it.
///
/// Nothing here knows an exchange by name: the server's own rule decides.
struct Deviation: CustomStringConvertible {
    /// What the server makes of the signature.
    enum Outcome: Hashable {
        /// It lets the request in.
        case accepted
        /// It refuses with 403.
        case refused
        /// It fails with 500 while it looks at the signature.
        case failed
    }

    let reason: String
    let outcome: Outcome

    var description: String { reason }

    /// Classifies a signature that deviates by what the server's rule says of it.
    init(exchange: ServerExchange, errorClass: Result<OAuthCaller, OAuthRefusal>) {
        switch errorClass {
        case .failure(.unsupportedSignatureMethod(let method)):
            self.init("signed with \(method), which the server does not know", .failed)
        case .failure(.malformedTimestamp):
            self.init("the timestamp is no number", .failed)
        case .failure(.nonceTooLong):
            self.init("the nonce is longer than the server stores", .failed)
        case .failure(.noBaseString(.pathNotASCII)):
            self.init("the path is not ASCII", .failed)
        case .failure(let refusal):
            self.init("refused: \(refusal)", .refused)
        case .success(let caller) where exchange.signedWith?.token != nil && caller.token == nil:
            // The header names no token, so it is the app alone that calls: its signature is good, and then
            // the access rules keep it from what belongs to a person.
            let isOpen = Self.isOpenToAppAlone(exchange.path, appID: caller.consumerKey)
            self.init("signed without the token, for the app alone", isOpen ? .accepted : .refused)
        case .success:
            self.init(
                "signed as the server does: " + Self.differences(exchange).joined(separator: ", "),
                .accepted
            )
        }
    }

    /// In what the server's rule leaves RFC 5849 for this request.
    private static func differences(_ exchange: ServerExchange) -> [String] {
        let path = exchange.path.prefix { $0 != "?" }
        let type = exchange.requestHeader("Content-Type") ?? ""
        let differences = [
            ("over the decoded path", path.contains("%")),
            ("over the path up to a semicolon", path.contains(";")),
            ("without the query", exchange.method != "GET" && path.count < exchange.path.count),
            (
                "over the Host header verbatim",
                exchange.host != exchange.host.lowercased() || exchange.host.hasSuffix(":80")
            ),
            (
                "without the form, whose type has a parameter",
                type.hasPrefix(FormParameters.contentType + ";")
            ),
            ("with parameters apart at semicolons", exchange.path.dropFirst(path.count).contains(";")),
        ].filter(\.1).map(\.0)
        return differences.isEmpty ? ["in a way not known"] : differences
    }

    private init(_ reason: String, _ outcome: Outcome) {
        self.reason = reason
        self.outcome = outcome
    }

    /// Whether the recorded status is what follows. An unknown path (404) or method (405) is answered before
    /// the signature is looked at, so those statuses go with every outcome.
    func agrees(withStatus status: Int) -> Bool {
        switch outcome {
        case .accepted: status != 403
        case .refused: [403, 404, 405].contains(status)
        case .failed: [500, 404, 405].contains(status)
        }
    }

    /// An app may call without a token what is the server's or its own, but not what belongs to a person.
    private static func isOpenToAppAlone(_ path: String, appID: String) -> Bool {
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        guard let first = segments.first else { return true }
        guard ["records", "carenets", "accounts"].contains(first) else { return true }
        return segments.count > 3 && segments[0] == "records" && segments[2] == "apps" && segments[3] == appID
    }
}
