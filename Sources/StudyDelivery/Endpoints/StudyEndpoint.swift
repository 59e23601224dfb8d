import Foundation
import HTTPTransport
import HTTPTypes

/// The server of a study, as a queue delivers to it. There are ``ResearchKitEndpoint`` and ``C3ProEndpoint``.
public protocol StudyEndpoint: Sendable {
    /// Why a submission is nothing for this endpoint; `nil` for one that it takes.
    func objection(to submission: StudySubmission) -> String?

    /// Sends a submission once.
    ///
    /// - Parameter body: What is sent, encrypted already where it is to be.
    /// - Returns: What the server made of it.
    /// - Throws: `HTTPTransportError` when there is no answer, `CancellationError`, and what `body` throws.
    func send(_ submission: StudySubmission, _ body: ByteSource) async throws -> StudyResponse
}

/// What a server made of a submission.
public enum StudyResponse: Sendable, Hashable {
    /// It has it, for good.
    case accepted
    /// It will never take it.
    case refused(reason: String)
    /// It failed, and may take it later.
    case failed(reason: String)
    /// It accepts nothing for now, for a reason that is not the submission's: it does not know this app, say.
    case closed(reason: String)

    /// By the status alone.
    init(status: Int, _ detail: String = "") {
        let reason = "the server answered \(status)" + (detail.isEmpty ? "" : ": \(detail)")
        self =
            switch status {
            case 200..<300: .accepted
            case 408, 425, 429, 500...599: .failed(reason: reason)
            // Another address, or a network that wants a login first.
            case 300..<400: .closed(reason: reason + "; redirects are not followed, look at the study's URL")
            case 401, 407: .closed(reason: reason)
            default: .refused(reason: reason)
            }
    }
}

/// Why a queue stopped although the network is there.
public struct StudyServerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the server said.
    public let description: String
    /// Whether it failed; else it accepts nothing from this app for now.
    public let isFailure: Bool
}

/// A study's URL, taken apart.
struct StudyAddress: Sendable {
    let address: ServerAddress

    /// - Parameter plainHTTPHosts: The hosts to which HTTP without TLS is allowed, besides this machine.
    init(_ url: URL, plainHTTPHosts: Set<String>) throws(StudyError) {
        do {
            address = try ServerAddress(url, plainHTTPHosts: plainHTTPHosts)
        } catch {
            throw .badInput(reason: "\(error)")
        }
    }

    func request(_ method: HTTPRequest.Method, _ path: String, _ fields: [(HTTPField.Name, String)]) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority,
            path: address.path + path == "" ? "/" : address.path + path)
        for (name, value) in fields { request.headerFields[name] = value }
        return request
    }
}
