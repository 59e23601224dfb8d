import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import OrderedJSON
import Testing

@Suite("FHIR client: what is asked")
struct SentRequestTests {
    private let patient = Patient(name: HumanName(family: "Miller"))

    private func sent(
        _ answer: HTTPAnswer = .patient,
        _ body: (FHIRClient) async throws -> Void
    ) async throws -> PlayedServer.Received {
        let server = PlayedServer(answer)
        try await body(try server.client())
        return try #require(server.received.first)
    }

    @Test("read and vread ask for type, id and version, and for FHIR's JSON")
    func reading() async throws {
        let read = try await sent { client in
            let patient = try await client.read(Patient.self, id: "7")
            #expect(patient.active == true)
        }
        #expect(read.line == "GET /r4/Patient/7")
        #expect(read.field("Accept") == "application/fhir+json" && read.field("Authorization") == nil)
        #expect(
            try await sent { _ = try await $0.read(Patient.self, id: "7", version: "3") }.line
                == "GET /r4/Patient/7/_history/3"
        )
        #expect(
            try await sent { _ = try await $0.read(Reference<Patient>("Patient/7")) }.line
                == "GET /r4/Patient/7"
        )
        #expect(
            try await sent {
                _ = try await $0.read(Reference<Patient>("https://fhir.example.org/r4/Patient/7"))
            }.line
                == "GET /r4/Patient/7"
        )
    }

    @Test("a reference to another server is not read")
    func foreignReference() async throws {
        let server = PlayedServer(.patient)
        let client = try server.client()
        for text in [
            "https://other.example.org/r4/Patient/7", "https://fhir.example.org/other/Patient/7", "#a",
            "urn:uuid:1",
        ] {
            let error = await failure { try await client.read(Reference<Patient>(text)) }
            guard case .badArgument = error?.reason else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
        }
        #expect(server.received.isEmpty)
    }

    @Test("a version in the ETag fills meta where that has none, and only there")
    func entityTag() async throws {
        let server = PlayedServer(.fhir(#"{"resourceType":"Patient","id":"7"}"#, ["ETag": "W/\"12\""]))
        #expect(try await server.client().read(Patient.self, id: "7").meta?.versionId == "12")
        let own = PlayedServer(
            .fhir(#"{"resourceType":"Patient","meta":{"versionId":"3"}}"#, ["ETag": "W/\"12\""])
        )
        #expect(try await own.client().read(Patient.self, id: "7").meta?.versionId == "3")
    }

    @Test("a resource that did not change is not read again")
    func notModified() async throws {
        let server = PlayedServer(.status(304))
        #expect(try await server.client().read(Patient.self, id: "7", ifNot: "3") == nil)
        #expect(server.received.first?.field("If-None-Match") == "W/\"3\"")
        #expect(await failure { try await server.client().read(Patient.self, id: "7") }?.status == 304)
    }

    @Test("create posts the resource, and its condition in If-None-Exist")
    func create() async throws {
        let created: HTTPAnswer = .status(
            201,
            ["Location": "https://fhir.example.org/r4/Patient/8/_history/1"]
        )
        let server = PlayedServer(created)
        let written = try await server.client().create(
            patient,
            ifNoneExist: [.parameter("identifier", .token(system: "urn:a|b", "1,2"))],
            returning: .minimal
        )
        #expect(
            written.change == .created && written.id == "8" && written.versionID == "1"
                && "\(written)" == "created Patient/8, version 1"
                && written.resource == nil
        )
        let sent = try #require(server.received.first)
        #expect(sent.line == "POST /r4/Patient" && sent.field("Prefer") == "return=minimal")
        #expect(sent.field("Content-Type") == "application/fhir+json; charset=utf-8")
        #expect(sent.field("If-None-Exist") == "identifier=urn%3Aa%5C%7Cb%7C1%5C%2C2")
        #expect(try Patient(parsing: sent.body) == patient)
    }

    @Test("a conditional create that finds a resource says so, and one without an id fails")
    func existing() async throws {
        let found = PlayedServer(.fhir(#"{"resourceType":"Patient","id":"5"}"#, ["ETag": "W/\"2\""]))
        let written = try await found.client().create(patient, ifNoneExist: [.id("5")])
        #expect(
            written.change == .existing && written.id == "5" && written.versionID == "2"
                && written.resource?.id == "5"
        )
        let error = await failure { try await PlayedServer(.status(201)).client().create(patient) }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.isSafeToRetry == false)
    }

    @Test("update and patch name the version, delete the id")
    func writing() async throws {
        var stored = patient
        stored.id = "7"
        let update = try await sent { [stored] in try await $0.update(stored, ifMatch: "3") }
        #expect(update.line == "PUT /r4/Patient/7" && update.field("If-Match") == "W/\"3\"")
        let conditional = try await sent {
            try await $0.update(patient, where: [.parameter("identifier", .token("a&b=c+d"))])
        }
        #expect(conditional.line == "PUT /r4/Patient?identifier=a%26b%3Dc%2Bd")
        let patch = try await sent {
            try await $0.patch(
                Patient.self,
                id: "7",
                [.test("/active", true), .replace("/name/0/family", "Smith"), .remove("/x")]
            )
        }
        #expect(
            patch.line == "PATCH /r4/Patient/7"
                && patch.field("Content-Type") == "application/json-patch+json"
        )
        #expect(
            patch.body
                == """
                [{"op":"test","path":"/active","value":true},{"op":"replace","path":"/name/0/family",\
                "value":"Smith"},{"op":"remove","path":"/x"}]
                """
        )
        #expect(
            try await sent(.status(204)) { try await $0.delete(Patient.self, id: "7") }.line
                == "DELETE /r4/Patient/7"
        )
        #expect(
            try await sent(.status(204)) {
                try await $0.delete(Patient.self, where: [.parameter("active", .boolean(false))])
            }.line
                == "DELETE /r4/Patient?active=false"
        )
    }

    @Test("history, operations and capabilities have their paths")
    func others() async throws {
        let history = try await sent(.page([], type: "history")) {
            for try await _ in $0.history(Patient.self, id: "7", count: 5, since: "2026-01-01T00:00:00+01:00")
            {}
        }
        #expect(
            history.line == "GET /r4/Patient/7/_history?_count=5&_since=2026-01-01T00%3A00%3A00%2B01%3A00"
        )
        #expect(
            try await sent(.page([], type: "history")) { for try await _ in $0.history() {} }.line
                == "GET /r4/_history"
        )
        #expect(
            try await sent(.page([])) { for try await _ in $0.everything(aboutPatient: "7") {} }.line
                == "GET /r4/Patient/7/$everything"
        )
        let outcome: HTTPAnswer = .fhir(
            #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"value"}]}"#
        )
        let validate = try await sent(outcome) { client in
            let found = try await client.validate(patient)
            #expect(found.issue.first?.code == .value)
        }
        #expect(validate.line == "POST /r4/Patient/$validate")
        #expect(try Parameters(parsing: validate.body).parameter.first?.resource == AnyResource(patient))
        #expect(
            try await sent { _ = try await $0.operation("lookup", query: [.raw("code", "a b")]) }.line
                == "GET /r4/$lookup?code=a%20b"
        )
        let capabilities: HTTPAnswer = .fhir(#"{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1"}"#)
        let metadata = try await sent(capabilities) { client in
            let statement = try await client.capabilities()
            #expect(statement.fhirVersion?.code == "4.0.1")
        }
        #expect(metadata.line == "GET /r4/metadata")
    }

    @Test("what cannot be a type, an id or a condition is refused before anything is sent")
    func badArguments() async throws {
        let server = PlayedServer(.patient)
        let client = try server.client()
        var withoutID = patient
        withoutID.id = nil
        let failures = [
            await failure { try await client.read(Patient.self, id: "") },
            await failure { try await client.read(Patient.self, id: "..") },
            await failure { try await client.read(Patient.self, id: "a/b") },
            await failure { try await client.read(Patient.self, id: "7", version: "1?x") },
            await failure { try await client.read(Patient.self, id: String(repeating: "1", count: 65)) },
            await failure { try await client.read("../Patient", id: "7") },
            await failure { [withoutID] in try await client.update(withoutID) },
            await failure { try await client.create(patient, ifNoneExist: []) },
            await failure { try await client.delete(Patient.self, where: [.count(1)]) },
            await failure {
                try await client.delete(Patient.self, where: [.parameter("identifier", .token(""))])
            },
            await failure { try await client.operation("a/b", query: []) },
            await failure { try await client.read(AnyResource.self, id: "7") },
        ]
        for (index, error) in failures.enumerated() {
            guard case .badArgument? = error?.reason else {
                Issue.record("\(index): \(String(describing: error))")
                continue
            }
            #expect(error?.isSafeToRetry == true && error?.mayHaveBeenDone == false)
        }
        #expect(server.received.isEmpty)
    }

    @Test(
        "a base needs TLS but on this machine, and no user, query or fragment",
        arguments: [
            "http://fhir.example.org/r4", "https://user:pw@fhir.example.org/r4",
            "https://fhir.example.org/r4?a=b", "ftp://a/b", "r4",
        ]
    )
    func badBase(base: String) {
        #expect(throws: FHIRClientError.self) { try PlayedServer(.patient).client(base: base) }
    }

    @Test(
        "a base is used with and without a slash at its end, and at the root",
        arguments: [
            "http://127.0.0.1:8080/", "http://localhost/fhir/", "https://fhir.example.org",
            "https://FHIR.example.org:443/a/b",
        ]
    )
    func bases(base: String) async throws {
        let server = PlayedServer(.patient)
        _ = try await server.client(base: base).read(Patient.self, id: "7")
        let request = try #require(server.received.first?.request)
        let address = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        let expected = [
            "http://127.0.0.1:8080/": "http://127.0.0.1:8080/Patient/7",
            "http://localhost/fhir/": "http://localhost/fhir/Patient/7",
            "https://fhir.example.org": "https://fhir.example.org/Patient/7",
            "https://FHIR.example.org:443/a/b": "https://fhir.example.org/a/b/Patient/7",
        ]
        #expect(address == expected[base])
    }
}
