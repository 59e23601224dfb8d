import FHIR
import Foundation
import OrderedJSON

/// Rules of navigation and of visibility as conditions of items.
extension ResearchKitTaskReader {
    /// Why a condition cannot be expressed in the questionnaire.
    private struct RuleProblem: Error {
        let reason: String
        /// The faulty part of the task; `nil` if it is the whole rule.
        var json: JSONValue?
    }

    /// The identifier that ends a task (`ORKNullStepIdentifier`). An empty one does too.
    static let end = "org.researchkit.step.null"

    /// How conditions find out whether a step is reached.
    private enum Reaching {
        /// Every step is always reached.
        case always
        /// These steps may be passed over. For each, a variable shows whether it is reached.
        case variables(Set<Int>)
        /// These steps may be passed over, and the rules are too many for variables.
        case unknown(Set<Int>)

        var passedOver: Set<Int> {
            switch self {
            case .always: []
            case .variables(let steps), .unknown(let steps): steps
            }
        }
    }

    // MARK: Rules

    mutating func applyRules() {
        for name in ["skipStepNavigationRules", "stepModifiers"] {
            for member in task[name]?.members.map(Array.init) ?? [] {
                report("\(name) are not read; the step is asked as it is.", member.name, member.value)
            }
        }
        let route = ResearchKitRoute(count: steps.count, rules: navigationRules())
        let ways = route.ways
        var reaching = Reaching.always
        var usesVariables = false
        if let visibilities = route.visibilities {
            let passedOver = route.passedOver
            reaching = ways == nil ? .unknown(passedOver) : .variables(passedOver)
            for (step, visibility) in visibilities.sorted(by: { $0.key < $1.key }) {
                guard var item = steps[step].item else { continue }
                switch visibility {
                case .condition(let condition):
                    usesVariables = show(&item, when: condition, reaching, nil) || usesVariables
                case .reached:
                    usesVariables = true
                    item.addExtension(
                        ExtensionURL.enableWhenExpression,
                        "Expression",
                        Self.expression(ItemCondition.variable(step))
                    )
                }
                steps[step].item = item
            }
        } else {
            report(
                "The rules are too many to be conditions of steps; every step is asked.",
                nil,
                task["stepNavigationRules"]
            )
        }
        for step in steps.indices where !steps[step].visibilityRules.isEmpty {
            usesVariables = applyVisibilityRules(of: step, reaching) || usesVariables
        }
        if usesVariables, let ways { writeVariables(route.passedOver, ways) }
    }

    private mutating func navigationRules() -> [ResearchKitRoute.Rule] {
        let members = task["stepNavigationRules"]?.members.map(Array.init) ?? []
        let indices = Dictionary(firstOf: steps.enumerated().map { ($1.identifier, $0) })
        var rules: [ResearchKitRoute.Rule] = []
        var seen: Set<String> = []
        for member in members {
            guard seen.insert(member.name).inserted else {
                report(
                    "Another rule of the step is before it; it is left out.",
                    member.name,
                    member.nameValue
                )
                continue
            }
            guard let from = indices[member.name] else {
                report(
                    "A rule is one of a step that the task does not have; it is left out.",
                    member.name,
                    member.nameValue
                )
                continue
            }
            do throws(RuleProblem) {
                rules.append(try rule(member.value, from, indices))
            } catch {
                report("The rule is left out: \(error.reason).", member.name, error.json ?? member.value)
            }
        }
        return rules
    }

    private mutating func rule(_ json: JSONValue, _ from: Int, _ indices: [String: Int]) throws(RuleProblem)
        -> ResearchKitRoute.Rule
    {
        func index(_ value: JSONValue?) throws(RuleProblem) -> Int {
            guard let identifier = value?.string else {
                throw RuleProblem(reason: "the identifier of a step is missing", json: value)
            }
            if identifier.isEmpty || identifier == Self.end { return steps.count }
            guard let step = indices[identifier] else {
                throw RuleProblem(reason: "it leads to a step that the task does not have", json: value)
            }
            guard step > from else {
                throw RuleProblem(reason: "it leads back, which questionnaires do not", json: value)
            }
            return step
        }
        switch json["_class"]?.string {
        case "ORKDirectStepNavigationRule":
            return .init(from: from, conditional: [], next: try index(json["destinationStepIdentifier"]))
        case "ORKPredicateStepNavigationRule":
            let destinations = json.elements(of: "destinationStepIdentifiers")
            let predicates = json.elements(of: "resultPredicateFormats")
            if predicates.count != destinations.count {
                let pairs = min(predicates.count, destinations.count)
                let first = predicates.count > pairs ? predicates[pairs] : destinations[pairs]
                report(
                    """
                    The rule has \(predicates.count) conditions for \(destinations.count) destinations; \
                    what has no other is left out.
                    """,
                    steps[from].identifier,
                    first
                )
            }
            var conditional: [(condition: ItemCondition, step: Int)] = []
            for (predicate, destination) in zip(predicates, destinations) {
                let condition = try condition(predicate, at: from)
                conditional.append((condition, try index(destination)))
            }
            let last = json["defaultStepIdentifier"]
            let next = last == nil || last?.isNull == true ? from + 1 : try index(last)
            return .init(from: from, conditional: conditional, next: next)
        default: throw RuleProblem(reason: "rules of its class are not read")
        }
    }

