import FHIR
import FHIRPathEngine
import OrderedJSON

extension SurveySession {
    /// The options of an occurrence of a question now: those of the questionnaire, or those that an
    /// expression gives, without those that are toggled off. The ones that are suggested come first; where
    /// nothing else limits the answers, they are all there is. Empty where anything may be entered.
    public func options(of occurrence: ItemOccurrence) -> [SurveyOption] {
        guard let node = node(occurrence) else { return [] }
        let item = survey.items[occurrence.item]
        if !item.format.hasChangingOptions {
            if case .listed(let options)? = item.format.options { return options }
            return []
        }
        var session = self
        session.steps = stepLimit()
        let allowed = session.currentOptions(of: node, item)
        guard let expression = item.format.candidates,
            let candidates = session.options(from: expression, at: node, item)
        else { return allowed ?? [] }
        guard let allowed else { return candidates }
        let suggested = candidates.compactMap { candidate in
            item.format.candidates(allowed, for: candidate.value).first { $0.isMeant(by: candidate) }
        }
        return suggested + allowed.filter { option in !suggested.contains { $0.value.equals(option.value) } }
    }

    /// The options that an expression gives; nil for an empty result, which says that the variables are not
    /// there from which options would come.
    private mutating func options(
        from expression: SurveyExpression,
        at node: Int,
        _ item: SurveyItem
    ) -> [SurveyOption]? {
        guard let result = evaluate(expression, at: node), !result.isEmpty else { return nil }
        return result.flatMap(Self.resources).prefix(ValueSetReader.maximumOptions).compactMap {
            option($0, at: node, item)
        }
    }

    /// The options; nil where they are not known.
    mutating func currentOptions(of node: Int, _ item: SurveyItem) -> [SurveyOption]? {
        var options: [SurveyOption]
        switch item.format.options {
        case .listed(let listed)?:
            options = listed
            for (position, expression) in item.format.optionLabels {
                if let label = text(expression, at: node) { options[position].label = label }
            }
        case .expression(let expression)?:
            guard let found = self.options(from: expression, at: node, item) else { return nil }
            options = found
        case .external?, .searched?, nil: return nil
        }
        for toggle in item.format.optionToggles {
            let isOn = evaluate(toggle.expression, at: node)?.first?.boolean ?? false
            if !isOn { options.removeAll { option in toggle.options.contains { $0.equals(option.value) } } }
        }
        return options
    }

    /// The option that a value of an expression is: a code, a text, a number, or a resource to refer to.
    private mutating func option(_ value: FHIRPathItem, at node: Int, _ item: SurveyItem) -> SurveyOption? {
        let json = value.json
        guard json.kind == .object else {
            return json.integer.map { SurveyOption(.integer($0)) } ?? SurveyOption(.string(value.text))
        }
        if let answer = json.answerValue { return SurveyOption(answer) }
        if json.member("reference") != nil, let reference = Reference<AnyResource>(tree: json) {
            return SurveyOption(.reference(reference))
        }
        if let type = json.resourceType {
            guard item.type == .reference, let id = json.member("id")?.string else { return nil }
            var reference = Reference<AnyResource>("\(type)/\(id)")
            reference.display = display(of: value, at: node, item)
            return SurveyOption(.reference(reference))
        }
        return Coding(tree: json).flatMap { $0.code == nil ? nil : SurveyOption(.coding($0)) }
    }

    /// The text by which a candidate is shown: what the column that is for display gives, joined with blanks.
    private mutating func display(of value: FHIRPathItem, at node: Int, _ item: SurveyItem) -> String? {
        let shown = item.format.displayPaths.compactMap { path -> String? in
            let result = try? path.evaluate(
                on: [value],
                in: FHIRPathContext(now: context.now),
                spending: &steps
            )
            let text = (result ?? []).map(\.text).joined(separator: " ")
            return text.isEmpty ? nil : text
        }
        return shown.isEmpty ? nil : shown.joined(separator: " ")
    }
}

extension SurveyOption {
    /// Whether a candidate stands for this option: the same value, or its code without a system.
    fileprivate func isMeant(by candidate: SurveyOption) -> Bool {
        if value.equals(candidate.value) { return true }
        guard case .coding(let coding) = value, case .string(let code) = candidate.value else { return false }
        return coding.code == code
    }
}
