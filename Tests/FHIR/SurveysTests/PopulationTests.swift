import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import Surveys
import Testing

/// Filling a survey from resources that are given, without any server.
@Suite("Surveys: population")
struct PopulationTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private func survey(_ items: JSONValue, extensions: JSONValue = [], contained: JSONValue = []) throws
        -> Survey
    {
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "active", "contained": contained,
            "extension": extensions, "item": items,
        ]
        return Survey(try Questionnaire(parsing: Data(questionnaire.text().utf8)))
    }

    private func expression(
        _ name: String,
        _ text: String,
        language: String = "text/fhirpath",
        as id: String? = nil
    )
        -> JSONValue
    {
        var value: JSONValue = ["language": JSONValue(language), "expression": JSONValue(text)]
        if let id { value["name"] = JSONValue(id) }
        let url = name == "variable" ? "http://hl7.org/fhir/StructureDefinition/variable" : Self.sdc + name
        return ["url": JSONValue(url), "valueExpression": value]
    }

    private let patient: JSONValue = [
        "resourceType": "Patient", "id": "7", "birthDate": "1970-04-01",
        "name": [
            ["family": "Reed", "given": ["Ada", "Jo"]],
            ["family": "Miller", "given": ["Ada"]],
        ],
    ]

    private func bundle(_ resources: JSONValue...) -> JSONValue {
        [
            "resourceType": "Bundle", "type": "searchset",
            "entry": JSONValue(resources.map { ["resource": $0, "search": ["mode": "match"]] }),
        ]
    }

    private func texts(_ session: SurveySession, _ linkId: String) -> [[String]] {
        session.occurrences(of: linkId).map { session.answers(of: $0).map(\.label) }
    }

    @Test("a query is asked for, and its result is what its variable has")
    func query() throws {
        let survey = try survey(
            [
                [
                    "linkId": "weight", "type": "decimal",
                    "extension": [expression("initialExpression", "%Weight.entry.resource.value.value")],
                ]
            ],
            extensions: [
                expression(
                    "variable",
                    "Observation?code=29463-7&patient={{%patient.id}}",
                    language: "application/x-fhir-query",
                    as: "Weight"
                )
            ]
        )
        #expect(survey.diagnostics.isEmpty)
        var context = SurveyContext(resources: ["patient": [patient]])
        let url = "Observation?code=29463-7&patient=7"
        let open = SurveySession(survey, context: context)
        #expect(open.openQueries == [url] && texts(open, "weight") == [[]])
        context.queries[url] = bundle(
            ["resourceType": "Observation", "id": "o", "valueQuantity": ["value": 74.50]]
        )
        let session = SurveySession(survey, context: context)
        #expect(session.openQueries.isEmpty)
        #expect(texts(session, "weight") == [["74.5"]])
        #expect(session.origin(of: session.occurrences(of: "weight")[0]) == .expression)
        #expect(!session.isChanged)
    }

    @Test("a query with an empty value is not sent, since it would find others' resources")
    func emptyValue() throws {
        let survey = try survey(
            [["linkId": "x", "type": "string", "extension": [expression("initialExpression", "%All.id")]]],
            extensions: [
                expression(
                    "variable",
                    "Observation?patient={{%patient.id}}",
                    language: "application/x-fhir-query",
                    as: "All"
                )
            ]
        )
        #expect(SurveySession(survey).openQueries.isEmpty)
    }

    @Test(
        "values in a query are encoded, and only relative searches are sent",
        arguments: [
            ("Observation?code={{'a&b=c'}}", ["Observation?code=a%26b%3Dc"]),
            ("Patient/{{%25patient.id}}", ["Patient/7"]),
            ("https://other.example.org/Patient/{{%patient.id}}", []), ("//other.example.org/Patient", []),
            ("Patient/../../admin", []), ("Patient/{{'../x'}}", []), ("metadata", []),
            ("Observation?code={{('1' | '2')}}", ["Observation?code=1,2"]),
            ("Observation?patient={{' '}}", []), ("Observation?patient={{'Patient/'}}", []),
            ("Observation?code={{'http://e.org/'}}", ["Observation?code=http://e.org/"]),
        ]
    )
    func urls(template: String, expected: [String]) throws {
        let survey = try survey(
            [["linkId": "x", "type": "string", "extension": [expression("initialExpression", "%Q.id")]]],
            extensions: [expression("variable", template, language: "application/x-fhir-query", as: "Q")]
        )
        let session = SurveySession(survey, context: SurveyContext(resources: ["patient": [patient]]))
        #expect(session.openQueries == expected)
    }

    @Test("a repeating group has one repetition for each value of its context, also nested")
    func contexts() throws {
        let survey = try survey([
            [
                "linkId": "name", "type": "group", "repeats": true,
                "extension": [expression("itemPopulationContext", "%patient.name", as: "patientName")],
                "item": [
                    [
                        "linkId": "family", "type": "string",
                        "extension": [expression("initialExpression", "%patientName.family")],
                    ],
                    [
                        "linkId": "part", "type": "group", "repeats": true,
                        "extension": [expression("itemPopulationContext", "%patientName.given", as: "given")],
                        "item": [
                            [
                                "linkId": "given", "type": "string",
                                "extension": [expression("initialExpression", "%given")],
                            ]
                        ],
                    ],
                ],
            ]
        ])
        #expect(survey.diagnostics.isEmpty)
        var session = SurveySession(survey, context: SurveyContext(resources: ["patient": [patient]]))
        #expect(texts(session, "family") == [["Reed"], ["Miller"]])
        #expect(texts(session, "given") == [["Ada"], ["Jo"], ["Ada"]])
        // A further repetition is the person's, and begins empty.
        let last = try #require(session.occurrences(of: "name").last)
        try session.addRepetition(after: last)
        #expect(texts(session, "family") == [["Reed"], ["Miller"], []])
    }

    @Test("the resources of a search are the values of a context, without what was included")
    func searchContext() throws {
        let survey = try survey([
            [
                "linkId": "relative", "type": "group", "repeats": true,
                "extension": [
                    expression(
                        "itemPopulationContext",
                        "RelatedPerson?patient={{%patient.id}}",
                        language: "application/x-fhir-query",
                        as: "relative"
                    )
                ],
                "item": [
                    [
                        "linkId": "id", "type": "string",
                        "extension": [expression("initialExpression", "%relative.id")],
                    ]
                ],
            ]
        ])
        var found = bundle(
            ["resourceType": "RelatedPerson", "id": "a"],
            ["resourceType": "RelatedPerson", "id": "b"]
        )
        found["entry"]?[0]?["search"] = nil
        var entries = found["entry"]?.elements.map(Array.init) ?? []
        entries.append(["resource": ["resourceType": "Patient", "id": "7"], "search": ["mode": "include"]])
        found["entry"] = JSONValue(entries)
        let context = SurveyContext(
            resources: ["patient": [patient]],
            queries: ["RelatedPerson?patient=7": found]
        )
        #expect(texts(SurveySession(survey, context: context), "id") == [["a"], ["b"]])
    }

    @Test("a contained batch gives a bundle of results in the order of its entries")
    func sourceQueries() throws {
        let survey = try survey(
            [
                [
                    "linkId": "count", "type": "integer",
                    "extension": [expression("initialExpression", "%PrePop.entry[1].resource.total")],
                ],
                [
                    "linkId": "none", "type": "integer",
                    "extension": [expression("initialExpression", "%PrePop.entry[0].resource.total")],
                ],
            ],
            extensions: [
                ["url": JSONValue(Self.sdc + "sourceQueries"), "valueReference": ["reference": "#PrePop"]]
            ],
            contained: [
                [
                    "resourceType": "Bundle", "id": "PrePop", "type": "batch",
                    "entry": [
                        ["request": ["method": "GET", "url": "Condition?patient={{%patient.id}}"]],
                        ["request": ["method": "GET", "url": "Encounter?patient={{%patient.id}}"]],
                    ],
                ]
            ]
        )
        #expect(survey.diagnostics.isEmpty)
        var context = SurveyContext(resources: ["patient": [patient]])
        #expect(
            SurveySession(survey, context: context).openQueries
                == ["Condition?patient=7", "Encounter?patient=7"]
        )
        context.queries["Condition?patient=7"] = .null
        context.queries["Encounter?patient=7"] = ["resourceType": "Bundle", "type": "searchset", "total": 3]
        let session = SurveySession(survey, context: context)
        #expect(session.openQueries.isEmpty)
        #expect(texts(session, "count") == [["3"]] && texts(session, "none") == [[]])
    }

    @Test("an earlier Observation fills an item: the latest that counts, in the item's unit")
    func observations() throws {
        let survey = try survey([
            [
                "linkId": "weight", "type": "decimal",
                "code": [["system": "http://loinc.org", "code": "29463-7"]],
                "extension": [
                    [
                        "url": JSONValue(Self.sdc + "observationLinkPeriod"),
                        "valueDuration": ["value": 1, "unit": "year", "code": "a"],
                    ],
                    [
                        "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                        "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg"],
                    ],
                ],
            ]
        ])
        #expect(survey.diagnostics.isEmpty)
        var context = SurveyContext(now: "2026-11-22T09:30:00Z", resources: ["patient": [patient]])
        let url = try #require(SurveySession(survey, context: context).openQueries.first)
        #expect(url.hasPrefix("Observation?code=http://loinc.org%7C29463-7&date=ge2025-11-22"))
        #expect(url.contains("&subject=Patient/7&"))
        func observation(_ id: String, _ status: String, _ time: String, _ value: JSONValue) -> JSONValue {
            [
                "resourceType": "Observation", "id": JSONValue(id), "status": JSONValue(status),
                "effectiveDateTime": JSONValue(time), "valueQuantity": value,
            ]
        }
        context.queries[url] = bundle(
            observation("old", "final", "2026-01-02", ["value": 80, "code": "kg"]),
            observation("wrong", "entered-in-error", "2026-03-02", ["value": 8, "code": "kg"]),
            observation("new", "final", "2026-02-02", ["value": 75500, "code": "g"])
        )
        let others: [JSONValue] = [
            ["value": 80, "code": "kg", "comparator": "<"], ["value": 80, "unit": "lbs"], ["value": 80],
            ["value": 80, "code": "kg", "system": "urn:example:units"],
        ]
        for value in others {
            var other = context
            other.queries[url] = bundle(observation("o", "final", "2026-01-02", value))
            #expect(texts(SurveySession(survey, context: other), "weight") == [[]])
        }
        var session = SurveySession(survey, context: context)
        let weight = session.occurrences(of: "weight")[0]
        #expect(texts(session, "weight") == [["75.5"]])
        #expect(session.origin(of: weight) == .observation("Observation/new"))
        let author = try FHIRPath(
            "item.extension('http://hl7.org/fhir/StructureDefinition/questionnaireresponse-author').value.display"
        )
        #expect(
            try author.evaluate(on: session.response().tree).map(\.text) == ["filled in from Observation/new"]
        )
        // What a person changes is the person's, also after the form was saved and opened again.
        var restored = SurveySession(survey, restoring: session.response(.inProgress), context: context)
        try restored.answer("weight", with: .decimal(76))
        try session.answer(weight, with: .decimal(76))
        #expect(session.origin(of: weight) == nil)
        for response in [session.response(), restored.response()] {
            #expect(try author.evaluate(on: response.tree).isEmpty)
        }
    }

    @Test("candidates are the resources that a search finds, shown by the column for it")
    func candidates() throws {
        let survey = try survey([
            [
                "linkId": "task", "type": "reference",
                "extension": [
                    expression(
                        "answerExpression",
                        "Task?subject=Patient/{{%patient.id}}",
                        language: "application/x-fhir-query"
                    ),
                    [
                        "url": JSONValue(Self.sdc + "choiceColumn"),
                        "extension": [
                            ["url": "path", "valueString": "description & ' (' & status & ')'"],
                            ["url": "forDisplay", "valueBoolean": true],
                        ],
                    ],
                ],
            ]
        ])
        #expect(survey.diagnostics.isEmpty)
        var context = SurveyContext(resources: ["patient": [patient]])
        var session = SurveySession(survey, context: context)
        #expect(session.options(of: session.occurrences(of: "task")[0]).isEmpty)
        context.queries["Task?subject=Patient/7"] = bundle(
            ["resourceType": "Task", "id": "1", "description": "Check", "status": "ready"]
        )
        session = SurveySession(survey, context: context)
        let option = try #require(session.options(of: session.occurrences(of: "task")[0]).first)
        #expect(option.value.label == "Check (ready)")
    }

    @Test("candidates are suggested, and other answers are any, or those of the options")
    func suggestions() throws {
        let candidates = expression(
            "candidateExpression",
            "Condition?subject=Patient/{{%patient.id}}",
            language: "application/x-fhir-query"
        )
        let column: JSONValue = [
            "url": JSONValue(Self.sdc + "choiceColumn"),
            "extension": [
                ["url": "path", "valueString": "code.text"], ["url": "forDisplay", "valueBoolean": true],
            ],
        ]
        func option(_ code: String) -> JSONValue {
            ["valueCoding": ["system": "urn:s", "code": JSONValue(code)]]
        }
        let survey = try survey([
            ["linkId": "cause", "type": "reference", "extension": [candidates, column]],
            [
                "linkId": "side", "type": "choice", "answerOption": [option("l"), option("r"), option("b")],
                "extension": [expression("candidateExpression", "'r' | 'x'")],
            ],
            [
                "linkId": "group", "type": "group", "extension": [candidates],
                "item": [["linkId": "note", "type": "string"]],
            ],
        ])
        #expect(survey.diagnostics.map(\.linkId) == ["group"])
        var context = SurveyContext(resources: ["patient": [patient]])
        context.queries["Condition?subject=Patient/7"] = bundle(
            ["resourceType": "Condition", "id": "1", "code": ["text": "Asthma"]]
        )
        var session = SurveySession(survey, context: context)
        let cause = session.occurrences(of: "cause")[0]
        let side = session.occurrences(of: "side")[0]
        #expect(session.options(of: cause).map(\.value.label) == ["Asthma"])
        #expect(session.options(of: side).compactMap(\.value.coding?.code) == ["r", "l", "b"])
        for reference in ["Condition/1", "Condition/2"] {
            #expect(session.fill(with: ["cause": JSONValue(reference), "side": "l"]).isEmpty)
            #expect(session.problems().isEmpty)
        }
        #expect(session.fill(with: ["side": "x"]).map(\.linkId) == ["side"])
        try session.answer("side", with: .coding(Coding(tree: ["system": "urn:s", "code": "x"]) ?? Coding()))
        #expect(session.problems().map(\.reason) == [.notAnOption])
    }

    @Test("a text with an expression follows the answers")
    func texts() throws {
        let survey = try survey([
            ["linkId": "name", "type": "string"],
            [
                "linkId": "greeting", "type": "display", "text": "Hello.",
                "_text": [
                    "extension": [
                        [
                            "url": "http://hl7.org/fhir/StructureDefinition/cqf-expression",
                            "valueExpression": [
                                "language": "text/fhirpath",
                                "expression":
                                    "'Hello ' + %resource.item.where(linkId = 'name').answer.value",
                            ],
                        ]
                    ]
                ],
            ],
        ])
        #expect(survey.diagnostics.isEmpty)
        var session = SurveySession(survey)
        #expect(session.label(of: session.occurrences(of: "greeting")[0]) == "Hello.")
        try session.answer("name", with: .string("Ada"))
        #expect(session.label(of: session.occurrences(of: "greeting")[0]) == "Hello Ada")
    }
}
