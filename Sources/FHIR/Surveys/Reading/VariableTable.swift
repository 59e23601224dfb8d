/// The variables of a questionnaire and of its items, found by their names.
struct VariableTable: Sendable {
    /// A variable, and the item that has it; -1 for the questionnaire.
    struct Variable: Sendable {
        let expression: SurveyExpression
        let owner: Int
    }

    private(set) var all: [Variable] = []
    private var numbers: [Int: [String: Int]] = [:]

    init(_ items: [SurveyItem], root: [SurveyExpression]) {
        func add(_ variables: [SurveyExpression], of owner: Int) {
            for variable in variables {
                guard let name = variable.name else { continue }
                // Of several with one name the last counts.
                numbers[owner, default: [:]][name] = all.count
                all.append(Variable(expression: variable, owner: owner))
            }
        }
        add(root, of: -1)
        for item in items where !item.variables.isEmpty { add(item.variables, of: item.index) }
    }

    /// The variables that read nothing of the response, over others neither: each has one value in a session.
    ///
    /// - Parameter changing: Names whose values differ from occurrence to occurrence.
    func constants(in items: [SurveyItem], changing: Set<String>) -> Set<Int> {
        closed(Set(all.indices.filter { all[$0].expression.readsNoAnswers }), in: items, changing: changing)
    }

    /// The variables that read nothing but what the dependencies know, over others too.
    ///
    /// - Parameter cyclic: Those that read themselves over others; what they have depends on where reading
    ///   begins.
    func known(in items: [SurveyItem], cyclic: Set<Int>) -> Set<Int> {
        let complete = all.indices.filter { all[$0].expression.reads.isComplete && !cyclic.contains($0) }
        return closed(Set(complete), in: items, changing: [])
    }

    /// Those of some variables that read no others than these.
    private func closed(_ variables: Set<Int>, in items: [SurveyItem], changing: Set<String>) -> Set<Int> {
        var found = variables
        var count = -1
        while count != found.count {
            count = found.count
            found = found.filter { number in
                all[number].expression.reads.variables.allSatisfy { name in
                    guard !changing.contains(name) else { return false }
                    let read = nearest(name, from: all[number].owner, in: items, besides: number)
                    return read.map(found.contains) ?? true
                }
            }
        }
        return found
    }

    /// The number of the variable of a name that an item, or with -1 the questionnaire, has itself.
    func number(_ name: String, of owner: Int) -> Int? { numbers[owner]?[name] }

    /// The number of the variable that a name means at an item: the nearest.
    ///
    /// - Parameter besides: A variable that is not meant, because its own expression has the name.
    func nearest(_ name: String, from level: Int, in items: [SurveyItem], besides own: Int) -> Int? {
        var current = level
        while true {
            if let number = numbers[current]?[name], number != own { return number }
            guard current >= 0 else { return nil }
            current = items[current].parent ?? -1
        }
    }
}
