import Crypto
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import StudyFormats

extension Withdrawal {
    /// How the report of a withdrawal goes to a server.
    public enum ReportForm: Sendable {
        /// As a package with the file `withdrawal.json`, to servers of ResearchKit's form.
        case package
        /// As a resource, to receivers of C3-PRO.
        case resource
    }

    /// The report for a server: a Contract that is revoked, without anything of the person but the random id.
    public var contract: JSONValue {
        var contract: JSONValue = [
            "resourceType": "Contract", "status": "revoked",
            "type": [
                "coding": [
                    ["system": "http://terminology.hl7.org/CodeSystem/contract-type", "code": "consent"]
                ]
            ],
            "applies": ["end": date.dateTime.tree],
            "subject": [["reference": JSONValue("Patient/\(participant.uuidString)")]],
        ]
        if let data { contract["extension"] = [data.fhirExtension] }
        return contract
    }

    /// Reports the withdrawal to the study's server. The report of a withdrawal has one id, however often it
    /// is sent: a server that knows the id has the report already.
    ///
    /// - Parameter protection: Of a package `.cms` or `.none`, of a resource `.c3ProEnvelope` or `.none`.
    /// - Returns: ``Result/finished``, or ``Result/refused(reason:)``.
    /// - Throws: ``StudyServerProblem`` when the server may take it later, `HTTPTransportError`,
    ///   `CancellationError`; ``/StudyFormats/StudyError`` when it cannot be encrypted.
    public func report(
        to endpoint: any StudyEndpoint,
        as form: ReportForm,
        protection: StudyProtection
    ) async throws -> Result {
        let (submission, body) = try report(as: form, protection)
        if let objection = endpoint.objection(to: submission) { return .refused(reason: objection) }
        switch try await endpoint.send(submission, body) {
        case .accepted: return .finished
        case .refused(let reason): return .refused(reason: reason)
        case .failed(let reason): throw StudyServerProblem(description: reason, isFailure: true)
        case .closed(let reason): throw StudyServerProblem(description: reason, isFailure: false)
        }
    }

    private func report(as form: ReportForm, _ protection: StudyProtection) throws -> (
        StudySubmission, BodySource
    ) {
        let resource = Data(contract.utf8())
        let content: StudySubmission.Content
        let body: BodySource
        switch form {
        case .package:
            var archive = try StudyArchive(
                ArchiveInfo(study: study, item: StudySubmission.withdrawal, timestamp: StudyTime(date.date))
            )
            try archive.add("withdrawal.json", resource)
            content = .package
            body = try protection.package { try archive.write(to: $0) }
        case .resource:
            content = .resource(type: "Contract", id: nil)
            body = try .data(protection.resource(resource, contract))
        }
        // Somebody who takes part again under the same id may leave again, and somebody who stopped may want
        // everything erased.
        let participation = enrolledAt?.dateTime.description ?? ""
        let wish = data?.rawValue ?? ""
        let parts = ["study withdrawal 2", study, participant.uuidString, participation, wish]
        let id = UUID(of: SHA256.hash(data: Data(parts.joined(separator: "\n").utf8)))
        let submission = StudySubmission(
            id: id,
            study: study,
            subject: participant,
            item: StudySubmission.withdrawal,
            content: content,
            protection: protection.kind
        )
        return (submission, body)
    }
}
