import FHIR
import OrderedJSON
import Surveys
import Testing

private let optionsAndValueSet = """
    {"linkId": "x", "type": "choice", "answerValueSet": "#v", "answerOption": [{"valueString": "a"}]}
    """

private let existsWithText = """
    {"linkId": "x", "type": "string", "enableWhen": [{"question": "a", "operator": "exists", "answerString": \
    "y"}]}
    """

private let optionsAndInitial = """
    {"linkId": "x", "type": "choice", "answerOption": [{"valueString": "a"}], "initial": [{"valueString": \
    "a"}]}
    """

private let twoConditionsWithoutBehavior = """
    {"linkId": "x", "type": "string", "enableWhen": [{"question": "a", "operator": "exists", \
    "answerBoolean": true}, {"question": "a", "operator": "=", "answerString": "y"}]}
    """

private let openPattern = """
    {"linkId": "x", "type": "string", "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/regex", \
    "valueString": "("}]}
    """

private let greaterThanTrue = """
    {"linkId": "x", "type": "string", "enableWhen": [{"question": "a", "operator": ">", "answerBoolean": \
    true}]}
    """

private let unfinishedExpression = """
    {"linkId": "x", "type": "string", "extension": [{"url": \
    "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression", \
    "valueExpression": {"language": "text/fhirpath", "expression": "1 +"}}]}
    """

struct DefinitionTests {
    @Test("a condition of STU3, without an operator, means that the answer is the same")
    func conditionWithoutOperator() throws {
        let survey = survey([
            ["linkId": "a", "type": "boolean"],
            ["linkId": "b", "type": "string", "enableWhen": [["question": "a", "answerBoolean": true]]],
        ])
        #expect(survey.diagnostics.map(\.code) == ["noOperator"])
        var session = SurveySession(survey)
        #expect(session.progress.questions == 1)
        try session.answer("a", with: .boolean(true))
        #expect(session.progress.questions == 2)
    }

    @Test(
        "what is there for showing answers is not asked",
        arguments: ["display", "display-non-empty", "capture", "capture-display"]
    )
    func usageMode(mode: String) {
        let url = "http://hl7.org/fhir/StructureDefinition/questionnaire-usageMode"
        let survey = survey([
            [
                "linkId": "a", "type": "string",
                "extension": [["url": JSONValue(url), "valueCode": JSONValue(mode)]],
            ]
        ])
        #expect(SurveySession(survey).visibleItems.isEmpty == mode.hasPrefix("display"))
    }

