import FHIR
import Foundation
import Indivo
import IndivoSandbox
import Testing

@testable import IndivoFHIR

/// Records of a sandbox, through the library and over HTTP.
@Suite("A record of a server as FHIR")
struct SandboxExportTests {
    /// Calls `body` with a sandbox's sample records.
    private func withRecords(_ body: ([IndivoRecord]) async throws -> Void) async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        let sandbox = try await Sandbox.start(configuration)
        do {
            let server = IndivoServer(
                api: sandbox.apiURL,
                ui: sandbox.uiURL,
                app: AppCredentials(
                    id: SandboxApp.demo.id,
                    consumerKey: SandboxApp.demo.id,
                    consumerSecret: "demo-secret"
                )
            )
            var records: [IndivoRecord] = []
            for record in try await sandbox.records() where record.owner == Sandbox.demoAccount {
                let token = try await sandbox.issueAccessToken(
                    app: SandboxApp.demo.id,
                    record: record.id,
                    account: Sandbox.demoAccount
                )
                records.append(
                    server.record(
                        id: record.id,
                        token: OAuthToken(value: token.token, secret: Secret(token.secret))
                    )
                )
            }
            #expect(!records.isEmpty)
            try await body(records)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("the sandbox's own records are exported whole, and the same twice")
    func samples() async throws {
        try await withRecords { records in
            for record in records {
                let content = try await record.content()
                let export = content.fhirBundle()
                #expect(export.unmapped.map(\.description) == [])
                Structure.check(export.bundle)
                #expect(export.bundle == (try await record.fhirBundle()).bundle)
                let patient = try #require(export.bundle.resources(of: Patient.self).first)
                #expect(patient.id == record.id)
                #expect(patient.name.first?.family != nil)
                #expect(export.bundle.resources(of: Provenance.self).count == content.documents.count)
                let search = LeafSearch(export.bundle)
                for document in content.documents {
                    for leaf in FoundLeaf.all(in: try document.content.xml()) {
                        #expect(search.contains(leaf.text), "\(leaf.name)")
                    }
                }
            }
        }
    }

    @Test(
        "what is added, replaced, voided, annotated and scanned is exported in its places"
    )
    func changes() async throws {
        try await withRecords { records in
            let record = records[0]
            let problem = Problem()
            problem.name = CodedValue(title: "Asthma", system: .snomed, identifier: "195967001")
            problem.startDate = "2012-03-01T00:00:00Z"
            try await record.add(problem)
            let first = try #require(problem.id)
            let scan = FileDocument(FileContent(Data([0, 1, 2, 0xFF]), contentType: "application/pdf"))
            try await record.add(scan)
            try await scan.setLabel("Scan")
            let before = try await record.fhirBundle(.transaction)

            problem.notes = "mild"
            try await problem.replace()
            let remark = Indivo.Annotation()
            remark.text = "Checked"
            try await problem.addRelated(remark, as: .annotation)
            try await scan.setStatus(.void, reason: "wrong patient")
            let after = try await record.fhirBundle(.transaction)

            func entry(_ url: String, _ export: FHIRExport) -> FHIR.Bundle.Entry? {
                export.bundle.entry.first { $0.request?.url?.rawValue == url }
            }
            let old = entry("Condition/\(first)", before)
            let new = entry("Condition/\(first)", after)
            #expect(old?.resource?.as(Condition.self)?.note.isEmpty == true)
            #expect(new?.resource?.as(Condition.self)?.note.first?.text == "mild")
            #expect(old?.fullUrl == new?.fullUrl)
            #expect(
                after.bundle.resources(of: Condition.self).count
                    == before.bundle.resources(of: Condition.self).count
            )
            let scanURL = "DocumentReference/\(try #require(scan.id)).document"
            let picture = try #require(entry(scanURL, after)?.resource?.as(DocumentReference.self))
            #expect(picture.status == .enteredInError)
            #expect(picture.tree["description"]?.string == "Scan")
            #expect(picture.content.first?.attachment?.data == Data([0, 1, 2, 0xFF]).base64EncodedString())
            #expect(picture.content.first?.attachment?.contentType == "application/pdf")
            let reasons = after.bundle.resources(of: Provenance.self).flatMap(\.reason).map(\.text)
            #expect(reasons == ["wrong patient"])
            let related = after.bundle.resources(of: Provenance.self).flatMap(\.entity).compactMap(\.what)
                .filter {
                    $0.display == "annotation"
                }
            #expect(related.map(\.reference) == [new?.fullUrl?.rawValue])
            Structure.check(after.bundle)
        }
    }
}
