import FHIR
import Foundation
import IndivoBase
import Surveys

/// Answers that fit an item, at random.
struct RandomAnswers {
    var generator: SeededGenerator

    /// Answers what is shown, with repetitions, several times over: what an answer shows is answered in the
    /// next round.
    mutating func fill(_ session: inout SurveySession) throws {
        for _ in 0..<4 {
            for page in session.pages {
                for visible in session.visibleItems(on: page) {
                    if visible.item.isGroup, visible.item.repeats, visible.repetition == 0, chance(0.3),
                        session.canAddRepetition(of: visible.occurrence)
                    {
                        try session.addRepetition(after: visible.occurrence)
                    }
                    guard visible.item.isQuestion, visible.item.type != "question", !visible.item.isReadOnly,
                        session.isEnabled(visible.occurrence),
                        visible.answers.isEmpty, visible.item.isRequired || chance(0.8)
                    else { continue }
                    let count = visible.item.repeats ? Int.random(in: 1...3, using: &generator) : 1
                    var answers: [SurveyAnswer] = []
                    for _ in 0..<count {
                        let answer = self.answer(for: visible, in: session)
                        if let answer, !answers.contains(where: { $0.equals(answer) }) {
                            answers.append(answer)
                        }
                    }
                    try session.answer(visible.occurrence, with: answers)
                }
            }
        }
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < probability
    }

    private mutating func answer(for visible: VisibleItem, in session: SurveySession) -> SurveyAnswer? {
        let item = visible.item
        let options = session.options(of: visible.occurrence).filter { !$0.isExclusive }
        if let option = options.randomElement(using: &generator) { return option.value }
        switch item.type {
        case .boolean: return .boolean(Bool.random(using: &generator))
        case .integer: return .integer(number(item))
        case .decimal: return .decimal(FHIRDecimal(number(item)))
        case .quantity:
            var quantity = Quantity(value: FHIRDecimal(number(item)))
            if let unit = item.format.units.randomElement(using: &generator) {
                quantity.unit = unit.display
                quantity.system = unit.system
                quantity.code = unit.code
            }
            return .quantity(quantity)
        case .date:
            let year = Int.random(in: 10...25, using: &generator)
            let month = Int.random(in: 1...9, using: &generator)
            return .date(FHIRDate(text: "20\(year)-0\(month)-11") ?? "2020")
        case .dateTime: return .dateTime("2022-03-04T05:06:07+01:00")
        case .time: return .time("08:30:00")
        case .url: return .uri("https://example.org/x")
        case .choice, .openChoice:
            if case .listed? = item.format.options { return item.format.isOpen ? .string("other") : nil }
            return .coding(
                Coding(
                    system: "http://example.org/codes",
                    code: "c\(Int.random(in: 0...3, using: &generator))",
                    display: "C"
                )
            )
        case .reference: return .reference(Reference("Patient/\(Int.random(in: 1...9, using: &generator))"))
        case .attachment:
            var attachment = Attachment()
            attachment.contentType = item.format.mediaTypes.first?.replacing("*", with: "png") ?? "text/plain"
            attachment.data = "aGVsbG8="
            return .attachment(attachment)
        default:
            return .string(
                item.format.maxLength == 1
                    ? "x"
                    : String(
                        "answer \(UInt8.random(in: 0...99, using: &generator))".prefix(
                            item.format.maxLength ?? 80
                        )
                    )
            )
        }
    }

    private mutating func number(_ item: SurveyItem) -> Int {
        func bound(_ bound: AnswerBound?) -> Int? {
            guard case .value(let value)? = bound else { return nil }
            switch value {
            case .integer(let value): return value
            case .decimal(let value): return Int(value.double)
            case .quantity(let value): return value.value.map { Int($0.double) }
            default: return nil
            }
        }
        let low = bound(item.format.minimum) ?? 0
        let high = bound(item.format.maximum) ?? low + 100
        return Int.random(in: low...max(low, high), using: &generator)
    }
}
