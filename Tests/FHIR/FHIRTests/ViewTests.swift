import FHIR
import Foundation
import OrderedJSON
import Testing

@Suite("Views on FHIR resources")
struct ViewTests {
    @Test("what an app reads of a bundle")
    func reading() throws {
        let bundle = try Bundle(
            parsing: #"""
                {"resourceType":"Bundle","type":"collection","entry":[
                {"resource":{"resourceType":"Patient","id":"p","name":[{"family":"Doe","given":["A",null,\#
                "B"],"_given":[null,{"id":"x"}]}],
                 "birthDate":"1970-05","_birthDate":{"extension":[{"url":"http://x",\#
                "valueDateTime":"1970-05-01T08:00:00Z"}]},"deceasedBoolean":false}},
                {"fullUrl":"urn:uuid:1","resource":{"resourceType":"Observation","status":"final",\#
                "code":{"text":"Weight"},
                 "valueQuantity":{"value":74.80,"unit":"kg","comparator":"<"},\#
                "encounter":{"reference":"http://h/fhir/Encounter/9/_history/2"}}},
                {"resource":{"resourceType":"Basic","code":{}}}]}
                """#
        )
        #expect(bundle.type == .collection)
        let patient = try #require(bundle.resources(of: Patient.self).first)
        #expect(patient.id == "p")
        #expect(patient.name.first?.given == ["A", "B"])
        #expect(patient.name.first?.displayName == "A B Doe")
        #expect(patient.birthDate == "1970-05")
        #expect(patient.birthDate?.day == nil)
        #expect(
            patient.extensions(of: "birthDate").first?.value?.dateTime?.instant?.timeIntervalSince1970
                == 10_396_800
        )
        #expect(patient.deceased == .boolean(false))
        let observation = try #require(bundle.resources(of: Observation.self).first)
        #expect(observation.code?.text == "Weight")
        #expect(observation.value?.quantity?.value?.description == "74.80")
        #expect(observation.value?.quantity?.value?.decimal == Decimal(string: "74.8"))
        #expect(observation.value?.quantity?.comparator == .lessThan)
        #expect(observation.value?.string == nil)
        #expect(observation.encounter?.target?.type == "Encounter")
        #expect(observation.encounter?.target?.id == "9")
        #expect(bundle.entry.map(\.resource?.resourceType) == ["Patient", "Observation", "Basic"])
        #expect(bundle.entry[1].resource?.as(Patient.self) == nil)
    }

    @Test("what an app makes")
    func making() throws {
        var weight = Observation(status: .final, code: .loinc("29463-7", "Body weight"))
        weight.value = .quantity(Quantity(value: 74.8, unit: "kg", system: .ucum, code: "kg"))
        weight.subject = Reference("Patient/7")
        weight.effective = .dateTime("2026-11-21T08:00:00+01:00")
        weight.category = [
            .code("vital-signs", system: "http://terminology.hl7.org/CodeSystem/observation-category")
        ]
        #expect(
            weight.tree.text() == #"""
                {"resourceType":"Observation","status":"final",\#
                "code":{"coding":[{"system":"http://loinc.org","code":"29463-7","display":"Body weight"}],\#
                "text":"Body weight"},"valueQuantity":{"value":74.8,"unit":"kg",\#
                "system":"http://unitsofmeasure.org","code":"kg"},"subject":{"reference":"Patient/7"},\#
                "effectiveDateTime":"2026-11-21T08:00:00+01:00",\#
                "category":[{"coding":[{"system":"http:\#
                //terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]}]}
                """#
        )
        weight.value = .string("heavy")
        #expect(weight.tree["valueQuantity"] == nil)
        #expect(weight.value == .string("heavy"))
        weight.value = nil
        weight.category = []
        weight.subject = nil
        #expect(
            weight.tree["valueString"] == nil && weight.tree["category"] == nil
                && weight.tree["subject"] == nil
        )
        weight.code?.coding[0].display = "Weight"
        #expect(weight.code?.coding.first?.display == "Weight")
        let patient = Patient(
            name: HumanName(family: "Doe", given: ["Jo"]),
            gender: .female,
            birthDate: "1970-05-01"
        )
        #expect(
            patient.tree.text().hasPrefix(
                #"{"resourceType":"Patient","name":[{"family":"Doe","given":["Jo"]}]"#
            )
        )
    }

    @Test("a code that is not in the value set is kept")
    func codes() throws {
        var observation = try Observation(parsing: #"{"resourceType":"Observation","status":"brand-new"}"#)
        #expect(observation.status == .other("brand-new"))
        observation.status = .enteredInError
        #expect(observation.tree["status"]?.string == "entered-in-error")
        observation.status = .other("final")
        #expect(observation.status == .final)
        #expect(ObservationStatus.other("final") == .final)
        #expect(AdministrativeGender("other") == .codedOther)
        #expect(QuantityComparator(">=") == .greaterOrEqualTo)
    }

    @Test("members of the wrong type are absent, and stay")
    func wrongTypes() throws {
        let text =
            """
            {"resourceType":"Patient","active":"yes","name":{"family":"x"},"gender":5,\
            "birthDate":"1970-02-30","contact":[1]}
            """
        let patient = try Patient(parsing: text)
        #expect(patient.active == nil)
        #expect(patient.name.isEmpty)
        #expect(patient.gender == nil)
        #expect(patient.birthDate == nil)
        #expect(patient.contact.isEmpty)
        #expect(patient.tree.text() == text)
    }

    @Test("extensions of primitives are read and set, one value or several")
    func primitiveExtensions() throws {
        var patient = Patient(name: HumanName(given: ["A", "B"]))
        let note = Extension(url: "http://example.org/note", value: .string("why"))
        patient.setExtensions([note], of: "birthDate")
        #expect(
            patient.tree["_birthDate"]?.text()
                == #"{"extension":[{"url":"http://example.org/note","valueString":"why"}]}"#
        )
        #expect(patient.extensions(of: "birthDate") == [note])
        patient.setExtensions([], of: "birthDate")
        #expect(patient.tree["_birthDate"] == nil)
        var name = patient.name[0]
        name.setExtensions([note], of: "given", at: 1)
        #expect(name.tree["_given"]?.elements?.count == 2)
        #expect(name.tree["_given"]?[0]?.isNull == true)
        #expect(name.extensions(of: "given", at: 1) == [note])
        name.given = ["A"]
        #expect(name.tree["_given"] == nil)
    }

    @Test("an open choice holds any type")
    func openChoice() {
        var item = Extension(url: "http://x")
        for value: AnyValue in [
            .boolean(true), .integer(1), .decimal(1.5), .uri("http://y"), .date("2026"), .time("08:00:00"),
            .code("c"),
            .coding(Coding(system: .loinc, code: "1")), .period(Period(start: "2026")),
            .reference(Reference("Patient/1")),
        ] {
            item.value = value
            #expect(item.value == value)
            #expect(item.tree.members?.count == 2)
        }
    }

    @Test("equality ignores the order of members and respects the digits of decimals")
    func equality() throws {
        let one = try Observation(
            parsing: #"{"resourceType":"Observation","status":"final","valueQuantity":{"value":1.0}}"#
        )
        let other = try Observation(
            parsing:
                #"{ "valueQuantity": {"value": 1.0}, "status": "fin\u0061l", "resourceType": "Observation" }"#
        )
        let third = try Observation(
            parsing: #"{"resourceType":"Observation","status":"final","valueQuantity":{"value":1.00}}"#
        )
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != third)
    }

    @Test("recursive elements are views of the same type")
    func recursion() throws {
        let questionnaire = try Questionnaire(
            parsing:
                """
                {"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group",\
                "item":[{"linkId":"1.1","type":"choice"}]}]}
                """
        )
        let inner: Questionnaire.Item? = questionnaire.item.first?.item.first
        #expect(inner?.linkId == "1.1")
        #expect(inner?.type == .choice)
    }

    @Test("views go between tasks")
    func sendable() async throws {
        let patient = Patient(name: HumanName(family: "Doe"))
        let family = await Task.detached { patient.name.first?.family }.value
        #expect(family == "Doe")
    }
}
