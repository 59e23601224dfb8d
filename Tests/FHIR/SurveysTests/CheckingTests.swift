import FHIR
import OrderedJSON
import Surveys
import Testing

struct CheckingTests {
    /// An item with extensions of FHIR's core, an answer, and the codes of the problems.
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let item: JSONValue
        let answer: JSONValue
        let problems: [String]
        var description: String { name }

        init(
            _ name: String,
            _ type: String,
            _ members: JSONValue = [:],
            _ extensions: [(String, String, JSONValue)] = [],
            answer: JSONValue,
            _ problems: String...
        ) {
            self.name = name
            var item = members
            item["linkId"] = "q"
            item["type"] = JSONValue(type)
            if !extensions.isEmpty {
                item["extension"] = JSONValue(
                    extensions.map { url, suffix, value -> JSONValue in
                        [
                            "url": JSONValue("http://hl7.org/fhir/StructureDefinition/" + url),
                            "value\(suffix)": value,
                        ]
                    }
                )
            }
            self.item = item
            self.answer = answer
            self.problems = problems
        }

        static let kilogram: JSONValue = [
            "system": "http://unitsofmeasure.org", "code": "kg", "display": "kg",
        ]

        static let all: [Case] = [
            Case(
                "a quantity in a unit that measures something else than the bound's",
                "quantity",
                [:],
                [
                    (
                        "minValue", "Quantity",
                        ["value": 5, "system": "http://unitsofmeasure.org", "code": "kg"]
                    )
                ],
                answer: ["value": 10, "system": "http://unitsofmeasure.org", "code": "[mi_i]"],
                "unit"
            ),
            Case(
                "a quantity in another unit of the bound's dimension",
                "quantity",
                [:],
                [
                    (
                        "minValue", "Quantity",
                        ["value": 5, "system": "http://unitsofmeasure.org", "code": "kg"]
                    )
                ],
                answer: ["value": 6000, "system": "http://unitsofmeasure.org", "code": "g"]
            ),
            Case(
                "an attachment of the size that it states",
                "attachment",
                answer: ["contentType": "text/plain", "data": "YWJj", "size": 3]
            ),
            Case(
                "an attachment of another size than it states",
                "attachment",
                answer: ["contentType": "text/plain", "data": "YWJj", "size": 4],
                "attachmentSize"
            ),
            Case("a text of the longest length", "string", ["maxLength": 3], answer: "abc"),
            Case("a longer text", "string", ["maxLength": 3], answer: "abcd", "tooLong"),
            Case("a shorter text", "text", [:], [("minLength", "Integer", 3)], answer: "ab", "tooShort"),
            Case(
                "a text that has the pattern",
                "string",
                [:],
                [("regex", "String", "[a-z]+")],
                answer: "abc"
            ),
            Case(
                "a text that has it only in part",
                "string",
                [:],
                [("regex", "String", "[a-z]+")],
                answer: "abc1",
                "pattern"
            ),
            Case("the smallest number", "integer", [:], [("minValue", "Integer", 1)], answer: 1),
            Case("a smaller number", "integer", [:], [("minValue", "Integer", 1)], answer: 0, "tooSmall"),
            Case("a larger number", "decimal", [:], [("maxValue", "Decimal", 9.5)], answer: 9.51, "tooLarge"),
            Case(
                "a date before today's",
                "date",
                [:],
                [("minValue", "String", "today() - 1 day")],
                answer: "2026-11-20",
                "tooSmall"
            ),
            Case("yesterday", "date", [:], [("minValue", "String", "today() - 1 day")], answer: "2026-11-21"),
            Case("digits enough", "decimal", [:], [("maxDecimalPlaces", "Integer", 2)], answer: 1.25),
            Case(
                "too many digits",
                "decimal",
                [:],
                [("maxDecimalPlaces", "Integer", 1)],
                answer: 1.25,
                "tooManyDecimals"
            ),
            Case(
                "a number in the unit",
                "quantity",
                [:],
                [("questionnaire-unit", "Coding", kilogram)],
                answer: 70
            ),
            Case(
                "another unit",
                "quantity",
                [:],
                [("questionnaire-unit", "Coding", kilogram)],
                answer: ["value": 70, "unit": "lb"],
                "unit"
            ),
            Case(
                "a bound in another unit",
                "quantity",
                [:],
                [
                    (
                        "minValue", "Quantity",
                        ["value": 50, "system": "http://unitsofmeasure.org", "code": "kg"]
                    )
                ],
                answer: ["value": 49000, "system": "http://unitsofmeasure.org", "code": "g"],
                "tooSmall"
            ),
            Case(
                "an option",
                "choice",
                ["answerOption": [["valueCoding": ["code": "a"]]]],
                answer: ["code": "a"]
            ),
            Case(
                "no option",
                "choice",
                ["answerOption": [["valueCoding": ["code": "a"]]]],
                answer: ["code": "b"],
                "notAnOption"
            ),
            Case(
                "something else",
                "open-choice",
                ["answerOption": [["valueCoding": ["code": "a"]]]],
                answer: "b"
            ),
            Case(
                "a code that is none",
                "open-choice",
                ["answerOption": [["valueCoding": ["code": "a"]]]],
                answer: ["code": "b"],
                "notAnOption"
            ),
            Case(
                "a number that is no option",
                "integer",
                ["answerOption": [["valueInteger": 1]]],
                answer: 2,
                "notAnOption"
            ),
            Case(
                "a small file",
                "attachment",
                [:],
                [("maxSize", "Decimal", 0.00001), ("mimeType", "Code", "image/*")],
                answer: ["contentType": "image/png", "data": "aGVsbG8="]
            ),
            Case(
                "a large file of another type",
                "attachment",
                [:],
                [("maxSize", "Decimal", 0.000001), ("mimeType", "Code", "image/png")],
                answer: ["contentType": "text/plain", "data": "aGVsbG8="],
                "attachmentType",
                "attachmentTooLarge"
            ),
            Case(
                "a reference",
                "reference",
                [:],
                [("questionnaire-referenceResource", "Code", "Patient")],
                answer: "Patient/1"
            ),
            Case(
                "another reference",
                "reference",
                [:],
                [("questionnaire-referenceResource", "Code", "Patient")],
                answer: "Group/1",
                "referenceType"
            ),
            Case("a reference to nothing", "reference", answer: "Chicken/1", "malformed"),
            Case("an integer beyond 32 bits", "integer", answer: 3_000_000_000, "malformed"),
            Case(
                "a UUID in capitals",
                "url",
                answer: "urn:uuid:C757873D-EC9A-4326-A141-556F43239520",
                "malformed"
            ),
        ]
    }

    @Test("an answer is checked", arguments: Case.all)
    func answers(example: Case) throws {
        let survey = survey([example.item])
        var session = SurveySession(survey, context: SurveyContext(now: "2026-11-22T09:30:00+01:00"))
        #expect(session.fill(with: ["q": example.answer]).isEmpty)
        #expect(session.problems().map(\.code) == example.problems)
        for problem in session.problems() {
            #expect(problem.linkId == "q" && problem.occurrence == session.occurrences(of: "q")[0])
            #expect(!problem.text.contains("{"))
        }
    }

    @Test("how often questions and groups occur is checked where they are asked")
    func occurs() throws {
        func occurs(_ name: String, _ count: Int) -> JSONValue {
            [
                "url": JSONValue("http://hl7.org/fhir/StructureDefinition/questionnaire-\(name)"),
                "valueInteger": JSONValue(count),
            ]
        }
        var session = SurveySession(
            survey([
                ["linkId": "one", "type": "string"], ["linkId": "must", "type": "string", "required": true],
                [
                    "linkId": "two", "type": "string", "repeats": true,
                    "extension": [occurs("minOccurs", 2), occurs("maxOccurs", 3)],
                ],
                [
                    "linkId": "g", "type": "group", "repeats": true, "required": true,
                    "extension": [occurs("maxOccurs", 1)],
                    "item": [["linkId": "in", "type": "string"]],
                ],
                [
                    "linkId": "optional", "type": "group", "repeats": true,
                    "item": [
                        ["linkId": "inside", "type": "string", "required": true],
                        ["linkId": "beside", "type": "string"],
                    ],
                ],
                [
                    "linkId": "off", "type": "string", "required": true,
                    "enableWhen": [["question": "one", "operator": "=", "answerString": "on"]],
                ],
            ])
        )
        func codes() -> [String] { session.problems().map { "\($0.path ?? "") \($0.code)" } }
        #expect(codes() == ["must required", "two tooFew", "g[0] required"])
        #expect(throws: SurveySessionError.cannotRepeat(linkId: "g")) {
            try session.addRepetition(after: session.occurrences(of: "g")[0])
        }
        try session.answer("one", with: .string("on"), .string("b"))
        try session.answer("must", with: .string("x"))
        try session.answer("two", with: .string("1"), .string("2"), .string("3"), .string("4"))
        try session.answer("in", with: .string("x"))
        try session.answer("beside", with: .string("x"))
        #expect(codes() == ["one tooMany", "two tooMany", "optional[0]/inside required", "off required"])
    }

    @Test("constraints are checked where there are answers, with their own words")
    func constraints() throws {
        let constraint: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint",
            "extension": [
                ["url": "key", "valueId": "c-1"], ["url": "severity", "valueCode": "error"],
                ["url": "human", "valueString": "The second is larger."],
                [
                    "url": "expression",
                    "valueString":
                        "item.where(linkId='a').answer.value < item.where(linkId='b').answer.value",
                ],
            ],
        ]
        var session = SurveySession(
            survey([
                [
                    "linkId": "g", "type": "group", "extension": [constraint],
                    "item": [["linkId": "a", "type": "integer"], ["linkId": "b", "type": "integer"]],
                ]
            ])
        )
        #expect(session.problems().isEmpty)
        try session.answer("a", with: .integer(2))
        try session.answer("b", with: .integer(1))
        #expect(session.problems().map(\.text) == ["The second is larger."])
        try session.answer("b", with: .integer(3))
        #expect(session.problems().isEmpty)
    }

    @Test("sentences can be given in another language")
    func phrases() throws {
        var session = SurveySession(survey([["linkId": "q", "type": "string", "maxLength": 2]]))
        try session.answer("q", with: .string("abc"))
        let german = SurveyPhrases(["tooLong": "Bitte höchstens {0} Zeichen."])
        #expect(session.problems().map { $0.text(in: german) } == ["Bitte höchstens 2 Zeichen."])
        #expect(
            session.problems().map { $0.text(in: SurveyPhrases([:])) } == [
                "Please enter at most 2 characters."
            ]
        )
    }

    @Test("the German sentences are complete, and take the same numbers")
    func germanPhrases() {
        for (key, english) in SurveyPhrases.english.sentences
        where !["pattern.message", "constraint", "invalidFHIR"].contains(key) {
            let german = SurveyPhrases.german.sentences[key]
            #expect(german != nil, "\(key)")
            for argument in ["{0}", "{1}"] {
                #expect(german?.contains(argument) == english.contains(argument), "\(key)")
            }
        }
        #expect(SurveyPhrases.phrases(in: "de-AT").sentences == SurveyPhrases.german.sentences)
        #expect(SurveyPhrases.phrases(in: "fr").sentences == SurveyPhrases.english.sentences)
    }

    @Test("an answer of another type is reported once, and kept if its value can be taken")
    func answersOfAnotherType() throws {
        let survey = survey([
            ["linkId": "a", "type": "boolean", "required": true], ["linkId": "b", "type": "decimal"],
            ["linkId": "c", "type": "dateTime"],
        ])
        let response = try #require(
            QuestionnaireResponse(tree: [
                "resourceType": "QuestionnaireResponse", "status": "completed",
                "questionnaire": "http://example.org/q|2",
                "item": [
                    ["linkId": "a", "answer": [["valueString": "yes"]]],
                    ["linkId": "b", "answer": [["valueInteger": 5]]],
                    ["linkId": "c", "answer": [["valueDate": "2026-11-22"]]],
                ],
            ])
        )
        let problems = survey.problems(of: response)
        #expect(
            problems.map { "\($0.path ?? "") \($0.code)" } == ["a wrongType", "b wrongType", "c wrongType"]
        )
        #expect(SurveySession(survey, restoring: response).response().tree["item"]?.elements?.count == 2)
    }

    @Test("times are compared by their digits")
    func times() throws {
        func time(_ text: String) throws -> SurveyAnswer { .time(try #require(FHIRTime(text: text))) }
        #expect(try time("10:00:00.5").equals(time("10:00:00.500")))
        #expect(try !time("10:00:00.1").equals(time("10:00:00.10000000000000000000001")))
        #expect(try !time("09:59:59.999").equals(time("10:00:00")))
    }

    @Test("while a response is in progress what is missing is a warning")
    func inProgress() throws {
        let survey = survey([["linkId": "q", "type": "string", "required": true]])
        var response = QuestionnaireResponse(status: .inProgress)
        response.questionnaire = "http://example.org/q|2"
        #expect(survey.problems(of: response).map(\.severity) == [.warning])
        response.status = .completed
        #expect(survey.problems(of: response).map(\.severity) == [.error])
    }
}
