import FHIR
import Foundation
import OrderedJSON

extension SurveyItem {
    /// The answer that JSON stands for: a value of FHIR (`true`, `5`, `"2026-11-22"`, an object for a Coding,
    /// Quantity, Attachment or Reference), an object with one member such as `valueCoding`, a code alone
    /// where it is unambiguous among the options, a number alone where a quantity has a unit to begin with.
    ///
    /// - Parameter options: What may be chosen.
    /// - Returns: nil where the item has no answers like that.
    public func answer(for json: JSONValue, options: [SurveyOption] = []) -> SurveyAnswer? {
        if let members = json.members, members.count == 1, let member = members.first,
            member.name.hasPrefix("value"),
            let answer = SurveyAnswer(String(member.name.dropFirst(5)), member.value)
        {
            return accepts(answer) ? answer : nil
        }
        if !options.isEmpty, let chosen = Self.option(for: json, among: options) { return chosen }
        switch type {
        case .boolean: return json.boolean.map { .boolean($0) }
        case .integer: return Self.integer(json).map { .integer($0) }
        case .decimal: return FHIRDecimal(tree: json).map { .decimal($0) }
        case .date: return json.string.flatMap { FHIRDate(text: $0) }.map { .date($0) }
        case .dateTime: return json.string.flatMap { FHIRDateTime(text: $0) }.map { .dateTime($0) }
        case .time: return json.string.flatMap { Self.time($0) }.map { .time($0) }
        case .url: return json.string.map { .uri(FHIRURI($0)) }
        case .attachment: return Attachment(tree: json).map { .attachment($0) }
        case .reference:
            return json.string.map { .reference(Reference($0)) }
                ?? Reference(tree: json).map { .reference($0) }
        case .quantity: return quantity(json)
        case .choice, .openChoice:
            if let members = json.members {
                if members.contains(where: { $0.isNamed("reference") }) {
                    return Reference(tree: json).map { .reference($0) }
                }
                return Coding(tree: json).map { .coding($0) }
            }
            guard format.isOpen || isUnlisted else { return nil }
            return json.string.map { format.isOpen ? .string($0) : .coding(Self.coding($0)) }
        case .group, .display, .other: return nil
        default: return json.string.map { .string($0) }
        }
    }

    /// Whether the options are not known, so that any code may be one.
    var isUnlisted: Bool {
        if case .listed? = format.options { return false }
        return true
    }

    // MARK: Parts

    private static func option(for json: JSONValue, among options: [SurveyOption]) -> SurveyAnswer? {
        if let text = json.string {
            let found = options.filter { option in
                switch option.value {
                case .coding(let coding):
                    coding.code == text || coding.system.map { "\($0.rawValue)|\(coding.code ?? "")" } == text
                case .reference(let reference): reference.reference == text
                default: option.value.content.tree.isString(equalTo: text)
                }
            }
            if found.count == 1 { return found[0].value }
            // No code: what people read will do, where it is unambiguous.
            let labelled = options.filter { $0.label.plain == text }
            return found.isEmpty && labelled.count == 1 ? labelled[0].value : nil
        }
        if let integer = json.integer { return options.first { $0.value == .integer(integer) }?.value }
        // An answer without a display gets the option's.
        guard let coding = Coding(tree: json), coding.code != nil, coding.display == nil else { return nil }
        return options.first { $0.value.equals(.coding(coding)) }?.value
    }

    private static func coding(_ text: String) -> Coding {
        let parts = text.split(separator: "|", maxSplits: 1)
        var coding = Coding()
        coding.code = String(parts.last ?? "")
        if parts.count == 2 { coding.system = FHIRURI(String(parts[0])) }
        return coding
    }

    private static func integer(_ json: JSONValue) -> Int? {
        if let integer = json.integer { return integer }
        // What expressions compute may be written `5.0`.
        guard let digits = json.number, let value = Decimal(string: digits), value.isFinite,
            abs(value) < 1_000_000_000_000
        else { return nil }
        let integer = NSDecimalNumber(decimal: value).intValue
        return Decimal(integer) == value ? integer : nil
    }

    /// A time; the seconds may be left out.
    private static func time(_ text: String) -> FHIRTime? {
        FHIRTime(text: text) ?? FHIRTime(text: text + ":00")
    }

    private func quantity(_ json: JSONValue) -> SurveyAnswer? {
        if let quantity = Quantity(tree: json) { return .quantity(quantity) }
        if let value = FHIRDecimal(tree: json) { return .quantity(Quantity(value, in: format.units.first)) }
        // As FHIRPath writes it: `5 'mg'`.
        guard let parts = json.string?.split(separator: " ", maxSplits: 1), parts.count == 2,
            let value = FHIRDecimal(String(parts[0]))
        else { return nil }
        let code = parts[1].trimmingCharacters(in: ["'"])
        let unit = format.units.first { $0.code == code || $0.display == code }
        return .quantity(
            unit.map { Quantity(value, in: $0) } ?? Quantity(value: value, unit: code, code: code)
        )
    }
}

extension Quantity {
    /// A value in a unit of a questionnaire.
    init(_ value: FHIRDecimal, in unit: Coding?) {
        self.init(value: value, unit: unit?.display ?? unit?.code, system: unit?.system, code: nil)
        code = unit?.code
    }
}
