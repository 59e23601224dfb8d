import FHIR
import StudyWarehouse
import Testing

@Suite struct MappingTests {
    private let name = ConceptNames.questionnaire("http://example.org/Questionnaire/diary")

    private func base(_ set: FactSet, _ concept: String) -> [Fact] {
        set.facts.filter { $0.concept == concept && $0.modifier == "@" }
    }

    @Test("every answer is one fact, and the response is another")
    func answers() throws {
        let set = try Samples.facts()
        // 1 response, 2 moods, pain, well, drug, 2 doses, note.
        #expect(set.facts.count { $0.modifier == "@" } == 9)
        #expect(set.omitted.isEmpty)
        #expect(set.visit.id == "http://example.org|r-1")
        #expect(set.facts.allSatisfy { $0.start.description == "2026-03-01 09:00:00" })
    }

    @Test("choices are concepts of their own")
    func choices() throws {
        let set = try Samples.facts()
        #expect(base(set, "SURVEY:\(name):mood=good").map(\.value) == [.text("Good")])
        #expect(base(set, "SURVEY:\(name):mood=tired").map(\.value) == [.text("Tired")])
        #expect(base(set, "SURVEY:\(name):well=true").map(\.value) == [.text("yes")])
    }

    @Test("standard codes are the concepts and keep their question")
    func standardCodes() throws {
        let set = try Samples.facts()
        #expect(base(set, "LOINC:44250-9").map(\.value) == [.text("LA6568-5")])
        #expect(base(set, "RXNORM:1191").map(\.value) == [.text("Aspirin")])
        let modifiers = set.facts.filter {
            $0.concept == "RXNORM:1191" && $0.modifier == FactModifier.question
        }
        #expect(modifiers.map(\.value) == [.text("\(name):drug")])
    }

    @Test("repeated groups are told apart")
    func repeated() throws {
        let set = try Samples.facts()
        let doses = base(set, "SURVEY:\(name):dose")
        #expect(doses.map(\.instance) == [1, 2])
        #expect(doses.map(\.unit) == ["mg", "mg"])
        #expect(doses[0].value == .number(try #require(WarehouseNumber(100.5)), comparison: "E"))
        #expect(doses[1].value == .number(try #require(WarehouseNumber(20)), comparison: "L"))
        let groups = set.facts.filter {
            $0.concept == "SURVEY:\(name):dose" && $0.modifier == FactModifier.group
        }
        #expect(groups.map(\.value) == [.text("meds"), .text("meds[2]")])
        #expect(groups.map(\.instance) == [1, 2])
    }

    @Test("no two facts have the same key")
    func keys() throws {
        let set = try Samples.facts()
        let keys = set.facts.map { "\($0.concept)|\($0.modifier)|\($0.instance)|\($0.start)" }
        #expect(Set(keys).count == keys.count)
    }

    @Test("people's own words can be left out")
    func ownWords() throws {
        let mapper = ResponseMapper(freeText: .omitted)
        let set = try mapper.map(Samples.response(Samples.items), visit: "v", received: Samples.received)
        #expect(base(set, "SURVEY:\(name):note").map(\.value) == [.none])
    }

    @Test(
        "responses that do not count become visits without facts",
        arguments: ["entered-in-error", "in-progress", "stopped"]
    )
    func ignored(status: String) throws {
        let set = try Samples.mapper.map(
            Samples.response(Samples.items, status: status),
            visit: "v",
            received: Samples.received
        )
        #expect(set.facts.isEmpty)
        #expect(set.visit.id == "http://example.org|r-1")
    }

    @Test("what has no form as a fact is listed")
    func omitted() throws {
        let response = try Samples.response(
            """
            {"linkId": "p", "answer": [{"valueAttachment": {"title": "x"}}, {"valueReference": {"reference": \
            "A/1"}}]}
            """
        )
        let set = try ResponseMapper().map(response, visit: "v", received: Samples.received)
        #expect(set.omitted == ["p: an attachment", "p: a reference"])
    }

