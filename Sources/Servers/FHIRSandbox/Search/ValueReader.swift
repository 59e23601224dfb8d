import FHIR
import FHIRTables
import FHIRTerminology
import FHIRValidation
import Foundation
import IndivoBase
import UCUM

/// Reads the values of one search parameter.
struct ValueReader {
    typealias Problem = SearchQueryReader.ReadingProblem

    let parameter: IndexedParameter
    let modifier: String?
    let bases: [String]
    let isType: (String) -> Bool
    let terminology: () -> Terminology

    /// Under which key the values are in the index.
    var key: String {
        parameter.kind == .reference && modifier == "identifier" ? parameter.identifierKey : parameter.key
    }

    /// What a value means, as a choice of comparisons.
    func matches(_ value: String) throws(Problem) -> [ValueMatch] {
        try matches(value, as: parameter.kind)
    }

    /// The parts of a composite value, each a choice of comparisons.
    func composite(_ value: String) throws(Problem) -> [[ValueMatch]] {
        guard modifier == nil else { throw unknownModifier }
        let parts = SearchEscapes.split(value, at: UInt8(ascii: "$"))
        guard parts.count == parameter.components.count else {
            throw .invalid("\(parameter.name) has \(parameter.components.count) parts with “$” between them")
        }
        var matches: [[ValueMatch]] = []
        for (part, component) in zip(parts, parameter.components) {
            matches.append(try self.matches(part, as: component.kind))
        }
        return matches
    }

    private func matches(_ value: String, as kind: SearchParameter.Kind) throws(Problem) -> [ValueMatch] {
        switch kind {
        case .string: return [try string(value)]
        case .token:
            switch modifier {
            case "in", "not-in": return try members(SearchEscapes.removed(from: value))
            case "below", "above": return [try related(value)]
            default: return [try token(value)]
            }
        case .reference: return try reference(value)
        case .date:
            guard modifier == nil else { throw unknownModifier }
            return [try Self.time(value)]
        case .number, .quantity:
            guard modifier == nil else { throw unknownModifier }
            return [try number(value, isQuantity: kind == .quantity)]
        case .uri:
            switch modifier {
            case nil: return [.uri(SearchEscapes.removed(from: value))]
            case "below": return [.uriBelow(SearchEscapes.removed(from: value))]
            default: throw unknownModifier
            }
        case .composite, .special: throw .unknown("\(parameter.name) cannot be searched by")
        }
    }

    private var unknownModifier: Problem {
        .invalid("\(parameter.name), a parameter of type \(parameter.kind.rawValue), has no such modifier")
    }

    private func string(_ value: String) throws(Problem) -> ValueMatch {
        let text = SearchEscapes.removed(from: value)
        switch modifier {
        case nil: return .startsWith(SearchText.folded(text))
        case "exact": return .exactText(text)
        case "contains": return .contains(SearchText.folded(text))
        default: throw unknownModifier
        }
    }

    private func token(_ value: String) throws(Problem) -> ValueMatch {
        switch modifier {
        case nil, "not", "identifier":
            let parts = SearchEscapes.split(value, at: UInt8(ascii: "|")).map(SearchEscapes.removed)
            switch parts.count {
            case 1: return .token(system: .any, code: parts[0])
            case 2:
                guard parts != ["", ""] else {
                    throw .invalid("\(parameter.name) has neither system nor code")
                }
                return .token(
                    system: parts[0].isEmpty ? .none : .exactly(parts[0]),
                    code: parts[1].isEmpty ? nil : parts[1]
                )
            default:
                throw .invalid("\(parameter.name) is a code, or a system and a code with “|” between them")
            }
        case "text": return .word(SearchText.folded(SearchEscapes.removed(from: value)))
        default: throw unknownModifier
        }
    }

    // MARK: Terminology

    /// The codes of a value set, by code system.
    private func members(_ valueSet: String) throws(Problem) -> [ValueMatch] {
        let codes: [ExpandedCode]
        do throws(TerminologyError) {
            codes = try terminology().expand(valueSet).codes
        } catch {
            throw Self.problem(error)
        }
        guard codes.count <= Self.maximumCodes else {
            throw .failure(.tooCostly("a search takes a value set of at most \(Self.maximumCodes) codes"))
        }
        let bySystem = Dictionary(grouping: codes, by: { $0.value.system ?? "" })
        return bySystem.sorted { $0.key < $1.key }.map { .codes(system: $0.key, $0.value.map(\.value.code)) }
    }

