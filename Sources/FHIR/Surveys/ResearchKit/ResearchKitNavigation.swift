import FHIR
import Foundation
import OrderedJSON

/// Conditions as rules of navigation: before steps that may be skipped, a rule leads to the first whose
/// conditions hold.
extension ResearchKitTaskWriter {
    /// A step, with the predicate under which it is shown.
    struct Destination {
        let step: Int
        let predicate: String
    }

    /// The most predicates of all rules together: each of a row of steps with conditions needs those of all
    /// behind it.
    private static let maximumPredicates = 50_000

    /// For each step before steps with conditions: these, and the step that follows them.
    mutating func navigationRules() -> [(from: Int, conditional: [Destination], next: Int?)] {
        var predicates: [Int: String] = [:]
        var positions: [Int: Int] = [:]
        for (index, step) in steps.enumerated() {
            if !step.conditional.isEmpty, let predicate = predicate(of: index, positions) {
                predicates[index] = predicate
            }
            for item in step.items { positions[item] = positions[item] ?? index }
        }
        shortenRows(&predicates)
        if predicates[0] != nil {
            report("The first step is always shown.", survey.items[steps[0].items[0]])
        }
        return steps.indices.compactMap { from in
            var conditional: [Destination] = []
            var next = from + 1
            while next < steps.count, let predicate = predicates[next] {
                conditional.append(Destination(step: next, predicate: predicate))
                next += 1
            }
            return conditional.isEmpty ? nil : (from, conditional, next < steps.count ? next : nil)
        }
    }

    /// Where there would be too many predicates, some steps are always shown, which ends the rows that they
    /// are in.
    private mutating func shortenRows(_ predicates: inout [Int: String]) {
        var rows = 0
        var length = 0
        for index in steps.indices {
            length = predicates[index] == nil ? 0 : length + 1
            rows += length
        }
        guard rows > Self.maximumPredicates else { return }
        let longest = max(1, 2 * Self.maximumPredicates / predicates.count)
        length = 0
        for index in steps.indices {
            length = predicates[index] == nil ? 0 : length + 1
            guard length > longest else { continue }
            report(
                "Too many items with conditions follow each other for ResearchKit; this one is always asked.",
                survey.items[steps[index].items[0]]
            )
            predicates[index] = nil
            length = 0
        }
    }

    /// When a step is shown; nil where that cannot be written, and the step is always shown.
    /// - Parameter positions: The steps before it, by item.
    private mutating func predicate(of step: Int, _ positions: [Int: Int]) -> String? {
        var parts: [String] = []
        for index in steps[step].conditional {
            let item = survey.items[index]
            if item.enableExpression != nil {
                report("ResearchKit has no expressions; the item is always asked.", item)
                return nil
            }
            var conditions: [String] = []
            for condition in item.conditions {
                guard let text = predicate(condition, positions) else {
                    report("ResearchKit's predicates have no such condition; the item is always asked.", item)
                    return nil
                }
                conditions.append(text)
            }
            parts.append(Self.joined(conditions, item.isEnabledByAny ? " OR " : " AND "))
        }
        return Self.joined(parts, " AND ")
    }

    private static func joined(_ parts: [String], _ operation: String) -> String {
        parts.count == 1 ? parts[0] : "(" + parts.joined(separator: operation) + ")"
    }

    private func predicate(_ condition: EnableCondition, _ positions: [Int: Int]) -> String? {
        guard condition.isSupported, let target = condition.target,
            let source = positions[target].map({ steps[$0] })
        else { return nil }
        let linkId = Self.quoted(survey.items[target].linkId)
        func some(_ test: String) -> String {
            """
            SUBQUERY(SELF, $x, $x.identifier == $ORK_TASK_IDENTIFIER AND SUBQUERY($x.results, \
            $y, $y.identifier == \(Self.quoted(source.identifier)) AND $y.isPreviousResult == \
            0 AND SUBQUERY($y.results, $z, $z.identifier == \(linkId) AND \(test)).@count > \
            0).@count > 0).@count > 0
            """
        }
        if condition.comparison == .exists {
            let exists = some("$z.answer != nil")
            return condition.answer.boolean == true ? exists : "(NOT \(exists))"
        }
        let isChoice = survey.items[target].type == .choice || survey.items[target].type == .openChoice
        guard let value = literal(condition.answer, of: survey.items[target]) else { return nil }
        func compared(_ sign: String) -> String {
            isChoice
                ? some("SUBQUERY($z.answer, $w, $w \(sign) \(value)).@count > 0")
                : some("$z.answer \(sign) \(value)")
        }
        switch condition.comparison {
        case .equals: return compared("==")
        case .notEquals: return "(NOT \(compared("==")))"
        case .greaterThan: return compared(">")
        case .lessThan: return compared("<")
        case .greaterOrEquals: return compared(">=")
        case .lessOrEquals: return compared("<=")
        case .exists, .other: return nil
        }
    }

    private func literal(_ answer: SurveyAnswer, of item: SurveyItem) -> String? {
        switch answer {
        case .boolean(let value): return value ? "1" : "0"
        case .integer(let value) where item.type != .choice: return String(value)
        case .decimal(let value): return value.description
        case .quantity(let quantity):
            // ResearchKit compares the number, which is in the question's unit.
            guard let unit = item.format.units.first,
                quantity.code ?? quantity.unit == unit.code ?? unit.display
            else { return nil }
            return quantity.value?.description
        case .date, .dateTime:
            guard let instant = ResearchKitDate.instant(answer) else { return nil }
            return "CAST(\(instant.timeIntervalSinceReferenceDate), \"NSDate\")"
        case .string(let text): return Self.quoted(text)
        case .coding, .integer, .reference:
            guard case .listed(let options)? = item.format.options,
                let option = item.format.candidates(options, for: answer).first(where: {
                    $0.value.equals(answer)
                })
            else { return nil }
            return Self.quoted(ResearchKitChoice.value(of: option.value))
        default: return nil
        }
    }

    /// A string of a predicate.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            + "\""
    }
}

/// Dates as ResearchKit's serializer writes them: `2019-05-27T00:35:06-0700`.
enum ResearchKitDate {
    static func json(_ answer: SurveyAnswer) -> JSONValue? {
        switch answer {
        case .date(let date): date.day == nil ? nil : JSONValue("\(date)T00:00:00+0000")
        case .dateTime(let value): value.date.day == nil ? nil : JSONValue(text(value))
        default: nil
        }
    }

    static func text(_ value: FHIRDateTime) -> String {
        guard let time = value.time else { return "\(value.date)T00:00:00+0000" }
        let zone = value.zone == "Z" ? "+0000" : value.zone.replacingOccurrences(of: ":", with: "")
        let clock = time.description.prefix { $0 != "." }
        return "\(value.date)T\(clock)\(zone)"
    }

    static func instant(_ answer: SurveyAnswer) -> Date? {
        guard let text = json(answer)?.string else { return nil }
        return dateTime(text)?.instant
    }

    static func dateTime(_ text: String) -> FHIRDateTime? {
        // ResearchKit leaves the colon of the zone out.
        FHIRDateTime(textOfAnyZone: text)
    }
}
