import FHIR
import OrderedJSON
import Surveys
import Testing

/// What a questionnaire says in other languages, whom it is for, and when.
struct TranslationTests {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private static func german(_ text: String) -> JSONValue {
        [
            "extension": [
                [
                    "url": JSONValue(core + "translation"),
                    "extension": [
                        ["url": "lang", "valueCode": "de"],
                        ["url": "content", "valueString": JSONValue(text)],
                    ],
                ]
            ]
        ]
    }

    /// An extension whose text has a translation.
    private static func text(_ url: String, _ text: String, _ german: String) -> JSONValue {
        ["url": JSONValue(url), "valueString": JSONValue(text), "_valueString": Self.german(german)]
    }

    private static let survey = SurveysTests.survey([
        [
            "linkId": "name", "type": "string", "text": "Name", "_text": german("Nachname"),
            "extension": [
                text(core + "entryFormat", "as in your passport", "wie im Pass"),
                text(sdc + "shortText", "N", "NN"),
                ["url": JSONValue(core + "regex"), "valueString": "[a-z]+"],
                text(
                    "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
                    "letters only",
                    "nur Buchstaben"
                ),
                ["url": JSONValue(core + "questionnaire-supportLink"), "valueUri": "https://example.org/a"],
                ["url": JSONValue(core + "questionnaire-supportLink"), "valueUri": "https://example.org/b"],
            ],
            "item": [
                [
                    "linkId": "help", "type": "display", "text": "Help", "_text": german("Hilfe"),
                    "extension": [
                        [
                            "url": JSONValue(core + "questionnaire-itemControl"),
                            "valueCodeableConcept": ["coding": [["code": "help"]]],
                        ]
                    ],
                ]
            ],
        ],
        [
            "linkId": "fruit", "type": "open-choice", "answerOption": [["valueString": "apple"]],
            "extension": [text(sdc + "openLabel", "another", "eine andere")],
        ],
        [
            "linkId": "weight", "type": "quantity",
            "extension": [
                [
                    "url": JSONValue(core + "questionnaire-unit"),
                    "valueCoding": [
                        "system": "http://unitsofmeasure.org", "code": "kg", "display": "kilograms",
                        "_display": german("Kilogramm"),
                    ],
                ],
                [
                    "url": JSONValue(core + "questionnaire-constraint"),
                    "extension": [
                        ["url": "key", "valueId": "k"], ["url": "expression", "valueString": "false"],
                        text("human", "too heavy", "zu schwer"),
                    ],
                ],
            ],
        ],
    ])

    @Test("entry formats, labels, units and help have their translations")
    func texts() throws {
        let survey = Self.survey
        let name = try #require(survey.item("name"))
        for (language, expected) in [
            ("de-AT", ["wie im Pass", "NN", "nur Buchstaben", "Hilfe", "eine andere", "Kilogramm"]),
            ("fr", ["as in your passport", "N", "letters only", "Help", "another", "kilograms"]),
        ] {
            let texts = [
                name.format.placeholder, name.shortText, name.format.pattern?.message, name.help.first,
                survey.item("fruit")?.format.openLabel,
                survey.item("weight")?.format.units.first.map { SurveyText($0) },
            ]
            #expect(texts.map { $0?.text(in: language) } == expected)
        }
        #expect(name.supportLinks == ["https://example.org/a", "https://example.org/b"])
    }

    @Test("problems are told in the questionnaire's words of the language", arguments: ["de", nil])
    func problems(language: String?) throws {
        var session = SurveySession(Self.survey)
        try session.answer("name", with: .string("7"))
        var quantity = Quantity()
        quantity.value = 1
        quantity.unit = "lb"
        try session.answer("weight", with: .quantity(quantity))
        let texts = session.problems().map { $0.text(in: .phrases(in: language)) }
        #expect(
            texts
                == (language == nil
                    ? ["letters only", "Please use one of the units: kilograms.", "too heavy"]
                    : ["nur Buchstaben", "Bitte verwenden Sie eine der Einheiten: Kilogramm.", "zu schwer"])
        )
    }

    @Test("ResearchKit's task has the translations")
    func task() {
        let text = ResearchKitTask(Self.survey, language: "de").json.text()
        for word in ["wie im Pass", "nur Buchstaben", "eine andere", "Kilogramm", "Hilfe"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test("a subject of a type that the questionnaire is not for is a problem")
    func subjects() {
        let survey = SurveysTests.survey(
            [["linkId": "a", "type": "string"]],
            ["subjectType": ["Patient", "Group"]]
        )
        var session = SurveySession(survey)
        #expect(session.problems() == [])
        for (reference, expected) in [
            ("Patient/1", []), ("http://example.org/fhir/Group/1", []), ("Device/1", ["subjectType"]),
            ("#x", []),
        ] {
            session.header.subject = Reference(reference)
            #expect(session.problems().map(\.code) == expected, "\(reference)")
        }
        session.header.subject = Reference("Device/1")
        #expect(
            session.problems().first?.text
                == "The response is about a Device; the questionnaire is for: Patient, Group."
        )
        #expect(survey.problems(of: session.response()).map(\.code).contains("subjectType"))
    }

    @Test("a questionnaire that is retired or out of its period says so")
    func periods() throws {
        let items: JSONValue = [["linkId": "a", "type": "string"]]
        #expect(SurveysTests.survey(items, ["status": "retired"]).diagnostics.map(\.code) == ["retired"])
        let survey = SurveysTests.survey(items, ["effectivePeriod": ["start": "2020", "end": "2021-06"]])
        for (now, expected) in [
            ("2019-12-31T12:00:00Z", ["notYetEffective"]), ("2020-01-01T00:00:00Z", []),
            ("2021-06-30T23:59:59Z", []),
            ("2021-07-01T00:00:00Z", ["noLongerEffective"]),
        ] {
            let session = SurveySession(survey, context: SurveyContext(now: now))
            #expect(session.diagnostics.map(\.code) == expected, "\(now)")
            // What was answered in time stays so.
            var response = session.response()
            response.authored = "2021-01-01T00:00:00Z"
            let restored = SurveySession(survey, restoring: response, context: SurveyContext(now: now))
            #expect(restored.diagnostics.isEmpty)
        }
    }
}
