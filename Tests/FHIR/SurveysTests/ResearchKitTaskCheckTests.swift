import Foundation
import OrderedJSON
import Testing

@testable import Surveys

struct ResearchKitTaskCheckTests {
    private static func findings(_ text: String) throws -> [String] {
        try ResearchKitTaskCheck(JSONValue(parsing: text)).findings.map(\.description)
    }

    /// A task with a step in the second line.
    private static func task(_ step: String, _ more: String = "") -> String {
        """
        {"_class": "ORKNavigableOrderedTask", "identifier": "t", \(more)"steps": [
        \(step)]}
        """
    }

    private static func format(_ format: String) -> String {
        task(#"{"_class": "ORKQuestionStep", "identifier": "q", "answerFormat": \#(format)}"#)
    }

    @Test("a task that ResearchKit reads has no findings")
    func good() throws {
        let text = Self.format(#"{"_class": "ORKScaleAnswerFormat", "minimum": 0, "maximum": 10, "step": 1}"#)
        #expect(try Self.findings(text).isEmpty)
    }

    @Test(
        "what ResearchKit does not read has a line, a column, a path and a reason",
        arguments: [
            (#"{"_class": "ORKStep"}"#, "1:1: error: a task has the _class ORKOrderedTask"),
            (
                #"{"_class": "ORKOrderedTask", "steps": []}"#,
                "1:1: error: ORKOrderedTask needs “identifier”"
            ),
            (
                task(#"{"_class": "ORKFormStep", "identifier": "f", "formitems": []}"#),
                "2:46: error: steps[0].formitems: ORKFormStep has no such member; it has “formItems”"
            ),
            (
                task(#"{"_class": "ORKFormStep", "identifier": 7}"#),
                "2:41: error: steps[0].identifier: a text is expected"
            ),
            (task(#"{"identifier": "f"}"#), "2:1: error: steps[0]: “_class” is missing"),
            (
                task(#"{"_class": "ORKTextChoice", "text": "x", "value": "x"}"#),
                "2:1: error: steps[0]: ORKTextChoice stands where a ORKStep is expected"
            ),
            (
                task(#"{"_class": "MyStep", "identifier": "f"}"#),
                "2:1: warning: steps[0]: “MyStep” is no class that is known here"
            ),
            (
                format(#"{"_class": "ORKNumericAnswerFormat", "style": "whole"}"#),
                "error: steps[0].answerFormat.style: one of decimal, integer is expected"
            ),
            (
                format(#"{"_class": "ORKScaleAnswerFormat", "minimum": 0, "maximum": 100, "step": 1}"#),
                "error: steps[0].answerFormat: a scale has 1 to 13 whole steps"
            ),
            (
                format(#"{"_class": "ORKTextChoiceAnswerFormat", "textChoices": []}"#),
                "error: steps[0].answerFormat: there is nothing to choose from"
            ),
            (
                format(
                    #"{"_class": "ORKTextChoiceAnswerFormat", "textChoices": [{"_class": "ORKTextChoice", "#
                        + #""text": "a", "value": 1}, {"_class": "ORKTextChoice", "text": "b", "value": 1}]}"#
                ),
                "error: steps[0].answerFormat.textChoices[1].value: another choice has the value"
            ),
            (
                task(
                    #"{"_class": "ORKStep", "identifier": "a"}, {"_class": "ORKStep", "identifier": "a"}"#
                ),
                "2:79: error: steps[1].identifier: another step has the identifier “a”"
            ),
            (
                task(
                    #"{"_class": "ORKStep", "identifier": "a"}"#,
                    #""stepNavigationRules": {"a": {"_class": "ORKDirectStepNavigationRule", "#
                        + #""destinationStepIdentifier": "b"}}, "#
                ),
                "error: stepNavigationRules.a: the task has no step “b”"
            ),
            (
                task(
                    #"{"_class": "ORKFormStep", "identifier": "f", "formItems": [{"_class": "ORKFormItem", "#
                        + #""identifier": "x", "visibilityRule": {"_class": "#
                        + #""ORKPredicateFormItemVisibilityRule", "predicateFormat": "$z.answer"}}]}"#
                ),
                "warning: steps[0].formItems[0].visibilityRule.predicateFormat: the predicate, at its byte 9"
            ),
            (
                task(
                    #"{"_class": "ORKFormStep", "identifier": "f", "formItems": [{"_class": "ORKFormItem", "#
                        + #""identifier": "x", "visibilityRule": {"_class": "#
                        + #""ORKPredicateFormItemVisibilityRule", "predicateFormat": "$z.answer == 1"}}]}"#
                ),
                "warning: steps[0].formItems[0].visibilityRule: ResearchKit’s serializer does not read it"
            ),
            (
                format(#"{"_class": "ORKDateAnswerFormat", "minimumDate": "yesterday"}"#),
                "error: steps[0].answerFormat.minimumDate: a time is expected"
            ),
        ]
    )
    func bad(text: String, finding: String) throws {
        let found = try Self.findings(text)
        #expect(found.contains { $0.contains(finding) }, "\(found)")
    }

    @Test("deep and wide tasks end")
    func bounds() throws {
        var format = #"{"_class": "ORKTextAnswerFormat", "maximumLength": 0}"#
        for _ in 0..<100 {
            format =
                #"{"_class": "ORKPageStep", "identifier": "p", "pageTask": "#
                + #"{"_class": "ORKOrderedTask", "identifier": "t", "steps": [\#(format)]}}"#
        }
        #expect(try Self.findings(Self.task(format)).contains { $0.contains("nested more than 64 deep") })
        let steps = Array(repeating: #"{"x": 1}"#, count: 5_000).joined(separator: ",")
        #expect(try Self.findings(Self.task(steps)).count == 1_000)
    }

    @Test("the schema names every class that is referred to, and is JSON")
    func schema() throws {
        let schema = ResearchKitSchema.json
        let names = Set(schema["$defs"]?.members?.map(\.name) ?? [])
        func check(_ value: JSONValue) {
            if let reference = value["$ref"]?.string {
                #expect(names.contains(String(reference.dropFirst("#/$defs/".count))), "\(reference)")
            }
            for member in value.members ?? [] { check(member.value) }
            for element in value.elements ?? [] { check(element) }
        }
        check(schema)
        #expect(names.contains("ORKQuestionStep") && names.count > 200)
        for one in ResearchKitClass.all.values {
            if let parent = one.parent { #expect(ResearchKitClass.all[parent] != nil, "\(one.name)") }
        }
    }

    private static let samples = SharedQuestionnaires.folder.deletingLastPathComponent().appending(
        path: "ork"
    )

    @Test(
        "ResearchKit's own samples of what is in tasks have no members that are not known",
        .enabled(if: FileManager.default.fileExists(atPath: samples.path), "the samples are not there")
    )
    func researchKitSamples() throws {
        var count = 0
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.samples,
            includingPropertiesForKeys: nil
        )
        for file in files where file.pathExtension == "json" {
            guard let json = try? JSONValue(parsing: Data(contentsOf: file)),
                let name = json["_class"]?.string,
                let known = ResearchKitClass.all[name]
            else { continue }
            count += 1
            for member in json.members ?? [] where member.name != "_class" {
                #expect(
                    known.allMembers.contains { $0.name == member.name },
                    "\(file.lastPathComponent): \(member.name)"
                )
            }
            if known.isA("ORKStep") {
                let task: JSONValue = ["_class": "ORKOrderedTask", "identifier": "t", "steps": [json]]
                let findings = ResearchKitTaskCheck(task).findings.filter(\.isError)
                #expect(findings.isEmpty, "\(file.lastPathComponent): \(findings)")
            }
        }
        #expect(count > 30)
    }
}
