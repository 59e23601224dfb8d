import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import Testing

@testable import Surveys

/// Sessions of random questionnaires, after random changes, beside a copy that keeps nothing and calculates
/// everything anew.
struct StaleValueTests {
    private static let extensions = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let variable = "http://hl7.org/fhir/StructureDefinition/variable"

    private static func expression(_ url: String, _ text: String, name: String? = nil) -> JSONValue {
        var value: JSONValue = ["language": "text/fhirpath", "expression": JSONValue(text)]
        if let name { value["name"] = JSONValue(name) }
        return ["url": JSONValue(url), "valueExpression": value]
    }

    /// Questionnaires in which expressions read nothing but items and variables before them.
    private struct Maker {
        var generator: SeededGenerator
        var names: [String] = []
        var count = 0

        mutating func pick<Value>(_ list: [Value]) -> Value? { list.randomElement(using: &generator) }
        mutating func chance(_ probability: Double) -> Bool {
            Double.random(in: 0..<1, using: &generator) < probability
        }

        /// What some items, or the focus, or a variable gives.
        mutating func source(_ known: [String], _ variables: [String]) -> String {
            let name = pick(known) ?? "i0"
            if !variables.isEmpty, chance(0.5) {
                let variable = "%\(pick(variables) ?? "")"
                return pick([
                    variable, "\(variable).item.where(linkId='\(name)')", "\(variable).item",
                    "\(variable).answer.item.where(linkId='\(name)')", "\(variable).answer",
                    "\(variable).children()", "\(variable).descendants().where(linkId='\(name)')",
                    "\(variable).item.where(linkId='\(name)').answer", "\(variable).repeat(item)",
                ]) ?? variable
            }
            return pick([
                "%resource.repeat(item).where(linkId='\(name)')",
                "%resource.descendants().where(linkId='\(name)')",
                "%rootResource.item.where(linkId = '\(name)')", "item.where(linkId='\(name)')",
                "%context.item.where('\(name)' = linkId)",
                "%resource.item.where(linkId ~ '\(name.uppercased())')",
                "%resource.repeat(item | answer.item).where(linkId='\(name)')", "$this", "%context",
                "%resource",
                "%resource.select($this)", "iif(true, %resource)", "first()",
                "%resource.repeat(item).where(linkId='\(name)').answer.item",
                "%resource.repeat(item).where(linkId='\(name)').answer.children()",
                "%resource.repeat(item).where(linkId='\(name)').where(answer.exists())",
                "%resource.repeat(item).where(linkId='\(name)' or linkId='i1')",
                "%resource.repeat(item).where(linkId='\(name)').first()",
                "defineVariable('d', %resource).select(%d.item)",
                "defineVariable('d', %resource.repeat(item).where(linkId='\(name)')).select(%d.answer)",
                "%resource.repeat(item).where(linkId='\(name)' and answer.count() > 1)",
                "%resource.item.last()", "%resource.item.where(linkId!='\(name)')",
            ]) ?? "item"
        }

        mutating func path(_ known: [String], _ variables: [String]) -> String {
            let first = source(known, variables)
            let text = pick([
                "\(first).count()", "\(first).answer.value.count()", "\(first).answer.count()",
                "\(first).answer.item.count()", "\(first).answer.children().count()", "\(first).item.count()",
                "\(first).descendants().count()", "\(first).children().count()",
                "\(first).answer.value.ofType(integer).sum()", "\(first).answer.exists().toString().length()",
                "\(first).select(answer.value).count()", "(\(first) | \(first)).item.count()",
                "\(first).repeat(item).answer.count()", "\(first).answer.select(item.count()).sum()",
                "\(first).answer.aggregate($total + $this.item.count() + 1, 0)",
                "\(first).answer.where($this.item.exists()).count()",
            ])
            return text ?? "0"
        }

        mutating func value(_ known: [String], _ variables: [String]) -> String {
            let path = path(known, variables)
            guard chance(0.3) else { return path }
            return "iif(\(path) > 1, \(self.path(known, variables)), 7)"
        }

        mutating func item(_ depth: Int, _ above: [String], _ variables: [String]) -> JSONValue {
            let name = "i\(count)"
            count += 1
            // Those it is under are not among the known: what is under an item reads itself by that.
            let known = names
            let isGroup = depth < 3 && chance(0.35)
            let type = isGroup ? "group" : pick(["integer", "integer", "boolean", "string"]) ?? "integer"
            var item: JSONValue = ["linkId": JSONValue(name), "type": JSONValue(type)]
            var own = variables
            var extensions: [JSONValue] = []
            if chance(0.4) { item["repeats"] = true }
            if chance(0.5) {
                for _ in 0...1 {
                    let variable = "v\(count)x\(own.count)"
                    let text = chance(0.5) ? source(known, own) : value(known, own)
                    extensions.append(expression(StaleValueTests.variable, text, name: variable))
                    own.append(variable)
                }
            }
            if !known.isEmpty, chance(0.25), let question = pick(known) {
                item["enableWhen"] = [
                    [
                        "question": JSONValue(question), "operator": "exists",
                        "answerBoolean": JSONValue(chance(0.6)),
                    ]
                ]
            } else if chance(0.2) {
                extensions.append(
                    expression(StaleValueTests.extensions + "enableWhenExpression", "\(path(known, own)) > 0")
                )
            }
            if type == "integer", chance(0.6) {
                var text = value(known, own)
                // What reads its own answer comes to no end.
                while ["%context.", "$this.a", "$this.s", "first().a", "first().s", "$this.c"].contains(
                    where: text.contains
                ) {
                    text = value(known, own)
                }
                extensions.append(expression(StaleValueTests.extensions + "calculatedExpression", text))
            }
            if !extensions.isEmpty { item["extension"] = JSONValue(extensions) }
            if isGroup || (depth < 3 && chance(0.25)) {
                item["item"] = JSONValue(
                    (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                        self.item(depth + 1, above + [name], own)
                    }
                )
            }
            names.append(name)
            return item
        }

