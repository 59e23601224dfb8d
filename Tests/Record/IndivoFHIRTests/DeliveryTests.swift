import FHIR
import FHIRSandbox
import Foundation
import Indivo
import OrderedJSON
import Testing

@testable import IndivoFHIR

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Exports that are sent to a FHIR server, which takes nothing invalid.
@Suite("Exports on a FHIR server")
struct DeliveryTests {
    private func withServer(_ body: (FHIRSandbox) async throws -> Void) async throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.refusesInvalid = true
        configuration.logger.logLevel = .error
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            try await body(sandbox)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    /// What the server answers to a search.
    private func search(_ query: String, _ sandbox: FHIRSandbox) async throws -> FHIR.Bundle {
        let url = try #require(URL(string: sandbox.baseURL.absoluteString + "/" + query))
        return try FHIR.Bundle(parsing: try await URLSession.shared.data(from: url).0)
    }

    private func record(_ notes: String) -> RecordContent {
        let contents = [
            TestDocument.sdmx("Problem", TestDocument.fields(["name_title": "Asthma", "notes": notes])),
            TestDocument.sdmx(
                "VitalSigns",
                TestDocument.fields(["date": "2012-05-04", "weight_value": "74.80", "weight_unit": "kg"])
            ),
            FileContent(Data([1, 2, 3]), contentType: "application/pdf"),
        ]
        return RecordContent(
            id: "r1",
            documents: contents.enumerated().map {
                .init(id: "d\($0)", content: $1, metadata: TestDocument.metadata("d\($0)"))
            }
        )
    }

    @Test("a second export updates what the first one created, and references lead to it")
    func twice() async throws {
        try await withServer { sandbox in
            for notes in ["mild", "severe"] {
                let bundle = record(notes).fhirBundle(.transaction).bundle
                #expect(try await sandbox.load(AnyResource(bundle)) == 7)
            }
            let conditions = try await search("Condition", sandbox).resources(of: Condition.self)
            #expect(conditions.map(\.id) == ["d0"])
            #expect(conditions.first?.meta?.versionId == "2")
            #expect(conditions.first?.note.first?.text == "severe")
            #expect(try await search("Provenance", sandbox).resources(of: Provenance.self).count == 3)
            let weights = try await search("Observation?patient=Patient/r1", sandbox).resources(
                of: Observation.self
            )
            #expect(weights.map(\.id) == ["d1.weight"])
            #expect(weights.first?.value?.quantity?.value?.description == "74.80")
        }
    }

    @Test(
        "the samples are taken whole",
        .enabled(if: !Samples.folders.isEmpty, "../shared/samples is not there"),
        arguments: Samples.folders.prefix(2)
    )
    func samples(_ folder: URL) async throws {
        try await withServer { sandbox in
            let bundle = try RecordContent.folder(folder).content.fhirBundle(.transaction).bundle
            #expect(try await sandbox.load(AnyResource(bundle)) == bundle.entry.count)
            #expect(try await search("Patient", sandbox).resources(of: Patient.self).count == 1)
        }
    }
}