    @Test("options come from includes, exclusions, an expansion and given value sets")
    func valueSets() throws {
        func valueSet(_ id: String, _ members: JSONValue) -> JSONValue {
            var tree = members
            tree["resourceType"] = "ValueSet"
            tree["id"] = JSONValue(id)
            return tree
        }
        let contained: JSONValue = [
            valueSet(
                "composed",
                [
                    "compose": [
                        "include": [
                            ["system": "s", "concept": [["code": "a", "display": "A"], ["code": "b"]]],
                            ["system": "t", "concept": [["code": "a"]]],
                            ["valueSet": ["http://example.org/inner"]],
                        ],
                        "exclude": [["system": "s", "concept": [["code": "b"]]]],
                    ]
                ]
            ),
            valueSet(
                "inner",
                [
                    "url": "http://example.org/inner",
                    "compose": ["include": [["system": "u", "concept": [["code": "c"]]]]],
                ]
            ),
            valueSet(
                "expanded",
                [
                    "expansion": [
                        "contains": [
                            [
                                "system": "s", "code": "top", "abstract": true,
                                "contains": [["system": "s", "code": "x"]],
                            ]
                        ]
                    ]
                ]
            ),
            valueSet(
                "filtered",
                [
                    "compose": [
                        "include": [["system": "s", "filter": [["property": "p", "op": "=", "value": "v"]]]]
                    ]
                ]
            ),
        ]
        let names = [
            "#composed", "#expanded", "#filtered", "http://example.org/given", "http://example.org/missing",
        ]
        let tree: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft", "contained": contained,
            "item": JSONValue(
                names.map { ["linkId": JSONValue($0), "type": "choice", "answerValueSet": JSONValue($0)] }
            ),
        ]
        let survey = Survey(Questionnaire(view: tree)) { url in
            url == "http://example.org/given"
                ? ValueSet(
                    view: valueSet(
                        "given",
                        ["compose": ["include": [["system": "g", "concept": [["code": "1"]]]]]]
                    )
                ) : nil
        }
        func codes(_ linkId: String) -> [String]? {
            guard case .listed(let options)? = survey.item(linkId)?.format.options else { return nil }
            return options.map { "\($0.value.coding?.system?.rawValue ?? "")|\($0.value.coding?.code ?? "")" }
        }
        #expect(codes("#composed") == ["s|a", "t|a", "u|c"])
        #expect(codes("#expanded") == ["s|x"])
        #expect(codes("#filtered") == nil)
        #expect(codes("http://example.org/given") == ["g|1"])
        #expect(codes("http://example.org/missing") == nil)
        let reported = survey.diagnostics.map { "\($0.linkId ?? "") \($0.code)" }
        #expect(reported.contains("#filtered valueSetIncomplete"))
        #expect(reported.contains("http://example.org/missing valueSetNotFound"))
    }

    @Test(
        "the invariants of FHIR are checked",
        arguments: [
            ("que-1", #"{"linkId": "x", "type": "group"}"#),
            ("que-1", #"{"linkId": "x", "type": "display", "item": [{"linkId": "y", "type": "string"}]}"#),
            ("que-3", #"{"linkId": "x", "type": "display", "code": [{"code": "c"}]}"#),
            (
                "que-4",
                optionsAndValueSet
            ),
            ("que-5", ##"{"linkId": "x", "type": "string", "answerValueSet": "#v"}"##),
            ("que-6", #"{"linkId": "x", "type": "display", "required": true}"#),
            (
                "que-7",
                existsWithText
            ),
            ("que-8", #"{"linkId": "x", "type": "display", "initial": [{"valueString": "y"}]}"#),
            ("que-9", #"{"linkId": "x", "type": "display", "readOnly": true}"#),
            ("que-10", #"{"linkId": "x", "type": "date", "maxLength": 5}"#),
            (
                "que-11",
                optionsAndInitial
            ),
            (
                "que-12",
                twoConditionsWithoutBehavior
            ),
            (
                "que-13",
                #"{"linkId": "x", "type": "string", "initial": [{"valueString": "a"}, {"valueString": "b"}]}"#
            ),
            ("duplicateLinkId", #"{"linkId": "a", "type": "string"}"#),
            ("noLinkId", #"{"type": "string"}"#),
            (
                "malformedPattern",
                openPattern
            ),
            (
                "unsupportedOperator",
                greaterThanTrue
            ),
            (
                "malformedExpression",
                unfinishedExpression
            ),
        ]
    )
    func invariants(code: String, item: String) throws {
        let survey = survey([["linkId": "a", "type": "string"], try JSONValue(parsing: item)])
        #expect(survey.diagnostics.contains { $0.code == code }, "\(survey.diagnostics)")
        // The rest works.
        var session = SurveySession(survey)
        try session.answer("a", with: .string("x"))
        #expect(session.response().item.first?.linkId == "a")
    }

    @Test("texts have their markup and translations, and help belongs to its question")
    func texts() throws {
        let survey = try Survey(
            Questionnaire(
                parsing: """
                    {"resourceType": "Questionnaire", "status": "draft", "item": [{"linkId": "q", "type": \
                    "string",
                     "text": "How are you?", "_text": {"extension": [
                       {"url": "http://hl7.org/fhir/StructureDefinition/rendering-markdown", \
                    "valueMarkdown": "How are **you**?"},
                       {"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [
                         {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Wie geht \
                    es?"}]}]},
                     "item": [{"linkId": "h", "type": "display", "text": "Today, that is.", "extension": [
                       {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl",
                        "valueCodeableConcept": {"coding": [{"code": "help"}]}}]}]}]}
                    """
            )
        )
        let text = try #require(survey.item("q")?.text)
        #expect(text.markdown == "How are **you**?")
        #expect(text.text(in: "de-AT") == "Wie geht es?" && text.text(in: "fr") == "How are you?")
        #expect(survey.item("q")?.help.map(\.plain) == ["Today, that is."])
        #expect(SurveySession(survey).visibleItems.map(\.item.linkId) == ["q"])
    }
}

struct ExtensionReadingTests {
    private static func core(_ name: String, _ suffix: String, _ value: JSONValue) -> JSONValue {
        ["url": JSONValue("http://hl7.org/fhir/StructureDefinition/" + name), "value\(suffix)": value]
    }

    @Test("what says how references, types and modes are meant is read")
    func modes() throws {
        let entry: JSONValue = [
            "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-entryMode",
            "valueCode": "prior-edit",
        ]
        let survey = survey(
            [
                [
                    "linkId": "q", "type": "reference",
                    "extension": [
                        Self.core("questionnaire-usageMode", "Code", "display-non-empty"),
                        Self.core("questionnaire-fhirType", "String", "Reference"),
                        Self.core("questionnaire-referenceProfile", "Canonical", "http://example.org/p"),
                        Self.core("questionnaire-referenceFilter", "String", "active=true"),
                    ],
                ]
            ],
            ["extension": [entry]]
        )
        let item = try #require(survey.item("q"))
        #expect(
            item.usageMode == "display-non-empty" && item.fhirType == "Reference"
                && survey.entryMode == "prior-edit"
        )
        #expect(
            item.format.referenceProfiles == ["http://example.org/p"]
                && item.format.referenceFilter == "active=true"
        )
        #expect(survey.diagnostics.isEmpty)
    }

    @Test("a constraint keeps its requirements and locations")
    func constraints() throws {
        let constraint: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint",
            "extension": [
                ["url": "key", "valueId": "k"], ["url": "requirements", "valueString": "why"],
                ["url": "severity", "valueCode": "warning"],
                ["url": "expression", "valueString": "true"], ["url": "human", "valueString": "h"],
                ["url": "location", "valueString": "a.b"],
            ],
        ]
        let survey = survey([["linkId": "q", "type": "string", "extension": [constraint]]])
        let read = try #require(survey.item("q")?.constraints.first)
        #expect(
            read.key == "k" && read.requirements == "why" && read.locations == ["a.b"] && !read.isError
                && read.human.plain == "h"
        )
    }

    @Test(
        "a period for earlier Observations needs a unit, and its item a code",
        arguments: [
            (["value": 1], ["q malformedPeriod"]), (["value": 1, "code": "kg"], ["q malformedPeriod"]),
            (["value": 1, "code": "a"], ["q periodWithoutCode"]),
        ] as [(JSONValue, [String])]
    )
    func linkPeriod(duration: JSONValue, expected: [String]) {
        let period: JSONValue = [
            "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-observationLinkPeriod",
            "valueDuration": duration,
        ]
        let survey = survey([["linkId": "q", "type": "string", "extension": [period]]])
        #expect(survey.diagnostics.map { "\($0.linkId ?? "") \($0.code)" } == expected)
    }
}
