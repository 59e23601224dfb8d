import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import Indivo
@testable import IndivoFHIR
import Testing

/// Exports that are sent to a FHIR server, which takes nothing invalid.
@Suite("Exports on a FHIR server")
struct DeliveryTests {
    private func withServer(_ body: (FHIRClient) async throws -> Void) async throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.refusesInvalid = true
        configuration.logger.logLevel = .error
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            try await body(try FHIRClient(base: sandbox.baseURL))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private func record(_ notes: String) -> RecordContent {
        let contents = [
            TestDocument.sdmx("Problem", TestDocument.fields(["name_title": "Asthma", "notes": notes])),
            TestDocument.sdmx(
                "VitalSigns", TestDocument.fields(["date": "2012-05-04", "weight_value": "74.80", "weight_unit": "kg"])),
            FileContent(Data([1, 2, 3]), contentType: "application/pdf"),
        ]
        return RecordContent(
            id: "r1",
            documents: contents.enumerated().map {
                .init(id: "d\($0)", content: $1, metadata: TestDocument.metadata("d\($0)"))
            })
    }

    @Test("a second export updates what the first one created, and references lead to it")
    func twice() async throws {
        try await withServer { client in
            let first = try await client.transaction(FHIRTransaction(record("mild").fhirBundle(.transaction).bundle))
            #expect(Set(first.map(\.status)) == [201])
            let second = try await client.transaction(FHIRTransaction(record("severe").fhirBundle(.transaction).bundle))
            #expect(Set(second.map(\.status)) == [200])
            #expect(second.map(\.id) == first.map(\.id))
            #expect(try await client.count(Condition.self) == 1)
            #expect(try await client.count(Provenance.self) == 3)
            var found: [Observation] = []
            for try await observation in client.search(
                Observation.self, [.parameter("patient", .reference("Patient/r1"))])
            { found.append(observation) }
            #expect(found.map(\.id) == ["d1.weight"])
            #expect(found.first?.value?.quantity?.value?.description == "74.80")
        }
    }

    @Test(
        "the samples are taken whole",
        .enabled(if: !Samples.folders.isEmpty, "../shared/samples is not there"), arguments: Samples.folders.prefix(2))
    func samples(_ folder: URL) async throws {
        try await withServer { client in
            let bundle = try RecordContent.folder(folder).content.fhirBundle(.transaction).bundle
            let results = try await client.transaction(FHIRTransaction(bundle))
            #expect(Set(results.map(\.status)) == [201])
            #expect(results.count == bundle.entry.count)
        }
    }
}
