import Foundation
import IndivoBase

/// The time of the evaluation, parts of dates and times, and boundaries (FHIRPath sections 5.6, 5.9 and
/// 5.10).
extension FHIRPathEvaluation {
    mutating func temporal(_ call: Call) throws(FHIRPathError) -> Items {
        switch call.function {
        case .now: return [FHIRPathItem(.temporal(now))]
        case .today: return [FHIRPathItem(.temporal(now.date))]
        case .timeOfDay: return [FHIRPathItem(.temporal(now.timeOfDay))]
        default: break
        }
        guard let item = try singleValue(call.input, at: call.node) else { return [] }
        guard let value = item.systemValue else {
            throw failure("\(call.function.rawValue) needs a value, not \(item.typeName).", at: call.node)
        }
        switch call.function {
        case .lowBoundary, .highBoundary:
            let boundary: SystemValue.Boundary = call.function == .lowBoundary ? .low : .high
            return try value.boundary(boundary, precision: integerArgument(0, of: call)).map {
                [FHIRPathItem($0)]
            } ?? []
        case .precision: return value.precision.map { [FHIRPathItem($0)] } ?? []
        case .comparable:
            guard let other = try single(argument(0, of: call) ?? [], at: call.node)?.systemValue else {
                return []
            }
            guard let a = value.asQuantity, let b = other.asQuantity else {
                throw failure("comparable needs quantities.", at: call.node)
            }
            return [FHIRPathItem(a.isComparable(to: b))]
        default: break
        }
        guard case .temporal(let temporal) = value else { return [] }
        return Self.part(call.function, of: temporal).map { [FHIRPathItem($0)] } ?? []
    }

    private static func part(_ function: PathFunction, of value: CivilDateTime) -> SystemValue? {
        func number(_ part: Int, from precision: CivilDateTime.Precision) -> SystemValue? {
            guard value.precision >= precision, precision >= .hour || value.kind != .time else { return nil }
            return .integer(Int32(truncatingIfNeeded: part))
        }
        switch function {
        case .yearOf: return number(value.year, from: .year)
        case .monthOf: return number(value.month, from: .month)
        case .dayOf: return number(value.day, from: .day)
        case .hourOf: return number(value.hour, from: .hour)
        case .minuteOf: return number(value.minute, from: .minute)
        case .secondOf: return number(value.second, from: .second)
        case .millisecondOf:
            guard value.fractionDigits > 0 else { return nil }
            return number(value.nanosecond / 1_000_000, from: .second)
        case .timezoneOffsetOf:
            guard value.kind == .dateTime, let offset = value.offset else { return nil }
            return .decimal(PathDecimal(Decimal(offset) / 60))
        case .dateOf: return SystemValue.temporal(value).asTemporal(.date).map { .temporal($0) }
        default:
            guard value.kind == .dateTime, value.precision >= .hour else { return nil }
            return .temporal(value.timeOfDay)
        }
    }
}

extension PathQuantity {
    /// Whether one can be given in the unit of the other.
    func isComparable(to other: PathQuantity) -> Bool {
        guard let left = ucumUnit(calendarAsUCUM: true), let right = other.ucumUnit(calendarAsUCUM: true)
        else {
            return unit == other.unit
        }
        return left.isCommensurable(with: right)
    }
}
