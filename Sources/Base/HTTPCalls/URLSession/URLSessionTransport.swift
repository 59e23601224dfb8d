#if !canImport(CLibCurl)
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HTTPTypes

/// Sends requests with URLSession, on Apple's systems.
///
/// It keeps no cookies, credentials or cached responses, and follows no redirect. The system's proxy
/// settings and trusted authorities hold. ``HTTPLimits/connectTimeout`` has no counterpart in URLSession:
/// only the deadline counts. `HTTPTransportError.mayHaveReachedServer` is true whenever URLSession does
/// not say that there was no connection.
///
/// What it cannot do against a server that means harm, as ``CurlTransport`` does on Linux:
/// - URLSession unpacks a body that says it is compressed, although nothing of the kind was asked for,
///   before it hands it over. Its pieces are counted after that: a response is cut off at
///   ``HTTPLimits/maximumResponseBytes``, but by then URLSession may have unpacked some tens of megabytes
///   more.
/// - It reads on while its delegate is notified of what came, so that an endless body may overshoot the
///   limit in memory by as much, until the cancellation takes hold.
/// - The head of a response is URLSession's own affair: how much of it is taken is the system's choice.
/// - A signed request may be sent again by the system itself on a fresh connection, when a kept one
///   broke; the server refuses the second copy, since its nonce is used.
public final class URLSessionTransport: HTTPTransport {
    /// A transport with the usual limits, for the whole process.
    public static let shared = URLSessionTransport()

    private let limits: HTTPLimits
    private let session: URLSession
    private let receiver: URLSessionReceiver

    /// A transport with connections of its own.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        receiver = URLSessionReceiver()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = TimeInterval(limits.deadline.milliseconds) / 1000
        configuration.timeoutIntervalForResource = configuration.timeoutIntervalForRequest
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let target = try HTTPTarget(request)
        let task = try session.dataTask(with: Self.urlRequest(request, to: target, body: body))
        return try await wait(for: task, target, limits.ofThisCall)
    }

    /// URLSession reads an upload from a file: the body is written to a private one first, and removed in
    /// the end. So what is sent is on the disk meanwhile; encrypt what must not be there.
    public func send(_ request: HTTPRequest, upload: BodySource) async throws -> HTTPAnswer {
        let target = try HTTPTarget(request)
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.filePath
        guard
            FileManager.default.createFile(
                atPath: path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        else {
            throw HTTPTransportError(
                kind: .other,
                server: target.authority,
                mayHaveReachedServer: false,
                detail: "no room for a temporary file"
            )
        }
        let handle = try FileHandle(forWritingTo: file)
        try upload.forEachPiece { try handle.write(contentsOf: $0) }
        try handle.close()
        var limits = limits.ofThisCall
        limits.deadline = limits.deadline(ofUpload: upload.size)
        var urlRequest = try Self.urlRequest(request, to: target, body: nil)
        urlRequest.timeoutInterval = TimeInterval(limits.deadline.milliseconds) / 1000
        return try await wait(for: session.uploadTask(with: urlRequest, fromFile: file), target, limits)
    }

    private func wait(for task: URLSessionTask, _ target: HTTPTarget, _ limits: HTTPLimits) async throws
        -> HTTPAnswer
    {
        try Task.checkCancellation()
        receiver.expect(task, server: target.authority, limits: limits)
        // URLSession does not hold a slow answer to the deadline everywhere, so a task of ours does.
        let deadline = Task { [receiver] in
            try await Task.sleep(for: .milliseconds(limits.deadline.milliseconds))
            receiver.end(task, as: .timedOut)
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { receiver.start(task, $0) }
        } onCancel: {
            receiver.end(task, as: .cancelled)
        }
    }

    private static func urlRequest(
        _ request: HTTPRequest,
        to target: HTTPTarget,
        body: Data?
    ) throws(HTTPTransportError) -> URLRequest {
        func invalid(_ reason: String) -> HTTPTransportError { .invalid(target.authority, reason) }
        let segments = target.path.prefix { $0 != "?" }.split(separator: "/")
        guard !segments.contains("."), !segments.contains("..") else {
            throw invalid("its path has a segment “.” or “..”, which URLSession takes out")
        }
        let text = target.origin + target.path
        guard let url = URL(string: text), url.absoluteString == text else {
            throw invalid(
                "its path holds a character that URLSession escapes by itself; percent-encode it"
            )
        }
        guard body == nil || request.headerFields[.contentType] != nil else {
            throw invalid("its body has no Content-Type, and URLSession would invent one")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = body
        urlRequest.httpShouldHandleCookies = false
        // URLSession unpacks what it asked for; a server that is asked for nothing packs nothing.
        urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in request.headerFields where field.name != .contentLength {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        return urlRequest
    }
}

extension HTTPTransport where Self == URLSessionTransport {
    /// The transport of this system, with the usual limits; one for the whole process, so connections are
    /// shared.
    public static var system: URLSessionTransport { .shared }

    /// A transport of this system with limits, and connections, of its own.
    public static func system(limits: HTTPLimits) -> URLSessionTransport {
        URLSessionTransport(limits: limits)
    }
}
#endif
