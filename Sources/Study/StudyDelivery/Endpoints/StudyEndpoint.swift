import Foundation
import HTTPCalls
import HTTPTypes
import StudyFormats

/// The server of a study, as a queue delivers to it. There are ``ResearchKitEndpoint`` and ``C3ProEndpoint``.
public protocol StudyEndpoint: Sendable {
    /// Why this endpoint cannot take a submission; `nil` where it can.
    func objection(to submission: StudySubmission) -> String?

    /// Sends a submission once.
    ///
    /// - Parameter body: What is sent, encrypted already where it is to be.
    /// - Returns: The server's response.
    /// - Throws: `HTTPTransportError` when there is no response, `CancellationError`, and what `body` throws.
    func send(_ submission: StudySubmission, _ body: BodySource) async throws -> StudyResponse
}

/// A server's response to a submission.
public enum StudyResponse: Sendable, Hashable {
    /// The server stored it durably.
    case accepted
    /// The server will never accept it.
    case refused(reason: String)
    /// The server failed, and may accept it later.
    case failed(reason: String)
    /// The server accepts nothing for now, for a reason other than the submission: for example, it does not
    /// know this app.
    case closed(reason: String)

    /// By the status of the response to a submission. That a participant left is known in the end: where
    /// nothing is found for it, the address is wrong.
    init(status: Int, _ detail: String = "", to submission: StudySubmission) {
        self.init(status: status, detail)
        guard case .refused(let reason) = self, submission.isWithdrawal, [404, 405].contains(status)
        else { return }
        self = .closed(reason: reason + "; look at the study's URL")
    }

    /// By the status alone.
    init(status: Int, _ detail: String = "") {
        let reason = "the server responded with \(status)" + (detail.isEmpty ? "" : ": \(detail)")
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
    /// The server's reason.
    public let description: String
    /// Whether the server failed; otherwise it accepts nothing from this app for now.
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

    func request(_ method: HTTPRequest.Method, _ path: String, _ fields: [(HTTPField.Name, String)])
        -> HTTPRequest
    {
        var request = HTTPRequest(
            method: method,
            scheme: address.scheme,
            authority: address.authority,
            path: address.path + path == "" ? "/" : address.path + path
        )
        for (name, value) in fields { request.headerFields[name] = value }
        return request
    }
}