    /// The codes that are one of a code, or that it is one of.
    private func related(_ value: String) throws(Problem) -> ValueMatch {
        let parts = SearchEscapes.split(value, at: UInt8(ascii: "|")).map(SearchEscapes.removed)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw .invalid("\(parameter.name):\(modifier ?? "") is a system and a code with “|” between them")
        }
        do throws(TerminologyError) {
            let codes = try terminology().codes(
                below: parts[1],
                in: parts[0],
                isReversed: modifier == "above"
            )
            return .codes(system: parts[0], codes)
        } catch {
            throw Self.problem(error)
        }
    }

    private static let maximumCodes = 20_000

    private static func problem(_ error: TerminologyError) -> Problem {
        let error = TerminologyOperationError.terminology(error)
        return .failure(FHIRFailure(400, error.issueCode, error.description))
    }

    private func reference(_ value: String) throws(Problem) -> [ValueMatch] {
        if modifier == "identifier" { return [try token(value)] }
        let text = SearchEscapes.removed(from: value)
        if let modifier {
            guard isType(modifier) else { throw unknownModifier }
            guard LogicalID.isValid(text) else { throw .invalid("\(parameter.name):\(modifier) is an id") }
            return [.reference(type: modifier, id: text)]
        }
        let target = ReferenceTarget(text, bases: bases)
        if target.isLocal, let type = target.type, let id = target.id {
            return [.reference(type: type, id: id)]
        }
        if LogicalID.isValid(text) { return [.reference(type: nil, id: text)] }
        return [.url(text)]
    }

    // MARK: Prefixes

    static func time(_ value: String) throws(Problem) -> ValueMatch {
        let (prefix, text) = split(value)
        guard let range = TimeRange(text) else {
            throw .invalid(
                "a date is written as 2026, 2026-11, 2026-11-22 or 2026-11-22T08:30:00Z, after a prefix"
            )
        }
        return .time(prefix, range)
    }

    private func number(_ value: String, isQuantity: Bool) throws(Problem) -> ValueMatch {
        let parts = SearchEscapes.split(value, at: UInt8(ascii: "|")).map(SearchEscapes.removed)
        let (prefix, digits) = Self.split(parts[0])
        guard parts.count == 1 || isQuantity && parts.count == 3, let number = ImpliedNumber(digits) else {
            throw .invalid(
                isQuantity
                    ? "\(parameter.name) is a number, or a number, a system and a code with “|” between them"
                    : "\(parameter.name) is a number"
            )
        }
        var unit = ValueMatch.UnitMatch.any
        if parts.count == 3, !parts[2].isEmpty {
            unit = parts[1].isEmpty ? .text(parts[2]) : .code(system: parts[1], parts[2])
            if parts[1] == "http://unitsofmeasure.org", let ucum = try? UCUMUnit(parts[2]),
                let value = BaseUnits.baseValue(of: digits, in: ucum),
                let low = BaseUnits.baseValue(of: "\(number.low)", in: ucum),
                let high = BaseUnits.baseValue(of: "\(number.high)", in: ucum), low <= high
            {
                return .number(prefix, value, implied: low...high, unit: .dimension(ucum.dimensionKey))
            }
        }
        return .number(prefix, number.value, implied: number.implied, unit: unit)
    }

    private static func split(_ value: String) -> (ValueMatch.Prefix, String) {
        guard value.utf8.count > 2, let prefix = ValueMatch.Prefix(rawValue: String(value.prefix(2))) else {
            return (.eq, value)
        }
        return (prefix, String(value.dropFirst(2)))
    }
}

/// A number and what its digits imply: 5.4 is anything from 5.35 to 5.45, and 1e2 from 95 to 105 (FHIR R4,
/// search, “number”).
struct ImpliedNumber {
    let value: Double
    let low: Decimal
    let high: Decimal

    var implied: ClosedRange<Double> {
        let bounds = [low, high].map { NSDecimalNumber(decimal: $0).doubleValue }
        return min(bounds[0], bounds[1])...max(bounds[0], bounds[1])
    }

    init?(_ digits: String) {
        guard digits.utf8.count <= 40, let number = ExactDecimal(digits), abs(number.exponent) <= 100,
            let decimal = Decimal(string: digits), !decimal.isNaN, let value = Double(digits), value.isFinite
        else { return nil }
        // With an exponent two digits count at least, as the specification's example has it.
        let hasExponent = digits.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        let scale = number.exponent - (hasExponent && number.digits.count < 2 ? 1 : 0)
        let half = Decimal(sign: .plus, exponent: scale - 1, significand: 5)
        self.value = value
        low = decimal - half
        high = decimal + half
    }
}
