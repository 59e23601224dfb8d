import FHIRTables
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Operations and capabilities")
struct OperationTests {
    @Test("$validate reports what is wrong and stores nothing")
    func validate() async throws {
        let server = try TestServer()
        let bad = await server.post(
            "Observation/$validate",
            ["resourceType": "Observation", "status": "final", "nonsense": 1]
        )
        #expect(bad.status == 200)
        let issues = bad.json["issue"]?.elements.map(Array.init) ?? []
        #expect(
            issues.contains {
                $0["severity"]?.string == "error" && $0["details"]?["text"]?.string?.contains("code") == true
            },
            "\(bad.text)"
        )
        #expect(issues.count >= 2)
        let good = await server.post("Patient/$validate", .patient("p", family: "Moss"))
        #expect(good.json["issue"]?.elements?.contains { $0["severity"]?.string == "error" } == false)
        let wrapped = await server.post(
            "Patient/$validate",
            [
                "resourceType": "Parameters",
                "parameter": [["name": "resource", "resource": .patient("p", family: "Moss")]],
            ]
        )
        #expect(
            wrapped.json["issue"]?.elements?.contains { $0["severity"]?.string == "error" } == false,
            "\(wrapped.text)"
        )
        #expect(
            await server.post("Patient/$validate", .observation("o", of: "x")).json["issue"]?[0]?["severity"]?
                .string == "error"
        )
        await server.store(.patient("p", family: "Moss"))
        #expect(await server.get("Patient/p/$validate").status == 200)
        #expect(await server.get("Observation").json["total"]?.integer == 0)
    }

    @Test("$validate by a profile that is not known is an error, and says which")
    func unknownProfile() async throws {
        let server = try TestServer()
        let profile = "http://example.org/StructureDefinition/unknown"
        let wrapped: JSONValue = [
            "resourceType": "Parameters",
            "parameter": [
                ["name": "resource", "resource": .patient("p", family: "Moss")],
                ["name": "profile", "valueUri": JSONValue(profile)],
            ],
        ]
        for answer in [
            await server.post("Patient/$validate?profile=\(profile)", .patient("p", family: "Moss")),
            await server.post("Patient/$validate", wrapped),
        ] {
            let errors = (answer.json["issue"]?.elements ?? []).filter { $0["severity"]?.string == "error" }
            #expect(errors.count == 1, "\(answer.text)")
            #expect(errors.first?["details"]?["text"]?.string?.contains(profile) == true)
        }
    }

    @Test("what is invalid is refused with 422 by every way to write, with all its errors")
    func invalidWrites() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Moss"))
        let bad: JSONValue = [
            "resourceType": "Patient", "id": "p", "gender": "femal", "birthDate": "2026-02-30", "nonsense": 1,
        ]
        func batch(_ type: String) -> JSONValue {
            let request: JSONValue = ["method": "PUT", "url": "Patient/p"]
            return [
                "resourceType": "Bundle", "type": JSONValue(type),
                "entry": [["resource": bad, "request": request]],
            ]
        }
        let responses = [
            await server.post("Patient", bad), await server.put("Patient/p", bad),
            await server.put("Patient?name=moss", bad),
            await server.patch("Patient/p", [["op": "add", "path": "/gender", "value": "femal"]]),
            await server.post("", batch("transaction")),
        ]
        for response in responses {
            #expect(response.status == 422, "\(response.text)")
            #expect(response.json["resourceType"]?.string == "OperationOutcome")
        }
        #expect(
            await server.post("", batch("batch")).entries[0]["response"]?["status"]?.string?.prefix(3)
                == "422"
        )
        let issues = responses[0].json["issue"]?.elements.map(Array.init) ?? []
        #expect(
            Set(issues.compactMap { $0["expression"]?[0]?.string }) == [
                "Patient.gender", "Patient.birthDate", "Patient",
            ],
            "\(responses[0].text)"
        )
        #expect(issues.contains { $0["diagnostics"]?.string == "the day does not exist" })
        #expect(await server.get("Patient/p").json["meta"]?["versionId"]?.string == "1")
    }

    @Test("a server that is told so stores what is invalid")
    func withoutValidation() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        let bad = await server.post("Observation", ["resourceType": "Observation", "status": "final"])
        #expect(bad.status == 201, "\(bad.text)")
    }

    @Test("$everything is the patient, what refers to the patient, and what that refers to")
    func everything() async throws {
        let server = try TestServer()
        await server.store(
            .patient("a", family: "A"),
            .patient("b", family: "B"),
            ["resourceType": "Practitioner", "id": "doc", "name": [["family": "Doc"]]],
            ["resourceType": "Practitioner", "id": "other", "name": [["family": "Other"]]],
            .observation("o1", of: "Patient/a", ["performer": [["reference": "Practitioner/doc"]]]),
            .observation("o2", of: "Patient/b"),
            ["resourceType": "Condition", "id": "c", "subject": ["reference": "Patient/a"]]
        )
        #expect(await server.found("Patient/a/$everything") == ["a", "c", "o1", "doc"])
        #expect(await server.found("Patient/a/$everything?_type=Condition,Patient") == ["a", "c"])
        let page = await server.get("Patient/a/$everything?_count=3")
        #expect(page.matches == ["a", "c", "o1"])
        let next = String((page.link("next") ?? "").dropFirst("http://127.0.0.1:8080".count))
        #expect(await server.found(next) == ["doc"])
        let lenient = await server.get("Patient/a/$everything?start=2020", ["Prefer": "handling=lenient"])
        #expect(lenient.ids(mode: "match").count == 4)
        #expect(lenient.entries.last?["search"]?["mode"]?.string == "outcome")
        #expect(await server.get("Patient/a/$everything?start=2020").status == 400)
        #expect(await server.get("Patient/nobody/$everything").status == 404)
        #expect(await server.get("Patient/a/$everything?_since=never").status == 400)
    }

    @Test("the CapabilityStatement says what the server does, and is valid")
    func capabilities() async throws {
        let server = try TestServer()
        let statement = await server.get("metadata").json
        #expect(statement["fhirVersion"]?.string == "4.0.1")
        let resources = statement["rest"]?[0]?["resource"]?.elements.map(Array.init) ?? []
        #expect(resources.count == 146)
        let observation = try #require(resources.first { $0["type"]?.string == "Observation" })
        let parameters = observation["searchParam"]?.elements?.compactMap { $0["name"]?.string } ?? []
        #expect(
            parameters.contains("_id") && parameters.contains("code-value-quantity")
                && parameters.contains("patient")
        )
        // Each parameter that it says it has is taken by a strict server, whatever comes of the value.
        for parameter in parameters {
            let response = await server.get(
                "Observation?\(parameter):missing=true",
                ["Prefer": "handling=strict"]
            )
            if parameter != "_id", parameter != "_lastUpdated" {
                #expect(response.status == 200, "\(parameter)")
            }
        }
        let issues =
            await server.post("CapabilityStatement/$validate", statement).json["issue"]?.elements.map(
                Array.init
            ) ?? []
        #expect(!issues.contains { $0["severity"]?.string == "error" }, "\(issues)")
    }

    @Test(
        "a reference to another type, or a strange value, is stored and found if possible"
    )
    func strangeContent() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        let strange: [JSONValue] = [
            [
                "resourceType": "Patient", "id": "s1", "name": "no array", "birthDate": 7,
                "identifier": ["value": 1],
            ],
            [
                "resourceType": "Patient", "id": "s2",
                "name": [JSONValue.null, 1, ["given": [JSONValue.null]]], "birthDate": "2026-13-40",
            ],
            [
                "resourceType": "Observation", "id": "s3", "valueQuantity": ["value": "text"],
                "subject": "Patient/1", "effectivePeriod": [],
            ],
            [
                "resourceType": "Observation", "id": "s4",
                "valueQuantity": ["value": JSONValue(number: "1e400") ?? .null],
            ],
            ["resourceType": "Account", "id": "s5", "anything": [:]],
        ]
        for resource in strange {
            await server.store(resource)
            let path = "\(resource["resourceType"]?.string ?? "")?_id=\(resource["id"]?.string ?? "")"
            #expect(await server.found(path).count == 1)
        }
    }
}
