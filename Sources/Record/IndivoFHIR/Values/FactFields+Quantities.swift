import FHIR
import IndivoBase

extension FactFields {
    /// What a value with a unit says: a number, a number with `<` or `>`, or words.
    enum Measured {
        case quantity(Quantity)
        case words(String)
    }

    /// The texts of the leaves `_value` and `_unit`. Without a value, a unit says nothing.
    func valueAndUnit(_ name: String) -> (value: String, unit: String?)? {
        let unit = text(name + "_unit")
        if let value = text(name + "_value") { return (value, unit) }
        if unit != nil { report(.noFact, name + "_unit") }
        return nil
    }

    /// A value and its unit: the leaves `_value` and `_unit`.
    func measured(_ name: String) -> Measured? {
        guard let (text, unit) = valueAndUnit(name) else { return nil }
        guard let (comparator, number) = NumberText(text).compared else {
            return .words([text, unit].compactMap { $0 }.joined(separator: " "))
        }
        var quantity = Quantity(number, unit: unit)
        quantity.comparator = comparator
        return .quantity(quantity)
    }

    /// The same where only a number will do.
    func quantity(_ name: String, comparable: Bool = true) -> Quantity? {
        switch measured(name) {
        case .quantity(let quantity) where comparable || quantity.comparator == nil: return quantity
        case nil: return nil
        default:
            report(.unreadable, name + "_value")
            report(.noFact, name + "_unit")
            return nil
        }
    }

    /// A number.
    func number(_ names: String...) -> FHIRDecimal? { value(names) { NumberText($0).number } }

    /// `true` or `false`, in any case.
    func boolean(_ names: String...) -> Bool? {
        value(names) { text in
            switch text.trimmed.lowercased() {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        }
    }
}

/// A number as Indivo's documents have it.
struct NumberText {
    private let text: String

    init(_ text: String) { self.text = text.trimmed }

    /// The number with its digits; `nil` for other texts.
    var number: FHIRDecimal? {
        // FHIR's readers would round more digits than any number has.
        guard text.utf8.count <= 40 else { return nil }
        if let decimal = FHIRDecimal(text) { return Self.isSmall(decimal) ? decimal : nil }
        // XML Schema writes numbers in ways that JSON does not: +5, 05, .5, 5.
        return ExactDecimal(text, .xmlSchema).flatMap { FHIRDecimal($0.description) }
            .flatMap { Self.isSmall($0) ? $0 : nil }
    }

    /// Whether a reader that computes with doubles can have it.
    private static func isSmall(_ decimal: FHIRDecimal) -> Bool {
        decimal.double.isFinite && decimal.double.magnitude < 1e38
    }

    /// The number with what it is compared by, as in `<5` and `>= 100`.
    var compared: (QuantityComparator?, FHIRDecimal)? {
        if let number { return (nil, number) }
        for sign in ["<=", ">=", "<", ">"] where text.hasPrefix(sign) {
            return NumberText(String(text.dropFirst(sign.count))).number.map {
                (QuantityComparator(sign), $0)
            }
        }
        return nil
    }
}
