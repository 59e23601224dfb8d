import FHIR
import FHIRTerminology
import OrderedJSON
import Testing

@Suite("The operations of a terminology service")
struct OperationTests {
    private func perform(_ operation: TerminologyOperation, _ query: [(String, String)]) throws -> JSONValue {
        try operation.result(
            OperationParameters(query: query.map { (name: $0.0, value: $0.1) }),
            with: .r4,
            identifier: "urn:uuid:00000000-0000-4000-8000-000000000000",
            now: "2026-11-25T12:00:00Z"
        )
    }

    /// The value of a parameter of the result.
    private func value(_ name: String, _ result: JSONValue) -> JSONValue? {
        let found = result["parameter"]?.elements?.first { $0["name"]?.string == name }
        return found?.members?.first { $0.name.hasPrefix("value") }?.value
    }

    @Test("$expand gives a ValueSet with the page that is asked for")
    func expand() throws {
        let result = try perform(
            .expand,
            [
                ("url", "http://hl7.org/fhir/ValueSet/observation-status"), ("count", "2"), ("offset", "1"),
            ]
        )
        let expansion = try #require(result["expansion"])
        #expect(expansion["total"]?.integer == 8)
        #expect(expansion["contains"]?.elements?.map { $0["code"]?.string } == ["preliminary", "final"])
    }

    @Test("$validate-code takes a code, Coding or CodeableConcept, and checks the display")
    func validate() throws {
        let url = ("url", "http://hl7.org/fhir/ValueSet/observation-category")
        let system = ("system", "http://terminology.hl7.org/CodeSystem/observation-category")
        let good = try perform(.validateInValueSet, [url, system, ("code", "vital-signs")])
        #expect(value("result", good)?.boolean == true)
        #expect(value("display", good)?.string == "Vital Signs")
        let bad = try perform(.validateInValueSet, [url, system, ("code", "vitalsigns")])
        #expect(value("result", bad)?.boolean == false)
        let wrong = try perform(
            .validateInValueSet,
            [url, system, ("code", "vital-signs"), ("display", "Blood")]
        )
        #expect(value("result", wrong)?.boolean == false)
        let parameters: JSONValue = [
            "resourceType": "Parameters",
            "parameter": [
                ["name": "url", "valueUri": JSONValue(url.1)],
                [
                    "name": "codeableConcept",
                    "valueCodeableConcept": [
                        "coding": [
                            ["system": "http://loinc.org", "code": "8867-4"],
                            ["system": JSONValue(system.1), "code": "laboratory"],
                        ]
                    ],
                ],
            ],
        ]
        let concept = try TerminologyOperation.validateInValueSet.result(
            OperationParameters(parameters),
            with: .r4,
            identifier: "",
            now: "2026"
        )
        #expect(value("result", concept)?.boolean == true)
    }

    @Test("what is not checked is an error, never valid")
    func notChecked() {
        #expect(throws: TerminologyOperationError.self) {
            try perform(.validateInCodeSystem, [("url", "http://loinc.org"), ("code", "8867-4")])
        }
        #expect(throws: TerminologyOperationError.terminology(.unknownValueSet("http://a/none"))) {
            try perform(.expand, [("url", "http://a/none")])
        }
    }

    @Test("$lookup and $subsumes follow the hierarchy")
    func hierarchy() throws {
        let system = ("system", "http://terminology.hl7.org/CodeSystem/v3-ActCode")
        let found = try perform(.lookup, [system, ("code", "AMB")])
        #expect(value("display", found)?.string == "ambulatory")
        let subsumes = try perform(.subsumes, [system, ("codeA", "_ActEncounterCode"), ("codeB", "AMB")])
        #expect(value("outcome", subsumes)?.string == "subsumes")
        let reversed = try perform(.subsumes, [system, ("codeA", "AMB"), ("codeB", "_ActEncounterCode")])
        #expect(value("outcome", reversed)?.string == "subsumed-by")
    }
}
