import FHIR
import Foundation
import OrderedJSON

/// Initial values, conditions, and scores of options.
extension QuestionnaireReader {
    // MARK: Values and conditions

    mutating func readInitial(_ item: inout SurveyItem) {
        var initial: [SurveyAnswer] = []
        for tree in item.source.elements(of: "initial") {
            if let value = tree.answerValue, item.accepts(value) {
                if let unit = value.quantity, unit.value == nil {
                    // A quantity without a value is the unit to begin with.
                    let index = item.format.units.firstIndex {
                        $0.code == unit.code && $0.system == unit.system
                    }
                    if let index { item.format.units.insert(item.format.units.remove(at: index), at: 0) }
                } else {
                    initial.append(value)
                }
            } else {
                report(
                    .error,
                    "malformedInitial",
                    "An initial value is not of a type that the item's answers can have.",
                    item
                )
            }
        }
        if initial.isEmpty, case .listed(let options)? = item.format.options {
            initial = options.filter(\.isInitiallySelected).map(\.value)
        }
        if initial.count > 1, !item.repeats {
            report(
                .error,
                "que-13",
                "There are several initial values, and the item does not repeat; the first is taken.",
                item
            )
            initial = [initial[0]]
        }
        item.initial = initial
    }

    mutating func readConditions(_ item: inout SurveyItem) {
        let list = item.source.elements(of: "enableWhen")
        item.isEnabledByAny = item.source.member("enableBehavior")?.isString("any") ?? false
        for tree in list {
            let view = Questionnaire.Item.EnableWhen(view: tree)
            // STU3 has no operator, and means that the answer is the same.
            let comparison = view.operator ?? .equals
            if view.operator == nil, view.question != nil, view.answer != nil {
                report(.error, "noOperator", "A condition has no operator; it is taken as =.", item)
            }
            guard let question = view.question, let answer = view.answer,
                let value = SurveyAnswer(answer.content.suffix, answer.content.tree)
            else {
                report(
                    .error,
                    "malformedCondition",
                    "A condition has no question or answer; it is never met.",
                    item
                )
                item.conditions.append(
                    EnableCondition(
                        question: "",
                        comparison: .other(""),
                        answer: .boolean(true),
                        target: nil,
                        isSupported: false
                    )
                )
                continue
            }
            let isSupported = EnableCondition.isDefined(comparison, for: value)
            if !isSupported {
                report(
                    .warning,
                    "unsupportedOperator",
                    "The operator \(comparison.code) is not defined for an answer of the type "
                        + "\(value.typeSuffix); the condition is never met.",
                    item
                )
            }
            let target = indices[question]
            if target == nil {
                report(
                    .error,
                    "unknownQuestion",
                    "A condition asks for an item that the questionnaire does not have.",
                    item
                )
            } else if let target, !items[target].isQuestion, comparison != .exists {
                report(
                    .warning,
                    "conditionOnGroup",
                    "A condition asks for the answer of an item that has none.",
                    item
                )
            }
            item.conditions.append(
                EnableCondition(
                    question: question,
                    comparison: comparison,
                    answer: value,
                    target: target,
                    isSupported: isSupported
                )
            )
        }
    }

    // MARK: Terminology servers

    /// The most servers of one item.
    private static var maximumServers: Int { 5 }

    /// The addresses of terminology servers that an item, or the questionnaire, prefers.
    mutating func readTerminologyServers(_ extensions: ExtensionList, _ item: SurveyItem?) -> [String] {
        var servers: [String] = []
        let urls = ExtensionURL.terminologyServer
        for address in extensions.values(urls[0], urls[1]).compactMap(\.string)
        where !servers.contains(address) {
            guard let url = URL(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
                url.host()?.isEmpty == false, servers.count < Self.maximumServers
            else {
                report(
                    .warning,
                    "terminologyServer",
                    "A preferred terminology server is left out: it is no web address, or one too many.",
                    item
                )
                continue
            }
            servers.append(address)
        }
        return servers
    }

    /// Gives items without preferred servers those of the nearest that they are under.
    mutating func inheritTerminologyServers(_ root: ExtensionList) {
        let servers = readTerminologyServers(root, nil)
        for index in items.indices where items[index].terminologyServers.isEmpty {
            items[index].terminologyServers =
                items[index].parent.map { items[$0].terminologyServers } ?? servers
        }
    }

    // MARK: Scores

    /// In a questionnaire with scores, options that have none and whose codes count from 0 on count as their
    /// codes, as the last question of the International Prostate Symptom Score is published.
    mutating func scoreByCodes() {
        func options(of item: SurveyItem) -> [SurveyOption] {
            if case .listed(let options)? = item.format.options { options } else { [] }
        }
        guard items.contains(where: { options(of: $0).contains { $0.score != nil } }) else { return }
        for index in items.indices {
            var options = options(of: items[index])
            guard options.count > 1, options.allSatisfy({ $0.score == nil }),
                options.enumerated().allSatisfy({ $1.value.coding?.code == String($0) })
            else { continue }
            for number in options.indices { options[number].score = FHIRDecimal(number) }
            items[index].format.options = .listed(options)
            report(
                .information,
                "scoreByCode",
                "The options have no scores; their codes are taken, which count from 0 on.",
                items[index]
            )
        }
    }
}
