import FHIR
import FHIRValidation
import Foundation
import IndivoBase
import OrderedJSON
import Testing

@testable import Surveys

struct DefinitionExtractionTests {
    private static func item(
        _ linkId: String,
        _ path: String,
        _ type: String = "string",
        _ members: [String: JSONValue] = [:]
    )
        -> JSONValue
    {
        var item: JSONValue = [
            "linkId": JSONValue(linkId), "type": JSONValue(type), "definition": elementDefinition(path),
        ]
        for (name, value) in members { item[name] = value }
        return item
    }

    private static func fixed(_ path: String, _ name: String, _ value: JSONValue) -> JSONValue {
        [
            "url": JSONValue(sdc + "definitionExtractValue"),
            "extension": [
                ["url": "definition", "valueUri": elementDefinition(path)],
                ["url": "fixed-value", name: value],
            ],
        ]
    }

    private static func computed(_ path: String, _ text: String) -> JSONValue {
        [
            "url": JSONValue(sdc + "definitionExtractValue"),
            "extension": [
                ["url": "definition", "valueUri": elementDefinition(path)],
                [
                    "url": "expression",
                    "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(text)],
                ],
            ],
        ]
    }

    private static func answers(_ values: (String, String)...) -> String {
        values.map { #"{"linkId": "\#($0)", "answer": [{\#($1)}]}"# }.joined(separator: ",")
    }

    private func patient(_ items: JSONValue, _ parts: (String, String)..., extensions: JSONValue...) -> Survey
    {
        var use = definitionUse("Patient")
        use["extension"] = JSONValue(
            (use["extension"]?.elements.map(Array.init) ?? [])
                + parts.map { ["url": JSONValue($0.0), "valueString": JSONValue($0.1)] as JSONValue }
        )
        return survey(items, ["extension": JSONValue([use] + extensions)])
    }

    @Test("answers fill elements, groups make instances, and joined texts are computed")
    func instances() throws {
        let survey = patient([
            [
                "linkId": "name", "type": "group", "repeats": true,
                "definition": elementDefinition("Patient.name"),
                "extension": [Self.computed("Patient.name.text", "item.answer.value.join(' ')")],
                "item": [
                    Self.item("given", "Patient.name.given", "string", ["repeats": true]),
                    Self.item("family", "HumanName.family"),
                ],
            ],
            Self.item("gender", "Patient.gender", "choice"), Self.item("born", "Patient.birthDate", "date"),
            Self.item(
                "phone",
                "Patient.telecom.value",
                "string",
                ["extension": [Self.fixed("Patient.telecom.system", "valueCode", "phone")]]
            ),
            Self.item(
                "mail",
                "Patient.telecom.value",
                "string",
                ["extension": [Self.fixed("Patient.telecom.system", "valueCode", "email")]]
            ),
        ])
        let others = Self.answers(
            ("gender", #""valueCoding": {"code": "female"}"#),
            ("born", #""valueDate": "1980-05-06""#),
            ("phone", #""valueString": "1""#),
            ("mail", #""valueString": "a@b""#)
        )
        let extraction = try extract(
            survey,
            """
            {"linkId": "name", "item": [{"linkId": "given", "answer": [{"valueString": "Ada"}, \
            {"valueString": "B"}]}, {"linkId": "family", "answer": [{"valueString": "L"}]}]},
            {"linkId": "name", "item": [{"linkId": "given", "answer": [{"valueString": "Ad"}]}]},
            \(others)
            """
        )
        #expect(extraction.diagnostics.isEmpty, "\(extraction.diagnostics)")
        let patient = try #require(extraction.resources.first)
        #expect(
            patient["name"] == [
                ["text": "Ada B L", "family": "L", "given": ["Ada", "B"]], ["text": "Ad", "given": ["Ad"]],
            ],
            "\(patient)"
        )
        #expect(
            patient["telecom"] == [["system": "phone", "value": "1"], ["system": "email", "value": "a@b"]],
            "\(patient)"
        )
        #expect(patient["gender"] == "female" && patient["birthDate"] == "1980-05-06")
    }

    @Test("questions without a group share an instance as long as it has room")
    func sharing() throws {
        let survey = patient([
            Self.item("given", "Patient.name.given"), Self.item("family", "Patient.name.family"),
            Self.item("second", "Patient.name.family"),
        ])
        let extraction = try extract(
            survey,
            Self.answers(
                ("given", #""valueString": "A""#),
                ("family", #""valueString": "B""#),
                ("second", #""valueString": "C""#)
            )
        )
        #expect(
            extraction.resources[0]["name"] == [["family": "B", "given": ["A"]], ["family": "C"]],
            "\(extraction.resources)"
        )
    }

    @Test(
        "a choice has one type, and another one is reported",
        arguments: [
            ("integer", #""valueInteger": 5"#, "valueInteger", "5"),
            ("decimal", #""valueDecimal": 5.10"#, "valueQuantity", #"{"value":5.10}"#),
            (
                "choice", #""valueCoding": {"code": "x"}"#, "valueCodeableConcept",
                #"{"coding":[{"code":"x"}]}"#
            ),
            ("boolean", #""valueBoolean": false"#, "valueBoolean", "false"),
        ]
    )
    func choices(type: String, answer: String, name: String, expected: String) throws {
        let fixed = [
            Self.fixed("Observation.status", "valueCode", "final"),
            Self.fixed("Observation.code", "valueCodeableConcept", ["text": "c"]),
        ]
        let survey = survey(
            [
                Self.item("q", "Observation.value[x]", type),
                Self.item("other", "Observation.value[x]:valueString"),
                Self.item("again", "Observation.value", type),
            ],
            ["extension": JSONValue([definitionUse("Observation")] + fixed)]
        )
        let one = try extract(survey, Self.answers(("q", answer)))
        #expect(one.diagnostics.isEmpty && one.resources[0][name]?.text() == expected, "\(one)")
        let two = try extract(
            survey,
            Self.answers(("q", answer), ("other", #""valueString": "x""#), ("again", answer))
        )
        #expect(
            two.codes == ["other conflictingValues", "again conflictingValues"]
                && two.resources[0]["valueString"] == nil
        )
    }

    @Test("a number keeps its unit, in quantities by parts and as a whole")
    func units() throws {
        let unit: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
            "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg"],
        ]
        let fixed = [
            Self.fixed("Observation.status", "valueCode", "final"),
            Self.fixed("Observation.code", "valueCodeableConcept", ["text": "c"]),
        ]
        let whole = survey(
            [Self.item("q", "Observation.value[x]", "integer", ["extension": [unit]])],
            ["extension": JSONValue([definitionUse("Observation")] + fixed)]
        )
        #expect(
            try extract(whole, Self.answers(("q", #""valueInteger": 70"#))).resources[0]["valueQuantity"] == [
                "value": 70, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg",
            ]
        )
        let parts = survey(
            [
                Self.item(
                    "q",
                    "Observation.value[x]:valueQuantity.value",
                    "decimal",
                    [
                        "extension": [
                            Self.fixed("Observation.value[x]:valueQuantity.unit", "valueString", "kg")
                        ]
                    ]
                )
            ],
            ["extension": JSONValue([definitionUse("Observation")] + fixed)]
        )
        #expect(
            try extract(parts, Self.answers(("q", #""valueDecimal": 70.50"#))).resources[0]["valueQuantity"]?
                .text()
                == #"{"value":70.50,"unit":"kg"}"#
        )
    }

    @Test("what does not fit is reported with the item, and the rest is extracted")
    func mistakes() throws {
        let survey = patient([
            Self.item("gender", "Patient.gender"), Self.item("born", "Patient.birthDate"),
            Self.item("nothing", "Patient.wings"),
            Self.item("twice", "Patient.birthDate", "date"), Self.item("late", "Patient.birthDate", "date"),
            Self.item("elsewhere", "Practitioner.active", "boolean"),
            Self.item(
                "active",
                "Patient.active",
                "boolean",
                ["extension": [Self.computed("Patient.gender", "%nobody")]]
            ),
        ])
        let extraction = try extract(
            survey,
            Self.answers(
                ("gender", #""valueString": "f""#),
                ("born", #""valueString": "1980 or so""#),
                ("nothing", #""valueString": "2""#),
                ("twice", #""valueDate": "1980-05-06""#),
                ("late", #""valueDate": "1981-05-06""#),
                ("elsewhere", #""valueBoolean": true"#),
                ("active", #""valueBoolean": true"#)
            )
        )
        #expect(
            extraction.codes == [
                "gender wrongType", "born wrongType", "nothing unknownElement", "late conflictingValues",
                "active expressionFailed",
            ]
        )
        #expect(
            extraction.resources == [["resourceType": "Patient", "active": true, "birthDate": "1980-05-06"]]
        )
    }

    @Test("an update by an id needs all of its answers, or the resource that it updates")
    func updates() throws {
        let survey = patient(
            [
                Self.item("born", "Patient.birthDate", "date"),
                Self.item("gender", "Patient.gender", "choice"),
            ],
            ("resourceId", "'7'")
        )
        let gender = #""valueCoding": {"code": "male"}"#
        #expect(try extract(survey, Self.answers(("gender", gender))).codes == [" incompleteUpdate"])
        let all = try extract(
            survey,
            Self.answers(("born", #""valueDate": "1980-05-06""#), ("gender", gender))
        )
        #expect(
            all.bundle.entry.first?.request?.method == .put
                && all.bundle.entry.first?.request?.url == "Patient/7"
        )
        let known: JSONValue = [
            "resourceType": "Patient", "id": "7", "birthDate": "1980", "name": [["text": "Ada"]],
        ]
        let merged = try extract(survey, Self.answers(("gender", gender)), resources: ["patient": [known]])
        #expect(
            merged.resources == [
                [
                    "resourceType": "Patient", "id": "7", "birthDate": "1980", "name": [["text": "Ada"]],
                    "gender": "male",
                ]
            ],
            "\(merged.diagnostics)"
        )
        // Nothing answered is no update at all.
        #expect(try extract(survey, "", resources: ["patient": [known]]).resources.isEmpty)
    }

    @Test("the older extension names a type, or a query whose resource has to be given")
    func itemContext() throws {
        func survey(_ name: String, _ value: JSONValue) -> Survey {
            SurveysTests.survey(
                [Self.item("born", "Patient.birthDate", "date")],
                ["extension": [["url": JSONValue(sdc + "itemExtractionContext"), name: value]]]
            )
        }
        let answer = Self.answers(("born", #""valueDate": "1980-05-06""#))
        #expect(
            try extract(survey("valueCode", "Patient"), answer).bundle.entry.first?.request?.method == .post
        )
        let plain = survey(
            "valueExpression",
            ["language": "application/x-fhir-query", "expression": "Patient"]
        )
        #expect(try extract(plain, answer).bundle.entry.first?.request?.method == .post)
        let query = survey(
            "valueExpression",
            ["language": "application/x-fhir-query", "expression": "Patient?_id={{%patient.id}}"]
        )
        #expect(try extract(query, answer).codes == [" resourceNotGiven"])
        let known: JSONValue = ["resourceType": "Patient", "id": "7", "active": true]
        let update = try extract(query, answer, resources: ["patient": [known]])
        #expect(
            update.resources == [
                ["resourceType": "Patient", "id": "7", "active": true, "birthDate": "1980-05-06"]
            ],
            "\(update.diagnostics)"
        )
    }

    @Test("20,000 repetitions of a group are extracted, or end at the budget")
    func large() throws {
        let survey = patient([
            [
                "linkId": "name", "type": "group", "repeats": true,
                "definition": elementDefinition("Patient.name"),
                "item": [Self.item("given", "Patient.name.given")],
            ]
        ])
        func names(_ count: Int) -> String {
            Array(
                repeating:
                    #"{"linkId": "name", "item": [{"linkId": "given", "answer": [{"valueString": "A"}]}]}"#,
                count: count
            )
            .joined(separator: ",")
        }
        #expect(try extract(survey, names(5_000)).resources[0]["name"]?.elements?.count == 5_000)
        var budget = ExtractionBudget()
        budget.bytes = 10_000
        #expect(try extract(survey, names(5_000), budget: budget).codes == [" extractionTooLarge"])
    }
}

@Suite(.enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there"))
struct SharedExtractionTests {
    @Test(
        "HL7's complex examples give the resources that they are written for",
        arguments: [
            "hl7sdc__extract-complex-template", "hl7sdc__extract-complex-defn3",
        ]
    )
    func complex(name: String) throws {
        let survey = Survey(try SharedQuestionnaires.questionnaire(name))
        let extraction = try extract(
            survey,
            """
            {"linkId": "patient", "item": [
              {"linkId": "name", "item": [{"linkId": "given", "answer": [{"valueString": "Ada"}]}, \
            {"linkId": "family", "answer": [{"valueString": "L"}]}]},
              {"linkId": "gender", "answer": [{"valueCoding": {"system": \
            "http://hl7.org/fhir/administrative-gender", "code": "female"}}]},
              {"linkId": "dob", "answer": [{"valueDate": "1980-05-06"}]}, {"linkId": "ihi", "answer": \
            [{"valueString": "42"}]},
              {"linkId": "mobile-phone", "answer": [{"valueString": "0123"}]}]},
            {"linkId": "contacts", "item": [{"linkId": "contact-name", "answer": [{"valueString": "Bea"}]}]},
            {"linkId": "contacts", "item": [{"linkId": "contact-name", "answer": [{"valueString": "Cy"}]}]},
            {"linkId": "obs", "item": [{"linkId": "height", "answer": [{"valueDecimal": 1.70}]}, {"linkId": \
            "weight", "answer": [{"valueDecimal": 60.5}]}]}
            """
        )
        #expect(
            extraction.resources.map { $0["resourceType"]?.string } == [
                "Patient", "RelatedPerson", "RelatedPerson", "Observation", "Observation",
            ],
            "\(extraction.diagnostics)"
        )
        let patient = try #require(extraction.resources.first)
        #expect(
            patient["name"]?[0]?["text"] == "Ada L" && patient["identifier"]?[0]?["value"] == "42"
                && patient["gender"] == "female"
        )
        let fullURL = try #require(extraction.bundle.entry[0].fullUrl?.rawValue)
        #expect(extraction.resources[1]["patient"]?["reference"]?.string == fullURL)
        #expect(extraction.resources[4]["subject"]?["reference"]?.string == fullURL)
        #expect(
            extraction.resources[4]["valueQuantity"]?["value"]?.number == "60.5"
                && extraction.resources[4]["valueQuantity"]?["unit"] == "kg"
        )
        // The example has the codes of system and use the wrong way round, which is reported.
        #expect(
            extraction.codes.filter { $0.hasPrefix("mobile-phone") }
                == (name.hasSuffix("defn3") ? ["mobile-phone wrongType", "mobile-phone wrongType"] : [])
        )
    }

    @Test("random answers to every questionnaire that extracts give a valid bundle")
    func random() throws {
        var extracted = 0
        for file in SharedQuestionnaires.files("Questionnaire") {
            let survey = Survey(try Questionnaire(parsing: Data(contentsOf: file)))
            var session = SurveySession(survey, context: SurveyContext(now: "2026-11-22T09:30:00+01:00"))
            var answers = RandomAnswers(generator: SeededGenerator(seed: 7))
            try answers.fill(&session)
            let extraction = survey.extract(from: session.response(), context: session.context)
            #expect(
                extraction.bundle.issues(.withoutProfiles).filter(\.isError).isEmpty,
                "\(file.lastPathComponent)"
            )
            #expect(
                !extraction.bundle.entry.isEmpty || !extraction.diagnostics.isEmpty,
                "\(file.lastPathComponent)"
            )
            extracted += extraction.bundle.entry.count
        }
        #expect(extracted > 20)
    }
}