    /// A variable for each step that may be passed over: whether it is reached.
    private mutating func writeVariables(_ passedOver: Set<Int>, _ ways: [Int: [ResearchKitRoute.Way]]) {
        for step in passedOver.sorted() {
            let ways = (ways[step] ?? []).map { way in
                let from = passedOver.contains(way.from) ? ItemCondition.reached(way.from) : .all([])
                return ItemCondition.all([from, way.condition.reaching(passedOver)]).simplified
            }
            var path = ItemCondition.any(ways).simplified.path
            if path.utf8.count > Self.maximumExpression {
                report(
                    "Whether the step is reached is too long for an expression; it counts as reached.",
                    steps[step].identifier,
                    task["stepNavigationRules"]
                )
                path = "true"
            }
            var variable = Self.expression(path)
            variable["name"] = JSONValue("step\(step)")
            variables.append(["url": JSONValue(ExtensionURL.variable[0]), "valueExpression": variable])
        }
    }

    /// The most bytes of an expression of FHIRPath.
    private static let maximumExpression = 100_000

    private static func expression(_ text: String) -> JSONValue {
        ["language": "text/fhirpath", "expression": JSONValue(text)]
    }

    // MARK: Conditions of items

    private mutating func applyVisibilityRules(of step: Int, _ reaching: Reaching) -> Bool {
        var children = steps[step].item?["item"]?.elements.map(Array.init) ?? []
        var usesVariables = false
        for (child, rule) in steps[step].visibilityRules {
            let linkId = children[child]["linkId"]?.string
            do throws(RuleProblem) {
                guard let predicate = rule["predicateFormat"] else {
                    throw RuleProblem(reason: "“predicateFormat” is missing")
                }
                let condition = try condition(predicate, at: step)
                usesVariables = show(&children[child], when: condition, reaching, predicate) || usesVariables
            } catch {
                report("The rule of visibility is left out: \(error.reason).", linkId, error.json ?? rule)
            }
        }
        steps[step].item?["item"] = JSONValue(children)
        return usesVariables
    }

    /// Shows an item under a condition: with `enableWhen` if that can express it, else with an expression.
    ///
    /// - Returns: Whether the condition has variables of steps.
    private mutating func show(
        _ item: inout JSONValue,
        when condition: ItemCondition,
        _ reaching: Reaching,
        _ json: JSONValue?
    ) -> Bool {
        let condition = condition.reaching(reaching.passedOver).simplified
        let usesVariables = !condition.reachedSteps.isEmpty
        if usesVariables, case .unknown = reaching {
            report(
                """
                A condition asks whether a step is reached, and the rules are too many to say that. The \
                item is always asked.
                """,
                item["linkId"]?.string,
                json ?? task["stepNavigationRules"]
            )
            return false
        }
        var parts = [condition]
        var isAny = false
        switch condition {
        case .all(let list): parts = list
        case .any(let list):
            parts = list
            isAny = true
        default: break
        }
        // The condition always holds.
        if parts.isEmpty, !isAny { return false }
        let conditions = parts.compactMap(\.enableWhen)
        if conditions.count == parts.count, !parts.isEmpty {
            item["enableWhen"] = JSONValue(conditions)
            if conditions.count > 1 { item["enableBehavior"] = isAny ? "any" : "all" }
            return usesVariables
        }
        let path = condition.path
        guard path.utf8.count <= Self.maximumExpression else {
            report(
                "The condition is too long for an expression. The item is always asked.",
                item["linkId"]?.string,
                json ?? task["stepNavigationRules"]
            )
            return false
        }
        item.addExtension(ExtensionURL.enableWhenExpression, "Expression", Self.expression(path))
        return usesVariables
    }

