import FHIR
import FHIRPathEngine
import FHIRTerminology
import Testing

@Suite("R4's own code systems and value sets")
struct TableTests {
    @Test("every code system and value set of the tables can be read")
    func everything() throws {
        var concepts = 0
        for url in Terminology.codeSystemsOfR4 {
            let system = try #require(try Terminology.r4.codeSystem(url))
            #expect(system.url == url)
            concepts += system.concepts.count
        }
        #expect(Terminology.codeSystemsOfR4.count == 1062)
        #expect(concepts == 20_731)
        for url in Terminology.valueSetsOfR4 {
            #expect(try Terminology.r4.valueSet(url)?.url == url)
        }
        #expect(Terminology.valueSetsOfR4.count == 1316)
    }

    @Test("a code of a value set is valid, with its display, and another one is not")
    func validation() {
        let status = "http://hl7.org/fhir/ValueSet/observation-status"
        #expect(Terminology.r4.validate("final", in: status) == .valid(display: "Final"))
        #expect(
            Terminology.r4.validate("finale", in: status)
                == .invalid(reason: "it is not in the value set \(status)")
        )
        let other = Terminology.r4.validate("final", system: "http://loinc.org", in: status)
        #expect(other == .invalid(reason: "it is not in the value set \(status)"))
    }

    @Test("a code of a system not at hand is unchecked, and a wrong check digit is invalid")
    func notAtHand() {
        let codes = "http://hl7.org/fhir/ValueSet/observation-codes"
        let loinc = "http://loinc.org"
        #expect(Terminology.r4.validate("8867-4", system: loinc, in: codes).isNotChecked)
        #expect(Terminology.r4.validate("8867-5", system: loinc, in: codes).isInvalid)
        #expect(Terminology.r4.validate("8867-4", of: loinc).isNotChecked)
        #expect(Terminology.r4.validate("22298006", of: "http://snomed.info/sct").isNotChecked)
        #expect(Terminology.r4.validate("22298007", of: "http://snomed.info/sct").isInvalid)
        #expect(Terminology.r4.validate("x", in: "http://example.org/none").isNotChecked)
    }

    @Test(
        "codes with a form are checked by it",
        arguments: [
            ("http://unitsofmeasure.org", "mm[Hg]", true), ("http://unitsofmeasure.org", "fmm[Hg]", false),
            ("urn:ietf:bcp:47", "de-CH-1996", true), ("urn:ietf:bcp:47", "zh-Hant-TW", true),
            ("urn:ietf:bcp:47", "sgn-BE-FR", true), ("urn:ietf:bcp:47", "en-a-bbb-x-a-ccc", true),
            ("urn:ietf:bcp:47", "english", true), ("urn:ietf:bcp:47", "xx", false),
            ("urn:ietf:bcp:47", "de_CH", false),
            ("urn:ietf:bcp:47", "de-", false), ("urn:ietf:bcp:47", "ar-a", false),
            ("urn:ietf:bcp:47", "", false),
            ("urn:ietf:bcp:13", "text/plain; charset=UTF-8", true),
            ("urn:ietf:bcp:13", "application/fhir+json", true),
            ("urn:ietf:bcp:13", "text", false), ("urn:ietf:bcp:13", "text/", false),
            ("urn:ietf:bcp:13", "a/b/c", false),
            ("urn:iso:std:iso:4217", "CHF", true), ("urn:iso:std:iso:4217", "chf", false),
        ]
    )
    func forms(system: String, code: String, isCode: Bool) {
        let validation = Terminology.r4.validate(code, of: system)
        #expect(isCode ? validation == .valid(display: nil) : validation.isInvalid)
    }

    @Test("units of time are in their value set, and others are not")
    func units() {
        let units = "http://hl7.org/fhir/ValueSet/all-time-units"
        #expect(Terminology.r4.validate("wk", in: units) == .valid(display: nil))
        #expect(Terminology.r4.validate("kg", in: units).isInvalid)
    }

    @Test("a value set in another version than the table's is not checked")
    func versions() {
        let url = "http://hl7.org/fhir/ValueSet/observation-status"
        #expect(Terminology.r4.validate("final", in: url + "|4.0.1") == .valid(display: "Final"))
        #expect(Terminology.r4.validate("final", in: url + "|5.0.0").isNotChecked)
    }

    @Test("memberOf asks the terminology, by value set or code system")
    func memberOf() throws {
        var context = FHIRPathContext()
        context.memberOf = Terminology.r4.isMember
        let patient = try Patient(
            parsing: #"{"resourceType": "Patient", "gender": "male", "language": "xx"}"#
        )
        func value(_ expression: String) throws -> Bool? {
            try FHIRPath(expression).evaluate(on: patient.tree, in: context).first?.boolean
        }
        #expect(try value("gender.memberOf('http://hl7.org/fhir/ValueSet/administrative-gender')") == true)
        #expect(try value("gender.memberOf('http://hl7.org/fhir/administrative-gender')") == true)
        #expect(try value("gender.memberOf('http://hl7.org/fhir/ValueSet/observation-status')") == false)
        #expect(try value("language.memberOf('http://hl7.org/fhir/ValueSet/all-languages')") == false)
        #expect(try value("gender.memberOf('http://example.org/none')") == nil)
    }
}

extension CodeValidation {
    var isInvalid: Bool { if case .invalid = self { true } else { false } }
    var isNotChecked: Bool { if case .notChecked = self { true } else { false } }
}
