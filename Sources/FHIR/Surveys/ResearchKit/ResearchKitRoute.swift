import OrderedJSON

/// Where the steps of a task lead: rules of navigation as conditions of the steps that they pass over.
struct ResearchKitRoute {
    /// A step's rule: it leads to the first destination whose condition holds, else to another step.
    struct Rule {
        let from: Int
        let conditional: [(condition: ItemCondition, step: Int)]
        let next: Int

        var furthest: Int { (conditional.map(\.step) + [next]).max() ?? next }
    }

    /// From where a step is reached, under which condition.
    struct Way {
        let from: Int
        let condition: ItemCondition
    }

    /// Under which condition a step is shown.
    enum Visibility {
        /// A condition on answers.
        case condition(ItemCondition)
        /// It is shown when it is reached: see ``ResearchKitRoute/ways``.
        case reached
    }

    /// How many steps there are.
    let count: Int
    private let rules: [Int: Rule]
    private let ordered: [Rule]
    /// How many bytes the conditions of rules have where they are written, by the rules' steps.
    private let sizes: [Int: Int]
    /// The steps that may be passed over. The others are always reached.
    let passedOver: Set<Int>

    /// The most comparisons of steps with rules.
    private static let maximumWork = 4_000_000
    /// The most conditions of a rule, each of which holds where those before it do not.
    private static let maximumConditions = 100
    /// The most bytes of conditions that are written of rules together, which have those before them in them.
    private static let maximumWritten = 10_000_000

    /// - Parameter rules: All lead forwards.
    init(count: Int, rules: [Rule]) {
        self.count = count
        self.rules = Dictionary(firstOf: rules.map { ($0.from, $0) })
        ordered = self.rules.values.sorted { $0.from < $1.from }
        sizes = self.rules.mapValues(Self.size)
        passedOver = Self.passedOver(count, ordered)
    }

    private static func passedOver(_ count: Int, _ rules: [Rule]) -> Set<Int> {
        var ends: [Int] = Array(repeating: 0, count: count + 1)
        for rule in rules { ends[rule.from] = rule.furthest }
        var furthest = 0
        var found: Set<Int> = []
        for step in 0..<count {
            if furthest > step { found.insert(step) }
            furthest = max(furthest, ends[step])
        }
        return found
    }

    /// The steps that may be passed over, with the condition under which they are shown; nil where the rules
    /// are too many to be followed.
    var visibilities: [Int: Visibility]? {
        if let conditions = rows() { return conditions.mapValues { .condition($0.simplified) } }
        guard passedOver.count * max(1, ordered.count) <= Self.maximumWork,
            ordered.allSatisfy({ $0.conditional.count <= Self.maximumConditions }), hasFewWays
        else { return nil }
        var found: [Int: Visibility] = [:]
        var written = 0
        for step in passedOver.sorted() {
            found[step] = .reached
            guard let rule = onlyRule(passing: step) else { continue }
            let size = sizes[rule.from] ?? 0
            guard written + size <= Self.maximumWritten else { continue }
            written += size
            if let condition = Self.leading(rule, to: { $0 <= step }) {
                found[step] = .condition(condition.simplified)
            }
        }
        return found
    }

    /// Where each rule leads to the steps right behind it, each under a condition of its own, and past them:
    /// the conditions by step. So a questionnaire's conditions are written.
    private func rows() -> [Int: ItemCondition]? {
        var conditions: [Int: ItemCondition] = [:]
        for rule in rules.values {
            guard !rule.conditional.isEmpty else { return nil }
            for (offset, destination) in rule.conditional.enumerated() {
                guard destination.step == rule.from + 1 + offset else { return nil }
                if let other = conditions[destination.step], other != destination.condition { return nil }
                conditions[destination.step] = destination.condition
            }
            guard rule.next == rule.from + 1 + rule.conditional.count else { return nil }
        }
        // From each step of a row the rest of the row is reached under the same conditions.
        for rule in rules.values {
            for (offset, destination) in rule.conditional.enumerated() {
                let rest = rule.conditional.count - offset - 1
                guard let following = rules[destination.step] else {
                    if rest > 0 { return nil }
                    continue
                }
                guard following.conditional.count >= rest,
                    rest > 0 ? following.next == rule.next : true
                else { return nil }
            }
        }
        return conditions
    }

    /// The rule that alone may pass over a step, and that is always reached.
    private func onlyRule(passing step: Int) -> Rule? {
        let passing = ordered.filter { $0.from < step && $0.furthest > step }
        guard passing.count == 1, let rule = passing.first,
            !ordered.contains(where: { $0.from < rule.from && $0.furthest > rule.from })
        else { return nil }
        return rule
    }

    /// How many bytes there are where a rule's conditions are written, each with those before it.
    private static func size(_ rule: Rule) -> Int {
        let count = rule.conditional.count
        return rule.conditional.enumerated().reduce(0) { size, next in
            size + next.element.condition.path.utf8.count * (count - next.offset + 1)
        }
    }

    /// The condition under which a rule leads to one of some steps.
    private static func leading(_ rule: Rule, to isMeant: (Int) -> Bool) -> ItemCondition? {
        var ways: [ItemCondition] = []
        var before: [ItemCondition] = []
        for destination in rule.conditional {
            if isMeant(destination.step) { ways.append(.all(before + [destination.condition])) }
            before.append(.not(destination.condition))
        }
        if isMeant(rule.next) {
            guard !before.isEmpty else { return nil }
            ways.append(.all(before))
        }
        return ways.isEmpty ? nil : .any(ways)
    }

    private var hasFewWays: Bool {
        var size = 0
        for rule in ordered {
            size += sizes[rule.from] ?? 0
            guard size <= Self.maximumWritten else { return false }
        }
        return true
    }

    /// From where steps are reached, by step; nil where the rules are too many.
    var ways: [Int: [Way]]? {
        guard hasFewWays else { return nil }
        var found: [Int: [Way]] = [:]
        for rule in ordered {
            let all = Set(rule.conditional.map(\.step) + [rule.next])
            if all.count == 1, let step = all.first {
                found[step, default: []].append(Way(from: rule.from, condition: .all([])))
                continue
            }
            var ways: [Int: [ItemCondition]] = [:]
            var before: [ItemCondition] = []
            for destination in rule.conditional {
                ways[destination.step, default: []].append(.all(before + [destination.condition]))
                before.append(.not(destination.condition))
            }
            ways[rule.next, default: []].append(.all(before))
            for (step, conditions) in ways {
                found[step, default: []].append(
                    Way(from: rule.from, condition: ItemCondition.any(conditions).simplified)
                )
            }
        }
        // Without a rule, a step leads to the next.
        for step in 0..<count where rules[step] == nil {
            found[step + 1, default: []].append(Way(from: step, condition: .all([])))
        }
        return found
    }
}
