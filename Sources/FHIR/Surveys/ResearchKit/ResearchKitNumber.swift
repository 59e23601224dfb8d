import Foundation
import IndivoBase

/// A number of a predicate or a choice, with as many digits as answers have.
struct ResearchKitNumber: Hashable {
    private static let maximumLength = 30

    /// The digits without an exponent, and without zeros at the end of a fraction.
    let text: String
    let value: Decimal

    /// nil for a number of more than 30 digits.
    init?(_ digits: String) {
        guard let exact = ExactDecimal(digits)?.trimmed, exact.exponent <= Self.maximumLength else {
            return nil
        }
        text = exact.description
        guard text.utf8.count <= Self.maximumLength, let value = Decimal(string: text) else { return nil }
        self.value = value
    }

    /// The number as an integer of FHIR, which has 32 bits.
    var integer: Int? { Int32(text).map { Int($0) } }

    var isWhole: Bool { !text.contains(".") }
}
