import FHIR
import Foundation
import OrderedJSON
import TestSupport
import Testing

@Suite("FHIR resources as they were written")
struct RoundTripTests {
    private static let files = SharedFHIR.files("examples", "synthea")

    @Test(
        "every official example and patient bundle is written as it was",
        .enabled(if: !files.isEmpty, "../shared/fhir is not there"),
        arguments: files
    )
    func lossless(file: URL) throws {
        let data = try Data(contentsOf: file)
        let resource = try AnyResource(parsing: data)
        let again = try AnyResource(parsing: resource.json(.pretty))
        #expect(resource.json() == again.json())
        #expect(resource == again)
        // The tokens are the text's own: only white space between them is gone.
        #expect(resource.json().count <= data.count)
        #expect(resource.tree.text(.asWritten).utf8.elementsEqual(data[(resource.tree.sourceRange ?? 0..<0)]))
    }

    @Test("unknown members, extensions of primitives, digits and order survive a change")
    func changed() throws {
        let text = #"""
            {"resourceType":"Observation","x-new":[1.0],"status":"final","_status":{"id":"a"},\#
            "valueQuantity":{"value":1.10},"code":{"text":"\u0041"},"extra":null}
            """#
        var observation = try Observation(parsing: text)
        observation.code?.text = "B"
        observation.subject = Reference("Patient/7")
        #expect(
            String(decoding: observation.json(), as: UTF8.self) == #"""
                {"resourceType":"Observation","x-new":[1.0],"status":"final","_status":{"id":"a"},\#
                "valueQuantity":{"value":1.10},"code":{"text":"B"},"extra":null,\#
                "subject":{"reference":"Patient/7"}}
                """#
        )
    }

    @Test("what is no resource of the type is refused with a reason that omits its content")
    func refused() {
        #expect(throws: FHIRParsingError.wrongType(expected: "Patient", found: "Observation")) {
            try Patient(parsing: #"{"resourceType":"Observation"}"#)
        }
        #expect(throws: FHIRParsingError.wrongType(expected: "Patient", found: nil)) {
            try Patient(parsing: #"{"resourceType":"SecretName"}"#)
        }
        for text in ["{}", "[]", "1", #"{"resourceType":1}"#] {
            #expect(throws: FHIRParsingError.notAResource) { try AnyResource(parsing: text) }
        }
        let error = #expect(throws: FHIRParsingError.self) {
            try Patient(parsing: "{\n\"resourceType\" \"Secret\"}")
        }
        guard case .json(let json) = error else {
            Issue.record("no JSON error")
            return
        }
        #expect(json.location.description == "2:16")
        #expect(error?.description.contains("Secret") == false)
    }
}