    // MARK: Reading

    /// Reads a predicate that is evaluated when a step is shown or left.
    private func condition(_ predicate: JSONValue, at step: Int) throws(RuleProblem) -> ItemCondition {
        do throws(RuleProblem) {
            let condition = try resolve(try read(predicate))
            guard !condition.reachedSteps.contains(where: { $0 > step }) else {
                throw RuleProblem(reason: "its condition asks for what is not answered, and is asked later")
            }
            // Joined with others, it still has to fit into an expression.
            guard condition.path.utf8.count <= Self.maximumExpression / 2 else {
                throw RuleProblem(reason: "its condition is too long for an expression")
            }
            return condition
        } catch {
            throw RuleProblem(reason: error.reason, json: predicate)
        }
    }

    private func read(_ predicate: JSONValue) throws(RuleProblem) -> ResearchKitCondition {
        guard let text = predicate.string else { throw RuleProblem(reason: "a condition is a text") }
        let read: ResearchKitPredicate
        do throws(ResearchKitPredicate.Problem) {
            read = try ResearchKitPredicate(text)
        } catch {
            throw RuleProblem(
                reason: "its condition cannot be read, at byte \(error.offset): \(error.reason)"
            )
        }
        guard let found = ResearchKitCondition(read, of: task["identifier"]?.string) else {
            throw RuleProblem(reason: "its condition is not one on answers of this task")
        }
        return found
    }

    private func find(_ question: ResearchKitCondition.Question) throws(RuleProblem) -> Asked {
        if let found = asked[question] { return found }
        if question.step == nil, let found = askedByName[question.item] { return found }
        throw RuleProblem(reason: "its condition asks for “\(question.item.prefix(80))”, which is not asked")
    }

    private func resolve(_ condition: ResearchKitCondition) throws(RuleProblem) -> ItemCondition {
        switch condition {
        case .all(let parts):
            return .all(try parts.map { part throws(RuleProblem) in try resolve(part) })
        case .any(let parts):
            return .any(try parts.map { part throws(RuleProblem) in try resolve(part) })
        case .not(let part): return .not(try resolve(part))
        case .reached(let question): return .reached(try find(question).step)
        case .answered(let question): return .answered(try find(question).linkId)
        case .some(let question, let test, let isOfList):
            let asked = try find(question)
            let hasList = asked.type == "choice" || asked.type == "open-choice"
            guard hasList == isOfList else {
                throw RuleProblem(
                    reason: hasList
                        ? "\(described(asked)) a list, of which SUBQUERY($z.answer, $w, …).@count > 0 asks"
                        : "\(described(asked)) no list, in which SUBQUERY looks"
                )
            }
            return .some(asked.linkId, try resolve(test, asked))
        }
    }

    private func resolve(_ test: ResearchKitCondition.Test, _ asked: Asked) throws(RuleProblem)
        -> ItemCondition.Test
    {
        switch test {
        case .all(let parts):
            return .all(try parts.map { part throws(RuleProblem) in try resolve(part, asked) })
        case .any(let parts):
            return .any(try parts.map { part throws(RuleProblem) in try resolve(part, asked) })
        case .not(let part): return .not(try resolve(part, asked))
        case .compares(let sign, let value): return try comparison(sign, value, asked)
        }
    }

    // MARK: Values

