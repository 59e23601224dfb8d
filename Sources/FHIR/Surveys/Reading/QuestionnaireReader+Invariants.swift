import FHIR

/// The invariants of a questionnaire (FHIR R4, Questionnaire, que-1 to que-13; 2 and 13 are checked where the
/// items are read).
extension QuestionnaireReader {
    mutating func checkInvariants(_ item: SurveyItem) {
        let source = item.source
        let has = { (name: StaticString) in source.member(name) != nil }
        if item.isGroup {
            if item.children.isEmpty { error("que-1", "A group has no items.", item) }
        } else if item.isDisplay {
            if !item.children.isEmpty { error("que-1", "A display has items.", item) }
            if !item.code.isEmpty { error("que-3", "A display has a code.", item) }
            if has("required") || has("repeats") { error("que-6", "A display is required or repeats.", item) }
            if has("readOnly") { error("que-9", "A display is read-only.", item) }
        }
        if !item.isQuestion, has("initial") {
            error("que-8", "A group or display has an initial value.", item)
        }
        if has("answerOption"), has("answerValueSet") {
            error("que-4", "There are both options and a value set; the value set is used.", item)
        }
        if has("answerValueSet"), item.type != .choice, item.type != .openChoice {
            error("que-5", "Only choices have a value set.", item)
        }
        if has("maxLength"), !isSimple(item.type) {
            error("que-10", "Only simple questions have a longest length.", item)
        }
        if has("answerOption"), has("initial") {
            error(
                "que-11",
                "An item with options has an initial value; options are selected by initialSelected.",
                item
            )
        }
        if item.conditions.count > 1, !has("enableBehavior") {
            error("que-12", "There are several conditions and no enableBehavior; all have to be met.", item)
        }
        for condition in item.conditions where condition.comparison == .exists {
            if case .boolean = condition.answer { continue }
            error("que-7", "The operator exists needs a boolean.", item)
        }
        if let minOccurs = item.minOccurs, let maxOccurs = item.maxOccurs, minOccurs > maxOccurs {
            error("contradictoryOccurs", "There have to be more answers than there may be.", item)
        }
        if !item.conditions.isEmpty, item.enableExpression != nil {
            report(
                .warning,
                "conditionAndExpression",
                "There are both enableWhen and an expression; both have to hold.",
                item
            )
        }
        if item.calculatedExpression != nil, !item.initial.isEmpty {
            report(
                .warning,
                "initialAndCalculated",
                "There are both an initial value and a calculated one.",
                item
            )
        }
        if let bound = item.format.minimum, case .value(let minimum) = bound,
            case .value(let maximum)? = item.format.maximum, minimum.compared(to: maximum) == .greater
        {
            error("contradictoryBounds", "The smallest value is larger than the largest.", item)
        }
    }

    private func isSimple(_ type: QuestionnaireItemType) -> Bool {
        switch type {
        case .boolean, .decimal, .integer, .string, .text, .url, .openChoice, .other: true
        default: false
        }
    }

    private mutating func error(_ code: String, _ text: String, _ item: SurveyItem) {
        report(.error, code, text, item)
    }
}
