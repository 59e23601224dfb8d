import FHIR

/// A value that was answered.
enum AnsweredValue: Sendable, Hashable {
    case boolean(Bool)
    case integer(String)
    case decimal(String)
    case coding(system: String?, code: String)
    case quantity(value: String, unit: String?, comparator: String?)
    case date(String)
    case dateTime(String)
    /// A date of which only the year or the month is known, or a moment without its time.
    case partialDate(String)
    case time(String)
    case text(String)

    init?(_ value: QuestionnaireResponse.Item.Answer.Value) {
        switch value {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(String(value))
        case .decimal(let value): self = .decimal(value.description)
        case .date(let value):
            self = value.day == nil ? .partialDate(value.description) : .date(value.description)
        case .dateTime(let value):
            self = value.time == nil ? .partialDate(value.description) : .dateTime(value.description)
        case .time(let value): self = .time(value.description)
        case .string(let value): self = .text(value)
        case .uri(let value): self = .text(value.rawValue)
        case .coding(let coding):
            if let code = coding.code, !code.isEmpty {
                self = .coding(system: coding.system?.rawValue, code: code)
            } else if let display = coding.display {
                self = .text(display)
            } else {
                return nil
            }
        case .quantity(let quantity):
            guard let value = quantity.value else { return nil }
            self = .quantity(
                value: value.description,
                unit: quantity.code ?? quantity.unit,
                comparator: quantity.comparator?.code
            )
        // The bytes are among the resources.
        case .attachment(let attachment):
            self = .text("attachment " + (attachment.contentType?.description ?? ""))
        case .reference(let reference):
            guard let text = reference.reference ?? reference.display else { return nil }
            self = .text(text)
        }
    }
}

/// The answers of a response with the positions that they have in a table.
struct ResponseAnswers {
    struct Answer {
        let linkID: String
        let prefix: String
        let index: Int
        let value: AnsweredValue
    }

    private(set) var answers: [Answer] = []
    private static let maximumDepth = 64

    init(_ response: QuestionnaireResponse) { walk(response.item, prefix: "", depth: 0) }

    /// No deeper than the responses that a warehouse takes.
    private mutating func walk(_ items: [QuestionnaireResponse.Item], prefix: String, depth: Int) {
        guard depth < Self.maximumDepth else { return }
        var repetitions: [String: Int] = [:]
        var answered: [String: Int] = [:]
        for item in items {
            guard let linkID = item.linkId else { continue }
            repetitions[linkID, default: 0] += 1
            for answer in item.answer {
                answered[linkID, default: 0] += 1
                let index = answered[linkID] ?? 1
                if let value = answer.value.flatMap(AnsweredValue.init) {
                    answers.append(Answer(linkID: linkID, prefix: prefix, index: index, value: value))
                }
                walk(answer.item, prefix: prefix + Self.part(linkID, index), depth: depth + 1)
            }
            walk(item.item, prefix: prefix + Self.part(linkID, repetitions[linkID] ?? 1), depth: depth + 1)
        }
    }

    /// What a repetition adds to the headings below it; the first one adds nothing.
    private static func part(_ linkID: String, _ number: Int) -> String {
        number > 1 ? "\(linkID)[\(number)]/" : ""
    }
}
