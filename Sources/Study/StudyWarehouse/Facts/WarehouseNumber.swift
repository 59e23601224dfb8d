import FHIR
import IndivoBase

/// A number as i2b2's `numeric(18,5)` holds it: thirteen digits before the point and five behind.
public struct WarehouseNumber: Sendable, Hashable, CustomStringConvertible {
    /// The digits, without an exponent.
    public let description: String
    /// What was written, where the column cannot hold all of it.
    public let exact: String?

    /// Rounds half away from zero to five decimals; `nil` for a number that is too large, which stays a text.
    public init?(_ decimal: FHIRDecimal) {
        guard let number = ExactDecimal(decimal.description) else { return nil }
        let rounded = number.rounded(to: 5).trimmed
        guard rounded.digits.count + rounded.exponent <= 13 else { return nil }
        description = rounded.description
        // SQLite keeps a number with a fraction as a binary one, which is exact to 15 digits.
        let isHeld =
            rounded == number.trimmed && description.utf8.count(where: { $0.isASCIIDigit }) <= 15
        exact = isHeld ? nil : decimal.description
    }
}
