import OrderedJSON

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A decimal with its digits as they were written: `1.10` stays `1.10`, and is not `1.1`.
///
/// In FHIR the precision of a decimal is part of it: two are equal when their digits are. Compare ``decimal``
/// to compare values.
public struct FHIRDecimal: FHIRValue, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The digits.
    public let description: String

    /// A decimal with these digits, as JSON writes numbers; `nil` for other texts.
    public init?(_ digits: String) {
        guard JSONValue(number: digits) != nil else { return nil }
        description = digits
    }

    /// - Parameter digits: What JSON takes as a number.
    package init(checked digits: String) { description = digits }

    /// An integer.
    public init(_ value: Int) { description = String(value) }

    /// A decimal with the fewest digits that give the same `Double`; `nil` when it is infinite or not a
    /// number.
    public init?(_ value: Double) {
        guard let digits = JSONValue(value)?.number else { return nil }
        description = digits
    }

    /// A decimal of up to 38 digits. `Decimal.nan` becomes the text `NaN`, and validation finds it.
    public init(_ value: Decimal) { description = value.description }

    /// Whether it has digits: all have but those made of `Decimal.nan`.
    package var isNumber: Bool { description.utf8.first != UInt8(ascii: "N") }

    public init(integerLiteral value: Int) { self.init(value) }

    /// The digits of the literal, without zeros at the end.
    public init(floatLiteral value: Double) {
        // A literal is never infinite.
        self = FHIRDecimal(value) ?? 0
    }

    public init?(tree: JSONValue) {
        guard let digits = tree.number else { return nil }
        description = digits
    }

    // A text where it is not a number: null would take the value away unseen.
    public var tree: JSONValue { JSONValue(number: description) ?? JSONValue(description) }

    /// The value, of up to 38 digits; `nil` when it is too large or too small.
    public var decimal: Decimal? { Decimal(string: description).flatMap { $0.isNaN ? nil : $0 } }

    /// The nearest `Double`.
    public var double: Double { Double(description) ?? .nan }
}