    @Test("deep nesting and missing names are refused")
    func refused() throws {
        let deep =
            String(repeating: #"{"linkId": "g", "item": ["#, count: 70) + #"{"linkId": "x"}"#
            + String(repeating: "]}", count: 70)
        #expect(throws: MappingError.self) {
            try ResponseMapper().map(Samples.response(deep), visit: "v", received: Samples.received)
        }
        #expect(throws: MappingError.self) {
            try ResponseMapper().map(Samples.response("{}"), visit: "v", received: Samples.received)
        }
        let nameless = QuestionnaireResponse(status: .completed)
        #expect(throws: MappingError.self) {
            try ResponseMapper().map(nameless, visit: "v", received: Samples.received)
        }
    }

    @Test("what a phone calls a code names no concept")
    func displays() throws {
        let items = """
            {"linkId": "mood", "answer": [
              {"valueCoding": {"system": "http://example.org/mood", "code": "good", "display": "I am Ada"}},
              {"valueCoding": {"system": "http://example.org/mood", "code": "odd", "display": "I am Ada"}},
              {"valueCoding": {"system": "http://snomed.info/sct", "code": "1", "display": "I am Ada"}}]}
            """
        let set = try Samples.mapper.map(Samples.response(items), visit: "v", received: Samples.received)
        #expect(!"\(set.concepts)".contains("Ada"))
        #expect(base(set, "SURVEY:\(name):mood=good").map(\.value) == [.text("Good")])
        #expect(base(set, "SURVEY:\(name):mood=odd").map(\.value) == [.text("I am Ada")])
        let careful = ResponseMapper(freeText: .omitted)
        let omitted = try careful.map(Samples.response(items), visit: "v", received: Samples.received)
        #expect(!"\(omitted)".contains("Ada"))
        let observation = try Observation(
            parsing: #"""
                {"resourceType": "Observation", "status": "final", "code": {"text": "I am Ada", "coding": [
                  {"system": "http://loinc.org", "code": "41981-2", "display": "I am Ada"}]}}
                """#
        )
        let measured = try ObservationMapper().map(observation, visit: "v", received: Samples.received)
        #expect(measured.concepts.map(\.name) == ["Calories burned"])
    }

    @Test("components of an Observation are facts of one panel")
    func components() throws {
        let observation = try Observation(
            parsing: """
                {"resourceType": "Observation", "status": "final", "code": {"coding": [{"system": \
                "http://example.org", "code": "x"},
                  {"system": "http://loinc.org", "code": "85354-9"}]}, "effectivePeriod": {"start": \
                "2026-03-01T08:00:00Z", "end": "2026-03-01T08:05:00Z"},
                 "interpretation": [{"coding": [{"code": "HH"}]}], "component": [
                 {"code": {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]}, "valueQuantity": \
                {"value": 120, "code": "mm[Hg]"}},
                 {"code": {"coding": [{"system": "http://loinc.org", "code": "8462-4"}]}, "valueQuantity": \
                {"value": 80, "code": "mm[Hg]"}},
                 {"code": {"coding": [{"system": "http://loinc.org", "code": "1-1"}]}, "valueRange": {"low": \
                {"value": 1}}}]}
                """
        )
        let set = try ObservationMapper().map(observation, visit: "v", received: Samples.received)
        #expect(
            set.facts.filter { $0.modifier == "@" }.map(\.concept) == [
                "LOINC:85354-9", "LOINC:8480-6", "LOINC:8462-4",
            ]
        )
        #expect(
            set.facts.filter { $0.modifier == FactModifier.component }.map(\.value)
                == Array(repeating: .text("LOINC:85354-9"), count: 2)
        )
        #expect(set.facts.first?.flag == "H")
        #expect(set.facts.first?.end?.description == "2026-03-01 08:05:00")
        #expect(set.omitted == ["Observation.component[2].value: Range"])
    }

    @Test("an Observation with the identifier of a response is another visit")
    func sameIdentifier() throws {
        let response = try Samples.facts()
        let observation = try Observation(
            parsing: #"""
                {"resourceType": "Observation", "status": "final", "identifier": [{"system": \#
                "http://example.org", "value": "r-1"}],
                 "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]}}
                """#
        )
        let set = try ObservationMapper().map(observation, visit: "v", received: Samples.received)
        #expect(set.visit.id != response.visit.id)
        #expect(set.visit.id.hasSuffix(response.visit.id))
    }

    @Test("demographics are a row and a fact")
    func demographics() throws {
        let patient = try Patient(
            parsing:
                """
                {"resourceType": "Patient", "gender": "female", "birthDate": "1980-05-06", "address": \
                [{"state": "MA", "postalCode": "021"}]}
                """
        )
        let set = PatientMapper().map(patient, received: Samples.received)
        #expect(set.patient?.sex == "F")
        #expect(set.patient?.birth?.description == "1980-01-01 00:00:00")
        #expect(set.patient?.state == "MA")
        #expect(set.facts.map(\.concept) == ["DEM|SEX:F"])
    }

    @Test(
        "each gender is a sex of its own",
        arguments: [("male", "M"), ("female", "F"), ("other", "O"), ("unknown", "NI")]
    )
    func genders(gender: String, sex: String) throws {
        let patient = try Patient(parsing: #"{"resourceType": "Patient", "gender": "\#(gender)"}"#)
        let set = PatientMapper().map(patient, received: Samples.received)
        #expect(set.facts.map(\.concept) == ["DEM|SEX:\(sex)"])
        #expect(set.patient?.sex == sex)
    }

    @Test("a time is a modifier where the fact’s own time does not say all of it")
    func times() throws {
        for (authored, isKept) in [
            ("2026-03-01T10:00:00Z", false), ("2026-03-01T10:00:00.25Z", false),
            ("2026-03-01T10:00:00+01:00", true), ("2026-03-01T10:00:00+00:00", true), ("2026-03-01", true),
            // Later than its receipt.
            ("2026-03-09T10:00:00Z", true),
        ] {
            let response = try Samples.response(Samples.items, authored: authored)
            let set = try Samples.mapper.map(response, visit: "v", received: Samples.received)
            let times = set.facts.filter { $0.modifier == FactModifier.time }
            #expect(times.map(\.value) == (isKept ? [.text(authored)] : []), "\(authored)")
        }
    }
}
