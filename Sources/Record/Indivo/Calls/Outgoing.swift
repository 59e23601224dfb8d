import Foundation
import HTTPTypes
import OAuth1

extension CallClient {
    /// A call's body, in the one content type that both the server and the signature take.
    enum Body {
        case text(String)
        case form(FormParameters)
        case data(Data, type: String)

        var contentType: String {
            switch self {
            case .text: "text/plain"
            case .form: FormParameters.contentType
            case .data(_, let type): type
            }
        }

        var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .form(let form): Data(form.encoded.utf8)
            case .data(let data, _): data
            }
        }
    }

    /// A call with everything that goes with it.
    struct Outgoing {
        var call: IndivoCall
        var credentials: OAuthCredentials?
        var path: [String: String] = [:]
        /// For `GET` only, since a server leaves it out of what it signs otherwise.
        var query: FormParameters = [:]
        var body: Body?
        var signing = OAuthSigner.Options()
        /// Whether the library made the external id, or this document went out under it before: the same
        /// content that is stored under it is this document then. Under an id that the app chose, it is if it
        /// was created since the request was sent.
        var hasOwnID = false
        /// Whether an earlier call may have sent the same, so that a refusal of a duplicate says that it
        /// arrived.
        var mayHaveBeenSentBefore = false
        /// What content is checked against, where the response cannot be seen to be whole.
        var expected: DocumentMetadata?
        /// What to sign with, where copies of one request have to be one to the server; fresh for each
        /// sending otherwise.
        var stamp: SigningStamp?

        /// Refuses a text with a character that XML cannot carry: a server takes it, and its lists, histories
        /// and inboxes are malformed from then on, for every app. Documents were parsed before, or are handed
        /// back as they are.
        func checkTexts() throws(IndivoError) {
            var texts = query.map { ("the query's “\($0.name)”", $0.value) }
            switch body {
            case .text(let text)?: texts.append(("the text", text))
            case .form(let form)?: texts += form.map { ("the field “\($0.name)”", $0.value) }
            case .data?, nil: break
            }
            for (what, text) in texts {
                if let problem = XMLText.problem(in: text) {
                    throw call.refused("\(what) cannot be sent: \(problem)")
                }
            }
        }

        /// The request at an address, not signed.
        func request(at address: ServerAddress) throws(IndivoError) -> HTTPRequest {
            try checkTexts()
            var target = address.path + (try CallPath.fill(call, path))
            // A server notes each path in a column after it has done what was asked, and says 500 where it
            // does not fit.
            let count = target.utf8.count
            try call.require(
                count <= 200,
                "the path has \(count) characters, and a server fails on more than 200; use shorter ids"
            )
            if !query.isEmpty { target += "?" + query.encoded }
            var request = HTTPRequest(
                method: call.method,
                scheme: address.scheme,
                authority: address.authority,
                path: target
            )
            request.headerFields[.contentType] = body?.contentType
            return request
        }

        /// A request with its signature.
        func sign(_ unsigned: HTTPRequest, _ stamp: SigningStamp) throws(IndivoError) -> HTTPRequest {
            guard let credentials else { return unsigned }
            let signed = OAuthRequest(
                method: unsigned.method.rawValue,
                scheme: unsigned.scheme ?? "",
                authority: unsigned.authority ?? "",
                target: unsigned.path ?? "",
                contentType: body?.contentType,
                body: body.map { Array($0.data) }
            )
            // A path that needs escapes is signed as the server verifies it, decoded; all else is the same to
            // both rules.
            let rule: SignatureRule = signed.path.utf8.contains(UInt8(ascii: "%")) ? .indivo : .rfc5849
            let signer = OAuthSigner(
                credentials: credentials,
                rule: rule,
                nonce: { stamp.nonce },
                clock: { stamp.timestamp }
            )
            var request = unsigned
            request.headerFields[.authorization] = try call.checked {
                try signer.authorization(for: signed, options: signing).headerValue
            }
            return request
        }
    }
}

/// The nonce and time of a signature, kept so that a request can be sent again as the very same: of several
/// copies a server acts on one at most, which makes calls safe to retry that have no id to find them by.
package struct SigningStamp: Sendable, Hashable, Codable {
    package let nonce: String
    /// Seconds since 1970-01-01T00:00:00Z.
    package let timestamp: Int
}