    /// A comparison with answers of a question. One that no answer passes is refused, as it is a mistake.
    private func comparison(_ sign: String, _ value: ResearchKitCondition.Value, _ asked: Asked)
        throws(RuleProblem) -> ItemCondition.Test
    {
        func literal(_ type: String, _ answer: JSONValue) -> ItemCondition.Test {
            .compares(sign, .init(type: type, answer: answer))
        }
        switch (value, asked.type) {
        case (_, "choice"), (_, "open-choice"): return try choice(sign, value, asked)
        case (.number(let digits), let type):
            guard let number = ResearchKitNumber(digits), let json = JSONValue(number: digits) else {
                throw RuleProblem(reason: "its condition has a number with more digits than answers have")
            }
            switch type {
            case "boolean": return try boolean(sign, number, asked)
            case "integer":
                if let whole = number.integer { return literal("Integer", JSONValue(whole)) }
                guard !number.isWhole, sign != "==", sign != "!=" else {
                    throw RuleProblem(reason: "\(described(asked)) an integer, which is never \(number.text)")
                }
                return .compares(sign, .init(type: "Decimal", answer: json, isOfItem: false))
            case "decimal": return literal("Decimal", json)
            case "quantity":
                var quantity: JSONValue = ["value": json]
                for (from, to) in [("display", "unit"), ("system", "system"), ("code", "code")] {
                    if let text = asked.unit?[from] { quantity[to] = text }
                }
                return literal("Quantity", quantity)
            default: break
            }
        case (.text(let text), "string"), (.text(let text), "text"):
            return literal("String", JSONValue(text))
        case (.date(let seconds), "date"), (.date(let seconds), "dateTime"):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            guard Self.years.contains(seconds) else {
                throw RuleProblem(reason: "its condition has a time outside of the years 1 to 9999")
            }
            let moment = FHIRDateTime(date)
            guard asked.type == "date" else { return literal("DateTime", JSONValue(moment.description)) }
            // Any other time is midnight in a zone that the predicate does not name, or lies within a day.
            guard seconds.truncatingRemainder(dividingBy: 86_400) == 0 else {
                throw RuleProblem(
                    reason: """
                        \(described(asked)) a day, which is not compared with \(moment): a day is its \
                        midnight in UTC
                        """
                )
            }
            return literal("Date", JSONValue(moment.date.description))
        default: break
        }
        throw RuleProblem(
            reason: "\(described(asked)) a \(asked.type), which is not compared with \(Self.text(value))"
        )
    }

    private func described(_ asked: Asked) -> String {
        "the answer of “\(asked.linkId.prefix(80))” is"
    }

    private static func text(_ value: ResearchKitCondition.Value) -> String {
        switch value {
        case .number(let digits): "the number \(digits.prefix(40))"
        case .text(let text): "the text “\(text.prefix(80))”"
        case .date: "a date"
        }
    }

    /// The years 1 to 9999, in seconds since 2001.
    private static let years = -63_113_904_000.0..<252_423_993_600.0

    /// ResearchKit has 1 and 0 for yes and no.
    private func boolean(_ sign: String, _ number: ResearchKitNumber, _ asked: Asked) throws(RuleProblem)
        -> ItemCondition.Test
    {
        let passing = [0, 1].filter { answer in
            switch sign {
            case "==": Decimal(answer) == number.value
            case "!=": Decimal(answer) != number.value
            case "<": Decimal(answer) < number.value
            case "<=": Decimal(answer) <= number.value
            case ">": Decimal(answer) > number.value
            default: Decimal(answer) >= number.value
            }
        }
        guard passing.count == 1 else {
            throw RuleProblem(
                reason: "\(described(asked)) 1 or 0, and \(sign) \(number.text) does not tell them apart"
            )
        }
        if sign == "!=" { return .compares("!=", .init(type: "Boolean", answer: JSONValue(passing[0] == 0))) }
        return .compares("==", .init(type: "Boolean", answer: JSONValue(passing[0] == 1)))
    }

    private func choice(_ sign: String, _ value: ResearchKitCondition.Value, _ asked: Asked)
        throws(RuleProblem) -> ItemCondition.Test
    {
        guard let option = option(value, asked) else {
            if case .text(let text) = value, asked.type == "open-choice" {
                return .compares(sign, .init(type: "String", answer: JSONValue(text)))
            }
            throw RuleProblem(reason: "“\(asked.linkId.prefix(80))” has no choice with \(Self.text(value))")
        }
        switch option.kind {
        case .number: return .compares(sign, .init(type: "Integer", answer: option))
        case .string: return .compares(sign, .init(type: "String", answer: option))
        default:
            guard sign == "==" || sign == "!=" else {
                throw RuleProblem(
                    reason: "the choices of “\(asked.linkId.prefix(80))” are codes, which have no order"
                )
            }
            return .compares(sign, .init(type: "Coding", answer: option))
        }
    }

    /// The option with a value. A number and its digits are the same, where there is only one of them.
    private func option(_ value: ResearchKitCondition.Value, _ asked: Asked) -> JSONValue? {
        switch value {
        case .text(let text): return asked.options[value] ?? asked.options[.number(text)]
        case .number(let digits):
            let digits = ResearchKitNumber(digits)?.text ?? digits
            return asked.options[.number(digits)] ?? asked.options[.text(digits)]
        case .date: return nil
        }
    }
}
