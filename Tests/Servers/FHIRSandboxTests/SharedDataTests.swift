import FHIR
import Foundation
import OrderedJSON
import Testing

@testable import FHIRSandbox

/// What lies beside the package.
enum SharedFHIR {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/fhir").standardizedFileURL
    static let exists = FileManager.default.fileExists(atPath: folder.path)

    static func files(_ name: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name),
            includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasPrefix("_") }.sorted {
            $0.path < $1.path
        }
    }
}

@Suite(
    "The official examples in the FHIR sandbox",
    .enabled(if: SharedFHIR.exists, "../shared/fhir is not there")
)
struct SharedDataTests {
    @Test("every example is stored, comes back the same, and is found by its id")
    func examples() async throws {
        // Some of them break rules of the specification that they are of.
        let server = try TestServer { $0.refusesInvalid = false }
        let files = try SharedFHIR.files("examples")
        #expect(files.count > 200)
        for file in files {
            let sent = try JSONValue(parsing: Data(contentsOf: file))
            let type = sent["resourceType"]?.string ?? ""
            guard let id = sent["id"]?.string else { continue }
            #expect(await server.put("\(type)/\(id)", sent).status == 201, "\(file.lastPathComponent)")
            var stored = await server.get("\(type)/\(id)").json
            stored["meta"] = sent["meta"]
            #expect(stored == sent, "\(file.lastPathComponent)")
            #expect(await server.found("\(type)?_id=\(id)") == [id])
            if type == "Patient" { #expect(await server.get("/patients/\(id)").status == 200) }
            #expect(await server.get("/resources/\(type)/\(id)").status == 200)
        }
        #expect(await server.found("Patient?family=chalmers").contains("example"))
    }

    @Test("no search parameter fails on an example")
    func parameters() throws {
        for file in try SharedFHIR.files("examples") {
            let resource = try JSONValue(parsing: Data(contentsOf: file))
            var extraction = ValueExtraction(catalog: .r4, bases: [], limit: 1_000_000)
            try extraction.extract(from: resource, type: resource["resourceType"]?.string ?? "")
            #expect(extraction.failedKeys == [], "\(file.lastPathComponent)")
        }
    }

    @Test("a patient of Synthea is loaded, searched, shown, and is everything of the file")
    func synthea() async throws {
        for file in try SharedFHIR.files("synthea") {
            let sandbox = try await FHIRSandbox.start()
            let bundle = try AnyResource(parsing: Data(contentsOf: file))
            let count = try await sandbox.load(bundle)
            #expect(count == bundle.tree["entry"]?.elements?.count)
            await sandbox.stop()
            // The same in a server that requests go straight into.
            let server = try TestServer()
            let state = server.state
            _ = try await state.database.writer.write { db in
                try Session(
                    db: db,
                    server: state,
                    base: "http://127.0.0.1:8080/fhir",
                    now: state.now,
                    keepsConditionalReferences: true
                ).load(bundle.tree)
            }
            let patients = await server.found("Patient")
            let patient = try #require(patients.first)
            #expect(patients.count == 1)
            let everything =
                await server.get("Patient/\(patient)/$everything?_count=1").json["total"]?.integer ?? 0
            // Of some types, such as claims, the package has no search parameters, by which they would be the
            // patient's.
            let indexed = bundle.tree["entry"]?.elements?.filter {
                SearchCatalog.r4.parameters(of: $0["resource"]?["resourceType"]?.string ?? "").count > 5
            }
            #expect(
                everything >= (indexed?.count ?? 0) - 2,
                "\(everything) of \(count) in \(file.lastPathComponent)"
            )
            let page = await server.get("/patients/\(patient)")
            #expect(page.status == 200 && page.text.contains("<svg"))
            #expect(await server.found("Observation?patient=\(patient)&_count=1&date=ge2000").count == 1)
            #expect(
                await server.get("Observation?subject:Patient.gender=male,female&_summary=count").json[
                    "total"
                ]?.integer ?? 0 > 10
            )
        }
    }
}
