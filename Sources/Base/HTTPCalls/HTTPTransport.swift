import Foundation
import HTTPTypes
import IndivoBase

/// Sends HTTP requests: all that a client needs from the network.
///
/// There are ``CurlTransport`` for Linux and `URLSessionTransport` for Apple's systems, as ``system``; an app
/// may bring its own, around async-http-client say, and tests a recording:
///
/// ```swift
/// struct PrintingTransport: HTTPTransport {
///     let inner: any HTTPTransport
///
///     func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
///         let answer = try await inner.send(request, body: body)
///         print(request.method, answer.response.status)
///         return answer
///     }
/// }
/// ```
///
/// A signature is valid only for the request that was signed. So a transport
/// - sends `request.path`, its `authority` as the `Host` header, and its fields byte for byte, with the
///   `Content-Length` of the body and no other field that changes what the request means;
/// - sends a request at most once: a retry needs a new signature, and the transport cannot know whether it is
///   safe;
/// - follows no redirect, which would carry the signature to another server, and unpacks no compressed body
///   unasked;
/// - takes every complete response for a success, whatever its status.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole response.
    /// - Parameters:
    ///   - request: Method, scheme, authority, path with query, and fields. The scheme is `http` or `https`.
    ///   - body: The body, or nil without one.
    /// - Throws: ``HTTPTransportError`` when there is no complete response; `CancellationError` when the task
    ///   was cancelled, and then the server may have acted on the request or not.
    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer

    /// Sends a request with a body that is read while it is sent, and waits for the whole response.
    ///
    /// The transports of this module keep about a mebibyte of it in memory. They wait as long as bytes go
    /// out, and longer than ``HTTPLimits/deadline`` in proportion to the body. A transport that does not
    /// implement this sends the body from memory.
    /// - Throws: What ``send(_:body:)`` does, and what the source throws.
    func send(_ request: HTTPRequest, upload: BodySource) async throws -> HTTPAnswer
}

extension HTTPTransport {
    /// Sends a request without a body, and waits for the whole response.
    /// - Throws: What ``send(_:body:)`` does.
    public func send(_ request: HTTPRequest) async throws -> HTTPAnswer { try await send(request, body: nil) }

    public func send(_ request: HTTPRequest, upload: BodySource) async throws -> HTTPAnswer {
        try await send(request, body: upload.data())
    }
}

/// A server's response: head and body.
public struct HTTPAnswer: Sendable, Hashable {
    /// Status and fields.
    public var response: HTTPResponse
    /// The body as it arrived, without transfer coding; empty if there is none.
    public var body: Data

    /// A response, from a transport of one's own.
    public init(response: HTTPResponse, body: Data = Data()) {
        self.response = response
        self.body = body
    }

    package var status: Int { response.status.code }
}

/// How long a transport waits, and how much it takes.
public struct HTTPLimits: Sendable, Hashable {
    /// How long to wait until the name is resolved and the connection, TLS included, is made.
    public var connectTimeout: Duration
    /// How long a request may take in all, from the call to the last byte of the response.
    public var deadline: Duration
    /// How many bytes the body of a response may have. A longer body is not read to its end.
    public var maximumResponseBytes: Int

    /// For how long a connection that nobody uses is kept for the next request. The longer it lay idle, the
    /// likelier the server closes it at the moment it is used again. URLSession decides this by itself.
    public var idleConnectionAge: Duration

    /// 15 seconds to connect, 60 in all, 64 MiB, connections kept for 30 seconds, unless said otherwise.
    public init(
        connectTimeout: Duration = .seconds(15),
        deadline: Duration = .seconds(60),
        maximumResponseBytes: Int = 64 << 20,
        idleConnectionAge: Duration = .seconds(30)
    ) {
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maximumResponseBytes = maximumResponseBytes
        self.idleConnectionAge = idleConnectionAge
    }

    /// How long the call that a request belongs to may still take, retries included: a transport waits no
    /// longer than this, even where its own deadline is later. `nil` outside a call.
    @TaskLocal public static var remaining: Duration?

    /// How long an upload of so many bytes may take in all: 8 KiB a second is the slowest connection that is
    /// waited for.
    func deadline(ofUpload bytes: Int) -> Duration { deadline + .milliseconds(bytes / 8) }

    /// The limits of a request that begins now.
    var ofThisCall: HTTPLimits {
        var limits = self
        if let remaining = Self.remaining {
            limits.deadline = min(deadline, max(.milliseconds(1), remaining))
        }
        return limits
    }
}

extension Duration {
    /// In whole milliseconds: at least one, since libraries take zero for no limit, and at most 24 days,
    /// their maximum.
    package var milliseconds: Int {
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), .milliseconds(Int32.max)).components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
