import FHIR

/// A question of an instrument: what its questionnaire says, and what the responses have.
struct InstrumentItem: Sendable, Hashable {
    let linkID: String
    var label: String
    var group = ""
    var type: QuestionnaireItemType?
    var unit: String?
    var options: [InstrumentColumn.Option] = []
    var isRequired = false
    var minimum: String?
    var maximum: String?
    /// Whether several options may be chosen together.
    var isMultiple = false
    /// The codes that several systems of the question have.
    var ambiguous: Set<String> = []

    init(linkID: String) {
        self.linkID = linkID
        label = linkID
    }

    init(_ item: Questionnaire.Item, linkID: String, group: String) {
        let known = Codebook.Item(item)
        self.linkID = linkID
        self.group = group
        label = known.label
        type = item.type
        unit = known.unit
        isRequired = item.required == true
        isMultiple = item.repeats == true && (item.type == .choice || item.type == .openChoice)
        let bounds = ValueMetadata(item, known, isStandard: true)
        minimum = bounds?.minimum
        maximum = bounds?.maximum
        for option in item.answerOption {
            func score(_ coding: Coding? = nil) -> String? {
                Self.score(coding?.extension ?? []) ?? Self.score(option.extension)
            }
            switch option.value {
            case .coding(let coding):
                guard let code = coding.code, !code.isEmpty else { continue }
                add(code: code, system: coding.system?.rawValue, label: coding.display, score: score(coding))
            case .string(let text): add(code: text, system: nil, label: nil, score: score())
            case .integer(let number): add(code: String(number), system: nil, label: nil, score: score())
            case .date(let date): add(code: date.description, system: nil, label: nil, score: score())
            case .time(let time): add(code: time.description, system: nil, label: nil, score: score())
            default: continue
            }
        }
    }

    private static func score(_ extensions: [Extension]) -> String? {
        for found in extensions where ScoreExtension.urls.contains(found.url?.rawValue ?? "") {
            if case .decimal(let score)? = found.value { return score.description }
        }
        return nil
    }

    /// Adds an option, unless it is there.
    mutating func add(code: String, system: String?, label: String?, score: String? = nil) {
        let same = options.filter { $0.code == code }
        // A code without its system is that of the question's options.
        guard !same.contains(where: { $0.system == system || system == nil }) else { return }
        if !same.isEmpty { ambiguous.insert(code) }
        options.append(
            InstrumentColumn.Option(code: code, label: label ?? code, system: system, score: score)
        )
    }

    /// The code of an option as tables have it.
    func shown(code: String, system: String?) -> String {
        guard ambiguous.contains(code) else { return code }
        let known = system ?? options.first { $0.code == code }?.system
        return "\(known ?? "")|\(code)"
    }

    var shownOptions: [InstrumentColumn.Option] {
        options.map {
            InstrumentColumn.Option(
                code: shown(code: $0.code, system: $0.system),
                label: $0.label,
                system: $0.system,
                score: $0.score
            )
        }
    }

    /// Whether a value of an answer is one of the options, not a value of its own.
    private var hasPlainOptions: Bool {
        type == .choice || type == .openChoice && options.contains { $0.system == nil }
    }

    /// The parts of an answer's columns, with their values.
    func parts(of value: AnsweredValue) -> [(part: InstrumentColumn.Key.Part, value: AnsweredValue)] {
        switch value {
        case .quantity(let number, let unit, let comparator):
            let unit = unit.map { (InstrumentColumn.Key.Part.unit, AnsweredValue.text($0)) }
            let sign = comparator.map { (InstrumentColumn.Key.Part.comparator, AnsweredValue.text($0)) }
            return [(.value, .decimal(number))] + [unit, sign].compactMap { $0 }
        case .text(let text), .integer(let text), .date(let text), .time(let text):
            guard hasPlainOptions else { break }
            if type == .choice || options.contains(where: { $0.code == text && $0.system == nil }) {
                return [(.value, .coding(system: nil, code: text))]
            }
        default: break
        }
        if case .text = value, type == .openChoice || isMultiple { return [(.text, value)] }
        return [(.value, value)]
    }

    /// The kind that the questionnaire asks for.
    var kind: InstrumentColumn.Kind? {
        switch type {
        case .boolean: .boolean
        case .integer: .integer
        case .decimal, .quantity: .decimal
        case .date: .date
        case .dateTime: .dateTime
        case .time: .time
        case .choice, .openChoice: .choice
        case nil: nil
        default: .text
        }
    }
}
