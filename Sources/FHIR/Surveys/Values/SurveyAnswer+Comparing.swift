import FHIR
import Foundation
import UCUM

/// What comparing two answers comes to.
enum AnswerOrder: Sendable {
    case less, equal, greater
    /// Neither is known: the types or units differ, there is no order, or they are equal up to the precision
    /// of the less precise one.
    case unknown
    /// Different, without an order.
    case different
}

extension SurveyAnswer {
    /// Whether the answers are the same as conditions of a questionnaire mean it: numbers and quantities by
    /// value, codings by system and code, dates as far as both are known.
    public func equals(_ other: SurveyAnswer) -> Bool { compared(to: other) == .equal }

    func compared(to other: SurveyAnswer) -> AnswerOrder {
        switch (self, other) {
        case (.boolean(let a), .boolean(let b)): a == b ? .equal : .different
        case (.string(let a), .string(let b)): Self.order(a, b)
        case (.uri(let a), .uri(let b)): a == b ? .equal : .different
        case (.string(let a), .uri(let b)), (.uri(let b), .string(let a)):
            a.utf8.elementsEqual(b.rawValue.utf8) ? .equal : .different
        case (.integer(let a), .integer(let b)): Self.order(a, b)
        case (.integer, .decimal), (.decimal, .integer), (.decimal, .decimal):
            Self.order(number, other.number)
        case (.date, .date), (.date, .dateTime), (.dateTime, .date), (.dateTime, .dateTime):
            Self.dates(self, other)
        case (.time(let a), .time(let b)): Self.times(a, b)
        case (.coding(let a), .coding(let b)): Self.codings(a, b)
        case (.quantity(let a), .quantity(let b)): Self.quantities(a, b)
        case (.quantity(let a), .decimal), (.quantity(let a), .integer):
            // A bound that is a bare number counts in the quantity's own unit.
            Self.order(a.value?.decimal, other.number)
        case (.reference(let a), .reference(let b)): Self.references(a, b)
        case (.attachment(let a), .attachment(let b)): a == b ? .equal : .different
        // An option that is a text, and what was entered as a code without one, are not the same.
        default: .unknown
        }
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> AnswerOrder {
        a < b ? .less : a > b ? .greater : .equal
    }

    private static func order(_ a: String, _ b: String) -> AnswerOrder {
        // By bytes of UTF-8, which is the order of code points.
        if a.utf8.elementsEqual(b.utf8) { return .equal }
        return a.utf8.lexicographicallyPrecedes(b.utf8) ? .less : .greater
    }

    private static func order(_ a: Decimal?, _ b: Decimal?) -> AnswerOrder {
        guard let a, let b else { return .unknown }
        return a < b ? .less : a > b ? .greater : .equal
    }

    var number: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .decimal(let value): value.decimal
        case .quantity(let value): value.value?.decimal
        default: nil
        }
    }

    // MARK: Dates

    private static func dates(_ a: SurveyAnswer, _ b: SurveyAnswer) -> AnswerOrder {
        if case .dateTime(let a) = a, case .dateTime(let b) = b, let left = a.instant, let right = b.instant {
            return order(left, right)
        }
        let left = a.dateParts
        let right = b.dateParts
        for (x, y) in zip(left, right) where x != y { return x < y ? .less : .greater }
        let hasTime = [a, b].map { if case .dateTime(let value) = $0 { value.time != nil } else { false } }
        return left.count == right.count && hasTime[0] == hasTime[1] ? .equal : .unknown
    }

    private var dateParts: [Int] {
        let date: FHIRDate
        switch self {
        case .date(let value): date = value
        case .dateTime(let value): date = value.date
        default: return []
        }
        return [date.year, date.month, date.day].compactMap { $0 }
    }

    /// By seconds of the day, and digits of fractions: `10:00:00.5` is `10:00:00.50`.
    private static func times(_ a: FHIRTime, _ b: FHIRTime) -> AnswerOrder {
        let seconds = [a, b].map { $0.hour * 3_600 + $0.minute * 60 + $0.second }
        guard seconds[0] == seconds[1] else { return order(seconds[0], seconds[1]) }
        let fractions = [a, b].map { String($0.fraction.reversed().drop { $0 == "0" }.reversed()) }
        return order(fractions[0], fractions[1])
    }

    // MARK: Codes and references

    private static func codings(_ a: Coding, _ b: Coding) -> AnswerOrder {
        if a.code == nil, b.code == nil {
            return a.display == b.display && a.display != nil ? .equal : .different
        }
        guard a.code == b.code, a.system == b.system else { return .different }
        if let left = a.version, let right = b.version, left != right { return .different }
        return .equal
    }

    private static func references(_ a: Reference<AnyResource>, _ b: Reference<AnyResource>) -> AnswerOrder {
        if let left = a.reference, let right = b.reference { return left == right ? .equal : .different }
        guard let left = a.identifier, let right = b.identifier, left.value != nil else { return .different }
        return left.system == right.system && left.value == right.value ? .equal : .different
    }

    // MARK: Quantities

    /// Whether it is a quantity in a unit of UCUM that measures something else than another one's, so that
    /// the two cannot be compared.
    func isInOtherDimension(than other: Quantity) -> Bool {
        guard case .quantity(let own) = self, own.system == .ucum, other.system == .ucum,
            let left = own.code.flatMap({ try? UCUMUnit($0) }),
            let right = other.code.flatMap({ try? UCUMUnit($0) })
        else { return false }
        return !left.isCommensurable(with: right)
    }

    /// Compares the values in one unit: of UCUM by conversion, else where both have the same code or unit.
    private static func quantities(_ a: Quantity, _ b: Quantity) -> AnswerOrder {
        let hasCodes = a.code != nil && b.code != nil
        if hasCodes ? a.code == b.code && a.system == b.system : unit(of: a) == unit(of: b) {
            return order(a.value?.decimal, b.value?.decimal)
        }
        guard a.system == .ucum, b.system == .ucum, let left = a.code.flatMap({ try? UCUMUnit($0) }),
            let right = b.code.flatMap({ try? UCUMUnit($0) }), let value = a.value?.decimal,
            let converted = try? left.convert(value, to: right)
        else { return .unknown }
        return order(converted, b.value?.decimal)
    }

    private static func unit(of quantity: Quantity) -> String? { quantity.unit ?? quantity.code }
}
