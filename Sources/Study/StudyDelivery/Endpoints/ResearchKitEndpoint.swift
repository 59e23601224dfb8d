import Foundation
import HTTPCalls
import HTTPTypes
import StudyFormats

/// A server of ResearchKit's first form: the package is the body of a POST, three header fields say what it
/// is.
///
/// `X-ResearchKit-UploadUUID` is the submission's id, by which a server recognises a submission that it
/// already has. The fields are outside the encryption: whoever carries the request over TLS to its end sees
/// study and participant.
///
/// An interrupted POST starts again. For servers that keep the part that arrived, set `canResume`; then large
/// packages continue where they stopped, see <doc:Packages>.
public struct ResearchKitEndpoint: StudyEndpoint {
    private let address: StudyAddress
    /// Each request is sent once: the queue delivers again what did not arrive.
    private let engine: CallEngine
    private let canResume: Bool

    static let uploadID = HTTPField.Name("X-ResearchKit-UploadUUID")!  // A constant that is a token.
    static let subject = HTTPField.Name("X-ResearchKit-SubjectUUID")!  // A constant that is a token.
    static let study = HTTPField.Name("X-ResearchKit-StudyIdentifier")!  // A constant that is a token.

    /// - Parameters:
    ///   - url: To which packages are posted.
    ///   - canResume: Whether the server keeps the part that arrived of an upload that broke off.
    ///   - plainHTTPHosts: The hosts to which HTTP without TLS is allowed, besides this machine.
    public init(
        _ url: URL,
        canResume: Bool = false,
        transport: any HTTPTransport = .system,
        plainHTTPHosts: Set<String> = []
    ) throws(StudyError) {
        address = try StudyAddress(url, plainHTTPHosts: plainHTTPHosts)
        self.canResume = canResume
        engine = CallEngine(transport: transport, retry: .never)
    }

    public func objection(to submission: StudySubmission) -> String? {
        guard case .package = submission.content else {
            return "a ResearchKit server takes packages, not resources"
        }
        guard submission.study.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else {
            return "the study’s identifier “\(submission.study)” cannot stand in a header field"
        }
        return nil
    }

    public func send(_ submission: StudySubmission, _ body: BodySource) async throws -> StudyResponse {
        let fields = [
            (HTTPField.Name.contentType, submission.contentType), (Self.uploadID, submission.id.uuidString),
            (Self.subject, submission.subject.uuidString), (Self.study, submission.study),
        ]
        if canResume, body.size >= ResumableUpload.smallest {
            return try await ResumableUpload(engine: engine, address: address, fields: fields).send(body)
        }
        let http = try await engine.transfer(.upload(body)) { address.request(.post, "", fields) }
        return StudyResponse(status: http.status, to: submission)
    }
}
