import Foundation
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Terminology")
struct TerminologyTests {
    private let animals: JSONValue = [
        "resourceType": "CodeSystem", "id": "animals", "url": "http://a/animals", "status": "active",
        "content": "complete",
        "concept": [["code": "bird", "concept": [["code": "penguin"]]], ["code": "fish"]],
    ]
    private let birds: JSONValue = [
        "resourceType": "ValueSet", "id": "birds", "url": "http://a/birds", "status": "active",
        "compose": [
            "include": [
                [
                    "system": "http://a/animals",
                    "filter": [["property": "concept", "op": "is-a", "value": "bird"]],
                ]
            ]
        ],
    ]

    private func observation(_ id: String, _ code: String, status: String = "final") -> JSONValue {
        [
            "resourceType": "Observation", "id": JSONValue(id), "status": JSONValue(status),
            "code": ["coding": [["system": "http://a/animals", "code": JSONValue(code)]]],
        ]
    }

    private func codes(_ response: TestResponse) -> [String?] {
        response.json["expansion"]?["contains"]?.elements?.map { $0["code"]?.string } ?? []
    }

    @Test("$expand lists R4's own and stored value sets, by URL, id or in the body")
    func expand() async throws {
        let server = try TestServer()
        let status = await server.get(
            "ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/observation-status&count=2"
        )
        #expect(codes(status) == ["registered", "preliminary"])
        #expect(status.json["expansion"]?["total"]?.integer == 8)
        #expect(await server.get("ValueSet/$expand?url=http://a/birds").status == 404)
        await server.store(animals, birds)
        #expect(codes(await server.get("ValueSet/$expand?url=http://a/birds")) == ["bird", "penguin"])
        #expect(codes(await server.get("ValueSet/birds/$expand?filter=pen")) == ["penguin"])
        let body: JSONValue = [
            "resourceType": "Parameters", "parameter": [["name": "valueSet", "resource": birds]],
        ]
        #expect(codes(await server.post("ValueSet/$expand", body)) == ["bird", "penguin"])
        _ = await server.send("DELETE", "ValueSet/birds")
        #expect(await server.get("ValueSet/$expand?url=http://a/birds").status == 404)
    }

    @Test("$validate-code, $lookup and $subsumes answer, and what is unchecked is an error")
    func operations() async throws {
        let server = try TestServer()
        await server.store(animals, birds)
        func result(_ path: String) async -> String? {
            let value = await server.get(path).json["parameter"]?.elements?.first
            return value?["valueBoolean"]?.boolean.map(String.init) ?? value?["valueCode"]?.string
        }
        let code = "system=http://a/animals&code"
        #expect(await result("ValueSet/birds/$validate-code?\(code)=penguin") == "true")
        #expect(await result("ValueSet/birds/$validate-code?\(code)=fish") == "false")
        #expect(await result("CodeSystem/animals/$validate-code?code=fish") == "true")
        #expect(
            await result("CodeSystem/$subsumes?system=http://a/animals&codeA=bird&codeB=penguin")
                == "subsumes"
        )
        #expect(await server.get("CodeSystem/$lookup?\(code)=fish").status == 200)
        #expect(await server.get("CodeSystem/$lookup?\(code)=cow").status == 404)
        let loinc = await server.get("CodeSystem/$validate-code?url=http://loinc.org&code=8867-4")
        #expect(loinc.status == 404)
        #expect(loinc.json["issue"]?[0]?["code"]?.string == "not-found")
    }

    @Test(
        "codes are found by value set and by hierarchy",
        arguments: [
            ("code:in=http://a/birds", ["a", "b"]), ("code:not-in=http://a/birds", ["c"]),
            ("code:below=http://a/animals|bird", ["a", "b"]),
            ("code:above=http://a/animals|penguin", ["a", "b"]),
            ("code:below=http://a/animals|penguin", ["b"]),
            ("status:in=http://hl7.org/fhir/ValueSet/observation-status", ["a", "b", "c"]),
        ]
    )
    func search(query: String, ids: [String]) async throws {
        let server = try TestServer()
        await server.store(
            animals,
            birds,
            observation("a", "bird"),
            observation("b", "penguin"),
            observation("c", "fish")
        )
        #expect(await server.found("Observation?" + query.replacing("|", with: "%7C")) == ids)
    }

    @Test("a value set or code system that is not at hand is an error of the search")
    func unknown() async throws {
        let server = try TestServer()
        for query in [
            "code:in=http://a/none", "code:below=http://loinc.org%7C8867-4", "code:in=x", "code:below=x",
        ] {
            #expect(await server.get("Observation?\(query)").status == 400)
        }
    }
}
