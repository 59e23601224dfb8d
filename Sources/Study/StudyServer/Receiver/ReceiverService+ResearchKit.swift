import Foundation
import HTTPCalls
import OrderedJSON
import StudyFormats
import WebServing

extension ReceiverService {
    /// ResearchKit's upload: the package is the body, three header fields say what it is.
    func upload(_ request: Request) async throws -> Response {
        guard configuration.takesPackages else {
            return ReceiverResponse.error(403, "access_denied", "This receiver takes no packages")
        }
        if let refusal = tooMany(request, costOfPackage(request)) { return refusal }
        func refuse(_ status: Int, _ reason: String) -> Response {
            ReceiverResponse.error(status, "invalid_request", reason)
        }
        guard let upload = request.header("X-ResearchKit-UploadUUID").flatMap(UUID.init(uuidString:)),
            let subject = request.header("X-ResearchKit-SubjectUUID").flatMap(UUID.init(uuidString:)),
            let study = request.header("X-ResearchKit-StudyIdentifier"), !study.isEmpty,
            study.utf8.count <= 200
        else {
            return refuse(
                400,
                "X-ResearchKit-UploadUUID, -SubjectUUID and -StudyIdentifier are two UUIDs and a name"
            )
        }
        guard configuration.studies.isEmpty || configuration.studies.contains(study) else {
            return refuse(404, "There is no such study here")
        }
        if let problem = problem(with: request.body) { return refuse(problem.status, problem.reason) }
        let message = StudyMessage(
            // Of the participant, too: one who knows an upload of another cannot take its id. A digest, which
            // says nothing of them.
            id: "upload:" + ClientRegistry.digest("\(subject.uuidString):\(upload.uuidString)"),
            content: .package,
            subject: subject.uuidString.lowercased(),
            received: received,
            body: request.body
        )
        if let busy = try await enqueue(message) { return busy }
        guard !isOriginal else { return Response(type: "text/json") }
        return ReceiverResponse.json(200, ["id": JSONValue(upload.uuidString.lowercased())])
    }

    /// What is wrong with a package, as far as that can be seen without a key.
    private func problem(with body: Data) -> (status: Int, reason: String)? {
        guard !body.isEmpty else { return (400, "The body is empty") }
        if body.first == 0x30 {
            do {
                _ = try CMSMessage(.data(body))
                return nil
            } catch {
                return (422, "The body is no CMS message that can be read")
            }
        }
        guard body.starts(with: "PK".utf8) || body.starts(with: "BZh".utf8) else {
            return (415, "The body is no package")
        }
        return configuration.takesUnencrypted ? nil : (415, "Packages have to be encrypted for the study")
    }
}
