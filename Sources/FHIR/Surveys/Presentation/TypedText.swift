import FHIR
import Foundation
import OrderedJSON

/// What is in a field: a text, and the unit beside it.
struct TypedText: Sendable, Hashable {
    var text = ""
    var unit = ""
    /// The answer that it shows, as long as nobody changed it: a text may say less, such as no comparator.
    var answer: SurveyAnswer?

    var isEmpty: Bool { answer == nil && text.utf8.allSatisfy { $0 <= 0x20 } }
}

extension TypedText {
    /// An answer as it is entered.
    init(_ answer: SurveyAnswer) {
        self.answer = answer
        switch answer {
        case .quantity(let quantity):
            text = quantity.value?.description ?? ""
            unit = quantity.code ?? quantity.unit ?? ""
        case .reference(let reference): text = reference.reference ?? ""
        default: text = answer.label
        }
    }
}

extension PresentedItem {
    /// The answer of a field: the one that it shows where that was not changed, else what its text gives.
    func answer(for typed: TypedText) -> SurveyAnswer? {
        typed.answer ?? answer(for: typed.text, unit: typed.unit)
    }

    /// The answer that an entered text gives; nil for a text that is not an answer.
    ///
    /// - Parameters:
    ///   - text: A number may have a comma for the point. A date is `2026-11-22`, `2026-11` or `2026`, a time
    ///     `09:30`, a date with a time as FHIR writes it.
    ///   - unit: The code or the name of a quantity's unit; empty for the question's first one.
    public func answer(for text: String, unit: String = "") -> SurveyAnswer? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch control {
        case .number?: return Self.number(trimmed).flatMap { item.answer(for: $0) }
        case .quantity?: return Self.number(trimmed).flatMap { quantity($0, unit) }
        // The text as it was written, without space around a line.
        case .textArea?: return .string(text)
        case .radioButtons?, .checkboxes?, .menu?, .search?: return other(trimmed)
        case .yesNo?, .attachment?, nil: return nil
        default: return item.answer(for: JSONValue(trimmed))
        }
    }

    /// The answer that a text beside the options gives; nil where there is no field for it.
    package func other(_ text: String) -> SurveyAnswer? {
        guard item.format.allowsOpenChoice else { return nil }
        guard !item.format.isOpen else { return .string(text) }
        // An answer that was given otherwise is shown by its label.
        return answers.first { $0.label == text } ?? item.answer(for: JSONValue(text))
    }

    private func quantity(_ number: JSONValue, _ unit: String) -> SurveyAnswer? {
        guard let value = FHIRDecimal(tree: number) else { return nil }
        let unit = unit.trimmingCharacters(in: .whitespaces)
        let units = item.format.units
        let listed =
            units.first { $0.code == unit || $0.display == unit } ?? (unit.isEmpty ? units.first : nil)
        if let listed { return .quantity(Quantity(value, in: listed)) }
        return .quantity(Quantity(value: value, unit: unit.isEmpty ? nil : unit))
    }

    /// A number as people write it. A comma is a decimal point, but where it may separate thousands: `1,000`
    /// is refused.
    package static func number(_ text: String) -> JSONValue? {
        var digits = text.replacing("\u{2212}", with: "-")
        if digits.hasPrefix("+") { digits.removeFirst() }
        if !digits.contains("."), let comma = digits.firstIndex(of: ",") {
            let whole = digits[..<comma]
            let fraction = digits[digits.index(after: comma)...]
            guard fraction.utf8.count != 3 || whole == "0" || whole == "-0" else { return nil }
            digits = whole + "." + fraction
        }
        // JSON has no zeros before a number, and none is missing before a point.
        let isNegative = digits.hasPrefix("-")
        var rest = digits.dropFirst(isNegative ? 1 : 0)
        guard !rest.hasPrefix("-") else { return nil }
        while rest.hasPrefix("0"), rest.dropFirst().first?.isNumber == true { rest = rest.dropFirst() }
        if rest.hasPrefix("."), rest.utf8.count > 1 { rest = "0" + rest }
        // Half typed: the fraction is still to come.
        if rest.hasSuffix(".") { rest.removeLast() }
        guard rest.utf8.count <= 400 else { return nil }
        return JSONValue(number: (isNegative ? "-" : "") + rest)
    }
}
