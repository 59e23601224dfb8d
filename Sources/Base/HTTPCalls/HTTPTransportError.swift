import IndivoBase

/// Why there is no complete response to a request.
///
/// The text names the server and the next step; it holds neither path nor content.
///
/// ```swift
/// do {
///     answer = try await transport.send(request, body: nil)
/// } catch let error as HTTPTransportError where !error.mayHaveReachedServer {
///     // Nothing was done: it is safe to sign and send again.
/// }
/// ```
public struct HTTPTransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Kind: String, Sendable, Hashable {
        // The raw values stand in recordings.

        /// The request cannot be sent as it is; the text says why.
        case invalidRequest
        /// The server's name has no address.
        case hostNotFound
        /// No connection could be made.
        case cannotConnect
        /// The certificate or the protocol of the secure connection is not acceptable.
        case tls
        /// No complete response within ``HTTPLimits``.
        case timedOut
        /// The connection broke after the request, or a part of it, went out.
        case responseLost = "answerLost"
        /// The response is longer than ``HTTPLimits/maximumResponseBytes``.
        case responseTooLarge = "answerTooLarge"
        /// What came back is not HTTP.
        case malformedResponse = "malformedAnswer"
        /// Something else; the text is the HTTP library's.
        case other
    }

    /// What went wrong.
    public let kind: Kind
    /// Host and port as in the request.
    public let server: String
    /// Whether the server may have received the request, and so may have acted on it. False means that it
    /// certainly has not, and that a retry does no harm.
    public let mayHaveReachedServer: Bool
    /// The message of the HTTP library, if it adds something.
    public let detail: String?

    /// An error, from a transport of one's own.
    public init(kind: Kind, server: String, mayHaveReachedServer: Bool, detail: String? = nil) {
        self.kind = kind
        self.server = server
        self.mayHaveReachedServer = mayHaveReachedServer
        self.detail = detail
    }

    /// A request that cannot be sent as it is.
    static func invalid(_ server: String, _ reason: String) -> HTTPTransportError {
        HTTPTransportError(kind: .invalidRequest, server: server, mayHaveReachedServer: false, detail: reason)
    }

    public var description: String {
        let isAboutReaching = [.hostNotFound, .cannotConnect, .tls, .timedOut].contains(kind)
        let look = kind == .responseLost || mayHaveReachedServer && isAboutReaching
        return message + (look ? "; the server may have acted on the request: look before you repeat it" : "")
    }

    /// The description without advice on the request, for a client that knows whether the request changes
    /// anything.
    // The library may quote the server: the names in a certificate, say.
    package var message: String { text.shown() }

    private var text: String {
        let said = detail.map { " (\($0))" } ?? ""
        return switch kind {
        case .invalidRequest: "the request to \(server) cannot be sent: \(detail ?? "it is not valid")"
        case .hostNotFound:
            """
            the host of \(server) was not found\(said); check the server's URL, \
            and that this machine is online
            """
        case .cannotConnect:
            "no connection to \(server)\(said); check that the server runs and that the port is right"
        case .tls:
            """
            no secure connection to \(server)\(said); check the server's certificate, \
            or whether it speaks plain HTTP
            """
        case .timedOut where mayHaveReachedServer: "\(server) did not answer in time\(said)"
        case .timedOut: "\(server) could not be reached in time\(said); nothing was sent, try again"
        case .responseLost: "the connection to \(server) broke before the answer was complete\(said)"
        case .responseTooLarge:
            "the answer of \(server) is longer than this transport takes\(said); "
                + "ask for less, or raise HTTPLimits.maximumResponseBytes"
        case .malformedResponse:
            "\(server) did not answer with HTTP\(said); check that host and port are the server's"
        case .other: "the request to \(server) failed\(said)"
        }
    }
}
