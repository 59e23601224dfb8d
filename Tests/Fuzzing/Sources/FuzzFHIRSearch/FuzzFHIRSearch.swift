import OrderedJSON

@testable import FHIRSandbox

/// Whatever a client asks of a FHIR server's search: it is refused with an OperationOutcome, or searched for.
/// SQLite never sees a statement that is none, and the link of the result to itself finds the same. The first
/// byte chooses the type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let text = String(decoding: UnsafeBufferPointer(start: start + 1, count: count - 1), as: UTF8.self)
    let types = ["Patient", "Observation", "Questionnaire", "Encounter"]
    let type = types[Int(start[0]) % types.count]
    guard let first = search(type, text) else { return 0 }
    let link = first["link"]?[0]?["url"]?.string ?? ""
    let query = link.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    guard let second = search(type, query), second["total"] == first["total"] else {
        fatalError("the link finds something else")
    }
    return 0
}

private func search(_ type: String, _ text: String) -> JSONValue? {
    do {
        var request = SandboxRequest(interaction: .search(type: type))
        request.query = try QueryItems(parsing: text)
        // A page of a result that was kept is another's.
        if request.query["_snapshot"] != nil || request.query["_offset"] != nil { return nil }
        return try server.database.writer.read { db in
            try Session(db: db, server: server, base: "http://127.0.0.1/fhir", now: server.now).search(
                type,
                request
            )
        }
    } catch is FHIRFailure {
        return nil
    } catch {
        fatalError("\(error)")
    }
}

/// A server with a few resources.
private let server: ServerState = {
    do {
        let server = try ServerState(FHIRSandboxConfiguration())
        let resources: [(String, String, JSONValue)] = [
            (
                "Patient", "p",
                [
                    "resourceType": "Patient", "name": [["family": "Moss", "given": ["Ann"]]],
                    "gender": "female",
                    "birthDate": "1980-02-03", "identifier": [["system": "urn:x", "value": "1"]],
                ]
            ),
            (
                "Observation", "o",
                [
                    "resourceType": "Observation", "status": "final", "subject": ["reference": "Patient/p"],
                    "code": [
                        "coding": [
                            ["system": "http://loinc.org", "code": "29463-7", "display": "Body weight"]
                        ]
                    ],
                    "effectiveDateTime": "2026-01-02T03:04:05Z",
                    "valueQuantity": [
                        "value": 74.8, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg",
                    ],
                ]
            ),
            (
                "Questionnaire", "q",
                ["resourceType": "Questionnaire", "url": "http://x.example/q", "status": "active"]
            ),
        ]
        try server.database.writer.write { db in
            let session = Session(db: db, server: server, base: "http://127.0.0.1/fhir", now: server.now)
            for (type, id, json) in resources { _ = try session.store.put(json, type, id, method: "PUT") }
        }
        return server
    } catch {
        fatalError("\(error)")
    }
}()
