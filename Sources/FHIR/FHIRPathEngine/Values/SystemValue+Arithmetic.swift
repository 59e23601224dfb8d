import FHIR
import Foundation
import IndivoBase
import UCUM

/// Arithmetic (FHIRPath section 6.6). Nil is an empty result: an overflow, a division by zero.
extension SystemValue {
    /// The operation is not defined for the types of its operands.
    struct OperandError: Error {
        let reason: String
    }

    static func apply(
        _ operation: FHIRPathSyntax.Operator,
        _ left: SystemValue,
        _ right: SystemValue
    ) throws(OperandError) -> SystemValue? {
        switch (left, right) {
        case (.string(let a), .string(let b)) where operation == .add: return .string(a + b)
        case (.temporal(let date), .quantity(let amount)) where operation == .add || operation == .subtract:
            return try date.adding(amount, isNegative: operation == .subtract).map { .temporal($0) }
        case (.quantity(let a), .quantity(let b)):
            return try PathQuantity.apply(operation, a, b).map { .quantity($0) }
        case (.quantity(let a), _):
            guard let b = right.asUnitless else { throw undefined(operation, left, right) }
            return try PathQuantity.apply(operation, a, b).map { .quantity($0) }
        case (_, .quantity(let b)):
            guard let a = left.asUnitless else { throw undefined(operation, left, right) }
            return try PathQuantity.apply(operation, a, b).map { .quantity($0) }
        default: break
        }
        guard let a = left.number, let b = right.number else { throw undefined(operation, left, right) }
        if let integers = try integerResult(operation, left, right) { return integers.value }
        switch operation {
        case .divide:
            guard b.value != 0 else { return nil }
            return decimal(a.value / b.value)
        case .integerDivide:
            guard b.value != 0 else { return nil }
            return whole((a.value / b.value).truncated)
        case .modulo:
            guard b.value != 0 else { return nil }
            return decimal(a.value - (a.value / b.value).truncated * b.value)
        default: return a.applying(operation, b).flatMap { $0.value.isNaN ? nil : .decimal($0) }
        }
    }

    /// The result of an operation on integers that stays one; nil for others. An overflow is empty.
    private static func integerResult(
        _ operation: FHIRPathSyntax.Operator,
        _ left: SystemValue,
        _ right: SystemValue
    ) throws(OperandError) -> (value: SystemValue?, Void)? {
        let a: Int64
        let b: Int64
        var isLong = true
        switch (left, right) {
        case (.integer(let x), .integer(let y)):
            a = Int64(x)
            b = Int64(y)
            isLong = false
        case (.integer(let x), .long(let y)):
            a = Int64(x)
            b = y
        case (.long(let x), .integer(let y)):
            a = x
            b = Int64(y)
        case (.long(let x), .long(let y)):
            a = x
            b = y
        default: return nil
        }
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case .add: result = a.addingReportingOverflow(b)
        case .subtract: result = a.subtractingReportingOverflow(b)
        case .multiply: result = a.multipliedReportingOverflow(by: b)
        case .integerDivide: result = a.dividedReportingOverflow(by: b)
        case .modulo: result = a.remainderReportingOverflow(dividingBy: b)
        default: return nil
        }
        guard !result.overflow else { return (nil, ()) }
        if isLong { return (.long(result.partialValue), ()) }
        return (Int32(exactly: result.partialValue).map { .integer($0) }, ())
    }

    /// A number as an integer if it fits, else as a long one.
    static func whole(_ value: Decimal) -> SystemValue? {
        guard !value.isNaN, let long = Int64("\(value)") else { return nil }
        return Int32(exactly: long).map { .integer($0) } ?? .long(long)
    }

    static func decimal(_ value: Decimal) -> SystemValue? {
        value.isNaN ? nil : .decimal(PathDecimal(value))
    }

    private var asUnitless: PathQuantity? { number.map { PathQuantity(value: $0, unit: .ucum("1")) } }

    private static func undefined(
        _ operation: FHIRPathSyntax.Operator,
        _ left: SystemValue,
        _ right: SystemValue
    ) -> OperandError {
        OperandError(reason: "\(left.typeName) \(operation.rawValue) \(right.typeName) is not defined.")
    }
}

