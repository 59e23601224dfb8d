#if canImport(CLibCurl)
import Foundation
import HTTPTypes

/// Sends requests with libcurl: connections are kept and shared, responses are bounded in size and time.
///
/// One background thread serves all requests of a transport; it ends when the transport is no longer
/// used. TLS certificates are verified against the system's authorities, or those of a file. Proxies are
/// not used, not even those that the environment names, so that no variable can send what is confidential
/// another way. HTTP/1.1 is spoken, no cookie is kept.
///
/// A connection that breaks gives an error, even where libcurl would send again on a new one: to the
/// server, a signature that arrives twice looks like an attack.
public final class CurlTransport: HTTPTransport {
    /// A transport with the usual limits, for the whole process.
    public static let shared = CurlTransport()

    private let limits: HTTPLimits
    private let authorityFile: String?
    private let loop: CurlLoop

    /// A transport with connections of its own.
    /// - Parameters:
    ///   - maximumConnectionsPerHost: How many requests may be under way to one server; further ones
    ///     wait.
    ///   - authorityFile: A file of certificates (PEM) to trust instead of the system's authorities, such
    ///     as that of a hospital's own authority.
    public init(
        limits: HTTPLimits = HTTPLimits(),
        maximumConnectionsPerHost: Int = 8,
        authorityFile: String? = nil
    ) {
        self.limits = limits
        self.authorityFile = authorityFile
        loop = CurlLoop(maximumConnectionsPerHost: maximumConnectionsPerHost)
    }

    deinit { loop.stop() }

    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        try await send(request, body.map { .data($0) })
    }

    public func send(_ request: HTTPRequest, upload: BodySource) async throws -> HTTPAnswer {
        try await send(request, .upload(upload))
    }

    private func send(_ request: HTTPRequest, _ body: CurlTransfer.Body?) async throws -> HTTPAnswer {
        let target = try HTTPTarget(request)
        try Task.checkCancellation()
        let transfer = CurlTransfer(
            request: request,
            target: target,
            body: body,
            limits: limits.ofThisCall,
            authorityFile: authorityFile
        )
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { loop.start(transfer, $0) }
        } onCancel: {
            loop.cancel(transfer)
        }
    }
}

extension HTTPTransport where Self == CurlTransport {
    /// The transport of this system, with the usual limits; one for the whole process, so connections are
    /// shared.
    public static var system: CurlTransport { .shared }

    /// A transport of this system with limits, and connections, of its own.
    public static func system(limits: HTTPLimits) -> CurlTransport { CurlTransport(limits: limits) }
}
#endif