        mutating func questionnaire() -> JSONValue {
            let text = source([], [])
            let variables = [expression(StaleValueTests.variable, text, name: "root")]
            let items = (0..<6).map { _ in item(0, [], ["root"]) }
            return [
                "resourceType": "Questionnaire", "status": "draft", "extension": JSONValue(variables),
                "item": JSONValue(items),
            ]
        }
    }

    private static func state(_ session: SurveySession) -> [String] {
        session.survey.items.flatMap { item in
            session.occurrences(of: item.linkId).enumerated().map { index, occurrence in
                let answers = session.answers(of: occurrence).map { "\($0)" }
                return "\(item.linkId)[\(index)] \(session.isEnabled(occurrence)) \(answers)"
            }
        }
    }

    private static func anew(_ session: SurveySession) -> SurveySession {
        var copy = session
        copy.evaluated = []
        copy.variableValues = [:]
        copy.constants = [:]
        var queue = EvaluationQueue(copy.survey.dependencies)
        for item in copy.survey.items {
            if item.enableExpression != nil || !item.conditions.isEmpty { queue.push(item.index, .enabled) }
            if item.calculatedExpression != nil { queue.push(item.index, .answers) }
        }
        queue.hasChanges = true
        copy.run(&queue)
        return copy
    }

    @Test("after any changes a session has what it has without anything that it kept", arguments: seeds)
    func random(seed: Int) throws {
        var maker = Maker(generator: SeededGenerator(seed: UInt64(seed)))
        let json = maker.questionnaire()
        let survey = Survey(Questionnaire(view: json))
        guard survey.dependencies.cyclic.isEmpty else { return }
        var generator = maker.generator
        var session = SurveySession(survey)
        var steps: [String] = []
        for step in 0..<30 {
            let questions = survey.items.filter { $0.isQuestion && $0.calculatedExpression == nil }
            let groups = survey.items.filter { $0.isGroup && $0.repeats }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                guard let item = groups.randomElement(using: &generator),
                    let row = session.occurrences(of: item.linkId).randomElement(using: &generator),
                    session.occurrences(of: item.linkId).count < 4
                else { continue }
                try session.addRepetition(after: row)
                steps.append("add \(item.linkId)")
            case 1:
                guard let item = groups.randomElement(using: &generator),
                    let row = session.occurrences(of: item.linkId).randomElement(using: &generator)
                else { continue }
                try session.removeRepetition(row)
                steps.append("remove \(item.linkId)")
            case 2:
                var object: JSONValue = [:]
                for item in questions.shuffled(using: &generator).prefix(6) {
                    let isOne = Bool.random(using: &generator)
                    let one: JSONValue = item.type == .boolean ? true : item.type == .string ? "x" : 3
                    object[item.linkId] = isOne ? one : .null
                }
                _ = session.fill(with: object)
                steps.append("fill \(object.text())")
            default:
                guard let item = questions.randomElement(using: &generator),
                    let question = session.occurrences(of: item.linkId).randomElement(using: &generator)
                else { continue }
                let count = Int.random(in: 0...(item.repeats ? 3 : 1), using: &generator)
                let answers = (0..<count).map { index -> SurveyAnswer in
                    switch item.type {
                    case .boolean: .boolean(Bool.random(using: &generator))
                    case .string: .string("s\(index)")
                    default: .integer(Int.random(in: 0...4, using: &generator))
                    }
                }
                try session.answer(question, with: answers)
                steps.append("\(item.linkId) \(answers)")
            }
            let kept = Self.state(session)
            let anewSession = Self.anew(session)
            let anew = Self.state(anewSession)
            guard kept != anew else { continue }
            // What reads itself over everything comes to no end.
            guard Self.state(Self.anew(anewSession)) == anew else { return }
            let differing = zip(kept, anew).filter { $0 != $1 }
            Issue.record(
                """
                seed \(seed), step \(step), \(steps.suffix(3)): \(differing.prefix(3)); \
                \(session.diagnostics.map(\.code)) \(json.text())
                """
            )
            return
        }
    }

    private static let seeds: [Int] = {
        let count = ProcessInfo.processInfo.environment["INDIVO_STALE_SEEDS"].flatMap { Int($0) } ?? 40
        return Array(1...count)
    }()
}
