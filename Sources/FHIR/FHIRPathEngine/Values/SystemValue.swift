import FHIR
import Foundation
import IndivoBase
import UCUM

/// A value of FHIRPath's own types (FHIRPath section 4.1).
enum SystemValue: Sendable {
    case boolean(Bool)
    case integer(Int32)
    case long(Int64)
    case decimal(PathDecimal)
    case string(String)
    case temporal(CivilDateTime)
    case quantity(PathQuantity)

    /// The type's name in the namespace `System`.
    var typeName: String {
        switch self {
        case .boolean: "Boolean"
        case .integer: "Integer"
        case .long: "Long"
        case .decimal: "Decimal"
        case .string: "String"
        case .temporal(let value):
            switch value.kind {
            case .date: "Date"
            case .dateTime: "DateTime"
            case .time: "Time"
            }
        case .quantity: "Quantity"
        }
    }

    /// The steps that comparing or converting it counts besides one: those of its text, if it is long.
    var textSteps: Int {
        if case .string(let text) = self { return text.utf8.count / 64 }
        return 0
    }

    /// The value as a number without a unit; nil for others.
    var number: PathDecimal? {
        switch self {
        case .integer(let value): PathDecimal(Decimal(value), scale: 0)
        case .long(let value): PathDecimal(Decimal(value), scale: 0)
        case .decimal(let value): value
        default: nil
        }
    }
}

extension SystemValue? {
    var textSteps: Int { self?.textSteps ?? 0 }
}

/// A number and a unit: a UCUM code, or a word of the calendar.
struct PathQuantity: Sendable {
    enum Unit: Sendable, Hashable {
        /// A UCUM code; also what should be one and is not.
        case ucum(String)
        case calendar(CalendarUnit)
    }

    var value: PathDecimal
    var unit: Unit

    /// The unit in UCUM. A calendar year or month is not a UCUM unit, but counts as `a` or `mo` on request.
    func ucumUnit(calendarAsUCUM: Bool) -> UCUMUnit? {
        switch unit {
        case .ucum(let code): try? UCUMUnit(code)
        case .calendar(let unit):
            !calendarAsUCUM && (unit == .year || unit == .month) ? nil : try? UCUMUnit(unit.ucumCode)
        }
    }

    /// As a literal: `4 'mg'`, `3 days`.
    var description: String {
        switch unit {
        case .ucum(let code): "\(value.description) '\(code)'"
        case .calendar(let unit): "\(value.description) \(unit.rawValue)\(value.value == 1 ? "" : "s")"
        }
    }
}
