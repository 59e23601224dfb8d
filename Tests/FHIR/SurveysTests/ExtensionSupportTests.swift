import FHIR
import Foundation
import OrderedJSON
import Testing

@testable import Surveys

@Suite("Surveys: extensions that are not followed")
struct ExtensionSupportTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"

    /// The extensions of Structured Data Capture 4 (HL7/sdc, input/fsh/extensions), and those of 3 that have
    /// gone since.
    private static let names = """
        sdc-questionnaire-answerExpression sdc-questionnaire-answerOptionsToggleExpression
        sdc-questionnaire-assembleContext sdc-questionnaire-assembleDefinitionRoot
        sdc-questionnaire-assemble-expectation sdc-questionnaire-assembledFrom
        sdc-questionnaire-calculatedExpression sdc-questionnaire-candidateExpression
        sdc-questionnaire-choiceColumn sdc-questionnaire-collapsible sdc-questionnaire-columnCount
        sdc-questionnaire-contextExpression sdc-questionnaire-definitionExtract
        sdc-questionnaire-definitionExtractValue sdc-questionnaire-enableWhenExpression
        sdc-questionnaire-endpoint sdc-questionnaire-entryMode sdc-questionnaire-extractAllocateId
        sdc-questionnaire-initialExpression sdc-questionnaire-isSubject sdc-questionnaireresponse-isSubject
        sdc-questionnaire-item-answerAssessment sdc-questionnaire-itemAnswerMedia
        sdc-questionnaire-itemContext sdc-questionnaire-itemExtractionContext sdc-questionnaire-itemMedia
        sdc-questionnaire-itemPopulationContext sdc-questionnaire-keyboard sdc-questionnaire-launchContext
        sdc-questionnaire-lookupQuestionnaire sdc-questionnaire-maxQuantity sdc-questionnaire-minQuantity
        sdc-questionnaire-observation-extract-category sdc-questionnaire-observationExtractEntry
        sdc-questionnaire-observationExtract sdc-questionnaire-observationLinkPeriod
        sdc-questionnaire-optionalDisplay sdc-questionnaire-performerType
        sdc-questionnaire-preferredTerminologyServer sdc-questionnaire-questionnaireAdaptive
        sdc-questionnaire-answerKey sdc-rendering-criticalExtension sdc-questionnaire-openLabel
        sdc-servicerequest-questionnaire sdc-questionnaire-shortText sdc-questionnaire-sourceQueries
        sdc-questionnaire-sourceStructureMap sdc-questionnaire-subQuestionnaire
        sdc-questionnaire-targetStructureMap sdc-questionnaire-templateExtractBundle
        sdc-questionnaire-templateExtractContext sdc-questionnaire-templateExtract
        sdc-questionnaire-templateExtractValue sdc-questionnaire-unitOpen
        sdc-questionnaire-unitSupplementalSystem sdc-questionnaire-width
        """.split(whereSeparator: \.isWhitespace).map { sdc + $0 }

    private func diagnostics(root: JSONValue = [], item: JSONValue = [:]) throws -> [SurveyDiagnostic] {
        var question: JSONValue = ["linkId": "q", "type": "string", "text": "Q"]
        for member in item.members ?? [] { question[member.name] = member.value }
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft", "extension": root, "item": [question],
        ]
        return Survey(try Questionnaire(parsing: questionnaire.text())).diagnostics
    }

    @Test("each extension of SDC is followed or reported, and none is both")
    func all() throws {
        for url in Self.names {
            let tree: JSONValue = ["url": JSONValue(url), "valueCanonical": "urn:example:other"]
            let isReported = ExtensionSupport.lack(of: tree, at: "") != nil
            // What must be supported is reported where it is not.
            let isCritical = url.hasSuffix("criticalExtension")
            #expect(isReported != ExtensionSupport.followed.contains(url) || isCritical, "\(url)")
        }
    }

    @Test("an extension of SDC that came later is reported by its URL, one of others is not")
    func unknown() throws {
        func texts(_ url: String) throws -> [String] {
            try diagnostics(item: ["extension": [["url": JSONValue(url), "valueBoolean": true]]]).map(\.text)
        }
        #expect(try texts(Self.sdc + "sdc-questionnaire-brandNew").first?.contains("brandNew") == true)
        let core = "http://hl7.org/fhir/StructureDefinition/questionnaire-brandNew"
        #expect(try texts(core).first?.contains("brandNew") == true)
        #expect(try texts("https://example.org/brandNew").isEmpty)
    }

    @Test("extensions are found on texts, options and codes, and told once for an item")
    func places() throws {
        let expression: JSONValue = [
            [
                "url": "http://hl7.org/fhir/StructureDefinition/cqf-expression",
                "valueExpression": ["language": "text/fhirpath", "expression": "1"],
            ]
        ]
        #expect(try diagnostics(item: ["_text": ["extension": expression]]).isEmpty)
        #expect(try diagnostics(item: ["prefix": "1", "_prefix": ["extension": expression]]).isEmpty)
        let option: JSONValue = [
            "valueCoding": ["code": "a", "display": "A", "_code": ["extension": expression]]
        ]
        let options = try diagnostics(item: ["type": "choice", "answerOption": [option, option]])
        #expect(options.map(\.text) == ["Not supported: an expression that gives code."])
        #expect(options.first?.linkId == "q")
    }

    @Test("expressions give the texts of prefixes, help and options")
    func texts() throws {
        func given(_ text: String) -> JSONValue {
            [
                "extension": [
                    [
                        "url": "http://hl7.org/fhir/StructureDefinition/cqf-expression",
                        "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(text)],
                    ]
                ]
            ]
        }
        let name = "%resource.item.where(linkId = 'name').answer.value"
        let help: JSONValue = [
            "linkId": "help", "type": "display", "text": "Help", "_text": given("'Ask ' + \(name)"),
            "extension": [
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-displayCategory",
                    "valueCodeableConcept": ["coding": [["code": "help"]]],
                ]
            ],
        ]
        let choice: JSONValue = [
            "linkId": "q", "type": "choice", "text": "Who?", "prefix": "1",
            "_prefix": given("'(' + \(name) + ')'"), "item": [help],
            "answerOption": [
                ["valueCoding": ["code": "a", "display": "Somebody", "_display": given(name)]],
                ["valueString": "me", "_valueString": given("\(name) + ' herself'")],
                ["valueCoding": ["code": "n", "display": "Nobody"]],
            ],
        ]
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft",
            "item": [["linkId": "name", "type": "string", "text": "Name"], choice],
        ]
        var session = SurveySession(Survey(try Questionnaire(parsing: questionnaire.text())))
        func shown() throws -> [String] {
            let occurrence = try #require(session.occurrences(of: "q").first)
            return [session.label(of: occurrence)] + session.help(of: occurrence).map { $0.text(in: nil) }
                + session.options(of: occurrence).map { $0.label.text(in: nil) }
        }
        #expect(try shown() == ["1 Who?", "Help", "Somebody", "me", "Nobody"])
        try session.answer("name", with: .string("Ada"))
        #expect(try shown() == ["(Ada) Who?", "Ask Ada", "Ada", "Ada herself", "Nobody"])
    }

    @Test("columns are counted, and another unit is taken where units are open")
    func columnsAndUnits() throws {
        func item(_ open: String?) throws -> (SurveySession, [SurveyProblem]) {
            var extensions: [JSONValue] = [
                ["url": JSONValue(Self.sdc + "sdc-questionnaire-columnCount"), "valueInteger": 9],
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
                    "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg"],
                ],
            ]
            if let open {
                extensions.append(
                    ["url": JSONValue(Self.sdc + "sdc-questionnaire-unitOpen"), "valueCode": JSONValue(open)]
                )
            }
            let questionnaire: JSONValue = [
                "resourceType": "Questionnaire", "status": "draft",
                "item": [["linkId": "q", "type": "quantity", "extension": JSONValue(extensions)]],
            ]
            var session = SurveySession(Survey(try Questionnaire(parsing: questionnaire.text())))
            try session.answer("q", with: .quantity(Quantity(value: 12, unit: "stone")))
            return (session, session.problems())
        }
        let (session, problems) = try item("optionsOrString")
        #expect(session.survey.item("q")?.columnCount == 6 && problems.isEmpty)
        #expect(try item(nil).1.count == 1)
        #expect(try item("optionsOnly").1.count == 1)
    }

    @Test("StructureMaps are warnings that name them, an adaptive questionnaire is an error")
    func severities() throws {
        func one(_ name: String, _ value: JSONMember) throws -> SurveyDiagnostic? {
            let url = JSONMember(name: "url", value: JSONValue(Self.sdc + name))
            return try diagnostics(root: [JSONValue(members: [url, value])]).first
        }
        let canonical = JSONMember(name: "valueCanonical", value: "http://example.org/map")
        for name in ["sdc-questionnaire-targetStructureMap", "sdc-questionnaire-sourceStructureMap"] {
            let diagnostic = try one(name, canonical)
            #expect(diagnostic?.severity == .warning)
            #expect(diagnostic?.text.contains("http://example.org/map") == true)
        }
        let adaptive = "sdc-questionnaire-questionnaireAdaptive"
        #expect(try one(adaptive, JSONMember(name: "valueBoolean", value: true))?.severity == .error)
        #expect(try one(adaptive, JSONMember(name: "valueUrl", value: "http://e.org"))?.code == "adaptive")
        #expect(try one(adaptive, JSONMember(name: "valueBoolean", value: false)) == nil)
        let critical = JSONMember(name: "valueUri", value: JSONValue(Self.sdc + "sdc-questionnaire-width"))
        #expect(try one("sdc-rendering-criticalExtension", critical)?.severity == .warning)
    }

    @Test("an extraction says which StructureMap is not followed")
    func extraction() throws {
        let map: JSONValue = [
            "url": JSONValue(Self.sdc + "sdc-questionnaire-targetStructureMap"),
            "valueCanonical": "http://example.org/map",
        ]
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft", "extension": [map],
            "item": [["linkId": "q", "type": "string"]],
        ]
        let survey = Survey(try Questionnaire(parsing: questionnaire.text()))
        let extraction = survey.extract(from: SurveySession(survey).response(.completed))
        #expect(extraction.diagnostics.map(\.code) == ["structureMap"])
        #expect(extraction.diagnostics[0].text.contains("http://example.org/map"))
    }

    @Test("SDC's keyboards are those of the answer's format")
    func keyboard() throws {
        let url = JSONValue(Self.sdc + "sdc-questionnaire-keyboard")
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft",
            "item": [
                ["linkId": "q", "type": "string", "extension": [["url": url, "valueCode": "email"]]]
            ],
        ]
        let survey = Survey(try Questionnaire(parsing: questionnaire.text()))
        #expect(survey.items[0].format.keyboard == "emailAddress" && survey.diagnostics.isEmpty)
    }
}