extension PathDecimal {
    /// A sum, difference or product, with the digits that its operands give it.
    func applying(_ operation: FHIRPathSyntax.Operator, _ other: PathDecimal) -> PathDecimal? {
        switch operation {
        case .add: PathDecimal(value + other.value, scale: max(scale, other.scale))
        case .subtract: PathDecimal(value - other.value, scale: max(scale, other.scale))
        case .multiply: PathDecimal(value * other.value, scale: min(scale + other.scale, 28))
        default: nil
        }
    }
}

extension PathQuantity {
    static func apply(
        _ operation: FHIRPathSyntax.Operator,
        _ a: PathQuantity,
        _ b: PathQuantity
    ) throws(SystemValue.OperandError) -> PathQuantity? {
        switch operation {
        case .add, .subtract:
            if a.unit == b.unit {
                return a.value.applying(operation, b.value).map { PathQuantity(value: $0, unit: a.unit) }
            }
            // In the finer of the two units, as the standard requires.
            guard let left = a.ucumUnit(calendarAsUCUM: false), let right = b.ucumUnit(calendarAsUCUM: false),
                let inLeft = try? right.convert(b.value.value, to: left),
                let inRight = try? left.convert(a.value.value, to: right)
            else { return nil }
            let takesRight = abs(inRight) > abs(a.value.value)
            let sum =
                takesRight
                ? PathDecimal(inRight).applying(operation, b.value)
                : a.value.applying(operation, PathDecimal(inLeft))
            return sum.map { PathQuantity(value: $0, unit: takesRight ? b.unit : a.unit) }
        case .multiply, .divide:
            guard operation == .multiply || b.value.value != 0 else { return nil }
            let a = a.simplified
            let b = b.simplified
            let value =
                operation == .multiply
                ? a.value.applying(.multiply, b.value) : PathDecimal(a.value.value / b.value.value)
            guard let value, !value.value.isNaN, let unit = combined(operation, a, b) else { return nil }
            return PathQuantity(value: value, unit: unit).simplified
        default:
            throw SystemValue.OperandError(reason: "Quantity \(operation.rawValue) Quantity is not defined.")
        }
    }

    private static func combined(
        _ operation: FHIRPathSyntax.Operator,
        _ a: PathQuantity,
        _ b: PathQuantity
    ) -> Unit? {
        if b.unit == .ucum("1") { return a.unit }
        if a.unit == .ucum("1"), operation == .multiply { return b.unit }
        // The calendar's units have no products and no quotients.
        guard case .ucum = a.unit, case .ucum = b.unit else { return nil }
        guard let left = a.ucumUnit(calendarAsUCUM: false), let right = b.ucumUnit(calendarAsUCUM: false)
        else {
            return a.unit == b.unit && operation == .divide ? .ucum("1") : nil
        }
        return .ucum((operation == .multiply ? left.multiplied(by: right) : left.divided(by: right)).code)
    }

    /// A ratio of units that measure the same, such as `g/kg`, as a plain number.
    private var simplified: PathQuantity {
        guard case .ucum(let code) = unit, code != "1", let unit = try? UCUMUnit(code),
            unit.isCommensurable(with: .one),
            let value = try? unit.convert(value.value, to: .one)
        else { return self }
        return PathQuantity(value: PathDecimal(value), unit: .ucum("1"))
    }
}

extension CivilDateTime {
    /// The date or time later, or earlier, by a quantity of time. Nil where the calendar ends.
    func adding(_ amount: PathQuantity, isNegative: Bool) throws(SystemValue.OperandError) -> CivilDateTime? {
        let unit: CalendarUnit
        switch amount.unit {
        case .calendar(let word): unit = word
        case .ucum(let code):
            // A UCUM year or month has a length of its own, which a calendar's has not.
            let word =
                FHIRPathParser.calendarUnits.contains(code)
                ? CalendarUnit(word: code)
                : CalendarUnit.allCases.first { $0.ucumCode == code && $0 != .year && $0 != .month }
            guard let word else {
                throw SystemValue.OperandError(
                    reason:
                        "A date takes years and months of the calendar, and UCUM's wk, d, h, min, s and ms."
                )
            }
            unit = word
        }
        var value = amount.value.value
        // For a date, fractions of a second are ignored, as in the official tests.
        if unit == .second { value = (kind == .time ? value : value.truncated) * 1_000_000_000 }
        if kind == .time, unit == .year || unit == .month {
            throw SystemValue.OperandError(reason: "A time takes no years and months.")
        }
        if unit == .millisecond { value *= 1_000_000 }
        guard let whole = Int("\(value.truncated)"), whole != .min else { return nil }
        return adding(isNegative ? -whole : whole, unit)
    }
}
