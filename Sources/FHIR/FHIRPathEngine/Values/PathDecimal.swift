import Foundation
import IndivoBase

/// A decimal number with as many digits after the point as were written or computed: `1.0` is not written as
/// `1`.
struct PathDecimal: Sendable, Hashable {
    var value: Decimal
    /// Digits after the point.
    var scale: Int

    init(_ value: Decimal, scale: Int) {
        self.value = value
        self.scale = max(0, scale)
    }

    /// A computed number, with the digits that it needs.
    init(_ value: Decimal) {
        self.value = value
        scale = max(0, -value.exponentOfLastDigit)
    }

    /// Reads a numeral such as `-1.50` or `1e-3`. Nil for other texts, and for more than 38 digits.
    init?(_ text: some StringProtocol) {
        guard let number = ExactDecimal(text), number.digits.count <= 200, abs(number.exponent) <= 300,
            let value = Decimal(string: String(text), locale: nil), !value.isNaN
        else { return nil }
        self.init(value, scale: number.scale)
    }

    /// Digits after the point without trailing zeros, which count for nothing in an equivalence (FHIRPath
    /// section 6.1.3).
    var precision: Int { max(0, -value.exponentOfLastDigit) }

    var description: String {
        // Decimal writes without an exponent, and without trailing zeros.
        var text = "\(value)"
        let point = text.utf8.firstIndex(of: UInt8(ascii: "."))
        let digits = point.map { text.utf8.distance(from: $0, to: text.utf8.endIndex) - 1 } ?? 0
        guard digits < scale, scale <= 200 else { return text }
        if point == nil { text += "." }
        return text + String(repeating: "0", count: scale - digits)
    }

    /// The number rounded to digits after the point; halves go away from zero.
    func rounded(to digits: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> PathDecimal {
        PathDecimal(value.rounded(to: digits, mode), scale: digits)
    }
}

extension Decimal {
    /// Where the last digit that is not zero stands: 2 for 100, -2 for 0.01.
    var exponentOfLastDigit: Int {
        // What was computed need not be in its shortest form.
        var compact = self
        NSDecimalCompact(&compact)
        return compact.exponent
    }

    func rounded(to digits: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> Decimal {
        var result = Decimal()
        withUnsafePointer(to: self) { NSDecimalRound(&result, $0, digits, mode) }
        return result
    }

    /// The number without its fraction, towards zero.
    var truncated: Decimal { rounded(to: 0, self < 0 ? .up : .down) }

    var doubleValue: Double { NSDecimalNumber(decimal: self).doubleValue }
}
