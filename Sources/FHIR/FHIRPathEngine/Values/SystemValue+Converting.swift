import Foundation
import IndivoBase
import UCUM

/// Conversions between FHIRPath's types (FHIRPath section 5.5). Each gives nil where there is none.
extension SystemValue {
    var asBoolean: Bool? {
        switch self {
        case .boolean(let value): return value
        case .integer, .long, .decimal:
            guard let number else { return nil }
            return number.value == 1 ? true : number.value == 0 ? false : nil
        case .string(let text):
            switch text.lowercased() {
            case "true", "t", "yes", "y", "1", "1.0": return true
            case "false", "f", "no", "n", "0", "0.0": return false
            default: return nil
            }
        case .temporal, .quantity: return nil
        }
    }

    var asInteger: Int32? { asLong.flatMap(Int32.init(exactly:)) }

    var asLong: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Int64(value)
        case .long(let value): value
        // Int64 takes a sign and digits, and nothing else.
        case .string(let text): Int64(text)
        case .decimal, .temporal, .quantity: nil
        }
    }

    var asDecimal: PathDecimal? {
        switch self {
        case .boolean(let value): return PathDecimal(value ? 1 : 0, scale: 1)
        case .string(let text):
            guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
            return PathDecimal(text)
        default: return number
        }
    }

    var asString: String {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .long(let value): String(value)
        case .decimal(let value): value.description
        case .string(let text): text
        case .temporal(let value): value.description
        case .quantity(let value): value.description
        }
    }

    /// The value as a date, a date with time, or a time.
    func asTemporal(_ kind: CivilDateTime.Kind) -> CivilDateTime? {
        var value: CivilDateTime
        switch self {
        case .temporal(let temporal): value = temporal
        case .string(let text):
            guard let parsed = CivilDateTime(text: kind == .time && !text.hasPrefix("T") ? "T" + text : text)
            else {
                return nil
            }
            value = parsed
        default: return nil
        }
        guard (value.kind == .time) == (kind == .time) else { return nil }
        if kind == .date, value.kind == .dateTime { return value.date }
        value.kind = kind
        return value
    }

    /// The value as a quantity; a number, and a boolean, have the unit `1`.
    var asQuantity: PathQuantity? {
        switch self {
        case .quantity(let value): return value
        case .string(let text): return PathQuantity(text)
        case .boolean, .integer, .long, .decimal:
            return asDecimal.map { PathQuantity(value: $0, unit: .ucum("1")) }
        case .temporal: return nil
        }
    }
}

extension PathQuantity {
    /// Reads `4`, `4 'mg'` or `4 days`.
    init?(_ text: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        guard let value = PathDecimal(number) else { return nil }
        let rest = text[number.endIndex...].drop(while: \.isWhitespace)
        if rest.isEmpty {
            self.init(value: value, unit: .ucum("1"))
        } else if rest.first == "'", rest.last == "'", rest.utf8.count > 2 {
            let code = rest.dropFirst().dropLast()
            guard !code.contains("'") || (try? UCUMUnit(String(code))) != nil else { return nil }
            self.init(value: value, unit: .ucum(String(code)))
        } else if FHIRPathParser.calendarUnits.contains(String(rest)),
            let unit = CalendarUnit(word: String(rest))
        {
            self.init(value: value, unit: .calendar(unit))
        } else {
            return nil
        }
    }

    /// The quantity in another unit, a UCUM code or a word of the calendar; nil where it does not convert.
    func converted(to unit: String) -> PathQuantity? {
        if let word = FHIRPathParser.calendarUnits.contains(unit) ? CalendarUnit(word: unit) : nil {
            guard case .calendar(let own) = self.unit else {
                // UCUM's days and shorter are the calendar's.
                guard word != .year, word != .month, let own = ucumUnit(calendarAsUCUM: false),
                    case .ucum(let code) = self.unit, !["a", "a_j", "mo", "mo_j"].contains(code),
                    let unit = try? UCUMUnit(word.ucumCode),
                    let value = try? own.convert(value.value, to: unit)
                else { return nil }
                return PathQuantity(value: PathDecimal(value), unit: .calendar(word))
            }
            let (from, to) = own.factors(to: word)
            return PathQuantity(
                value: PathDecimal(value.value * Decimal(from) / Decimal(to)),
                unit: .calendar(word)
            )
        }
        if case .ucum(let code) = self.unit, code == unit { return self }
        guard case .ucum = self.unit, let from = ucumUnit(calendarAsUCUM: false),
            let to = try? UCUMUnit(unit),
            let value = try? from.convert(value.value, to: to)
        else {
            // Days and shorter are the same in the calendar and in UCUM; years and months are not.
            guard case .calendar(let word) = self.unit, word != .year, word != .month,
                let from = try? UCUMUnit(word.ucumCode), let to = try? UCUMUnit(unit),
                !["a", "a_j", "mo", "mo_j"].contains(unit), let value = try? from.convert(value.value, to: to)
            else { return nil }
            return PathQuantity(value: PathDecimal(value), unit: .ucum(unit))
        }
        return PathQuantity(value: PathDecimal(value), unit: .ucum(unit))
    }
}
