import FHIR
import OrderedJSON

extension SurveySession {
    /// Answers from JSON: an object from linkIds to values, each what FHIR holds, or an array of them.
    ///
    /// ```json
    /// {"name": "Ada", "smoker": true, "colours": ["red", "blue"],
    ///  "visits": [{"weight": 74.8}, {"weight": 75.2}]}
    /// ```
    /// A code alone will do where it is unambiguous among the options. The value of a group is an object with what is in
    /// it; that of a repeating group an array of objects. The values of a question that does not repeat, in a group that
    /// does, go one to each repetition. `null` clears.
    ///
    /// - Returns: what does not fit, and was left out.
    public mutating func fill(with answers: JSONValue) -> [SurveyProblem] {
        var problems: [SurveyProblem] = []
        fill(answers, in: ResponseTree.root, linkId: nil, &problems)
        return problems
    }

    private mutating func fill(_ object: JSONValue, in scope: Int, linkId: String?, _ problems: inout [SurveyProblem]) {
        guard let members = object.members else {
            problems.append(SurveyProblem(linkId, .wrongType(expected: "object", found: "\(object.kind)")))
            return
        }
        var values: [(item: Int, value: JSONValue)] = []
        for member in members {
            let name = member.name
            guard let index = survey.indices[name], isUnder(index, scope) else {
                problems.append(SurveyProblem(name, survey.indices[name] == nil ? .unknownItem : .misplaced(isKept: false)))
                continue
            }
            values.append((index, member.value))
        }
        // In the order of the questionnaire: what is under an answer is there when that is given.
        for (index, value) in values.sorted(by: { $0.item < $1.item }) {
            let elements = value.elements.map(Array.init) ?? [value]
            if survey.items[index].isGroup {
                fillGroup(index, elements, scope, &problems)
            } else {
                fillQuestion(index, value, elements, scope, &problems)
            }
        }
    }

    private func isUnder(_ item: Int, _ scope: Int) -> Bool {
        guard scope != ResponseTree.root else { return true }
        var current: Int? = survey.items[item].parent
        while let index = current {
            if index == tree[scope].item { return true }
            current = survey.items[index].parent
        }
        return false
    }

    private mutating func fillGroup(
        _ index: Int, _ elements: [JSONValue], _ scope: Int, _ problems: inout [SurveyProblem]
    ) {
        for (number, element) in elements.enumerated() {
            guard let occurrence = occurrence(number, of: index, in: scope), let node = node(occurrence) else {
                problems.append(SurveyProblem(survey.items[index].linkId, .tooMany(maximum: number, isGroup: true)))
                return
            }
            fill(element, in: node, linkId: survey.items[index].linkId, &problems)
        }
    }

    private mutating func fillQuestion(
        _ index: Int, _ value: JSONValue, _ elements: [JSONValue], _ scope: Int, _ problems: inout [SurveyProblem]
    ) {
        let item = survey.items[index]
        let isDistributed = elements.contains { $0.kind == .array }
            || (!item.repeats && elements.count > 1 && (isRepeated(item) || occurrences(of: index, in: scope).count > 1))
        let lists = isDistributed ? elements.map { $0.elements.map(Array.init) ?? [$0] } : [elements]
        for (number, list) in lists.enumerated() {
            guard let occurrence = occurrence(number, of: index, in: scope) else {
                let isThere = number > 0 || !tree.occurrences[index].isEmpty
                problems.append(
                    SurveyProblem(item.linkId, isThere ? .tooMany(maximum: number, isGroup: false) : .notAsked))
                return
            }
            let options = options(of: occurrence)
            var answers: [SurveyAnswer] = []
            for json in list where !json.isNull {
                if let answer = item.answer(for: json, options: options), item.accepts(answer) {
                    answers.append(answer)
                } else {
                    let isChoice = !options.isEmpty && (json.kind == .string || json.kind == .number)
                    problems.append(
                        SurveyProblem(
                            item.linkId,
                            isChoice ? .notAnOption : .wrongType(expected: item.type.code, found: "\(json.kind)")))
                }
            }
            do {
                try answer(occurrence, with: answers)
            } catch {
                problems.append(SurveyProblem(item.linkId, .malformed))
            }
        }
    }

    /// Whether an item is in a repeating group.
    private func isRepeated(_ item: SurveyItem) -> Bool { repeatingGroup(of: item.index) != nil }

    private func repeatingGroup(of index: Int) -> Int? {
        var current = survey.items[index].isGroup && survey.items[index].repeats ? index : survey.items[index].parent
        while let group = current {
            if survey.items[group].isGroup, survey.items[group].repeats { return group }
            current = survey.items[group].parent
        }
        return nil
    }

    private func occurrences(of index: Int, in scope: Int) -> [ItemOccurrence] {
        occurrences(of: survey.items[index].linkId).filter { occurrence in
            guard occurrence.item == index else { return false }
            var current = occurrence.node
            while current >= 0 {
                if current == scope { return true }
                current = tree[current].parent
            }
            return false
        }
    }

    /// The occurrence of a number in a scope; repetitions are added up to it.
    private mutating func occurrence(_ number: Int, of index: Int, in scope: Int) -> ItemOccurrence? {
        var found = occurrences(of: index, in: scope)
        while found.count <= number {
            guard let group = repeatingGroup(of: index), isUnder(group, scope) || scope == ResponseTree.root,
                let last = occurrences(of: group, in: scope).last, (try? addRepetition(after: last)) != nil
            else { return nil }
            let now = occurrences(of: index, in: scope)
            guard now.count > found.count else { return nil }
            found = now
        }
        return found[number]
    }
}
