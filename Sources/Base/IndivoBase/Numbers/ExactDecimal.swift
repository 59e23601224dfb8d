/// A decimal number, with its digits as they were written, times a power of ten. `1.50` is 150 × 10⁻².
package struct ExactDecimal: Sendable, Hashable, CustomStringConvertible {
    package var isNegative: Bool
    /// 0 to 9 each, the first not 0; empty for zero.
    package var digits: [UInt8]
    /// The power of ten of the last digit.
    package var exponent: Int

    package enum Form: Sendable {
        /// Digits on both sides of a point, as in JSON, and zeros or a plus before the number.
        case strict
        /// Also `.5` and `5.`, as XML Schema writes numbers.
        case xmlSchema
    }

    /// Larger exponents are refused, so that the number can be written without one.
    private static let maximumExponent = 1000

    /// Nil for what is not a number, or is too large or too small.
    package init?(_ text: some StringProtocol, _ form: Form = .strict) {
        var rest = Substring(text).utf8
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let whole = rest.prefix(while: \.isASCIIDigit)
        rest.removeFirst(whole.count)
        let hasPoint = rest.first == UInt8(ascii: ".")
        if hasPoint { rest.removeFirst() }
        let fraction = rest.prefix(while: { hasPoint && $0.isASCIIDigit })
        rest.removeFirst(fraction.count)
        let isStrict = !whole.isEmpty && hasPoint == !fraction.isEmpty
        guard isStrict || form == .xmlSchema && !(whole.isEmpty && fraction.isEmpty) else { return nil }
        digits = (Array(whole) + fraction).drop { $0 == UInt8(ascii: "0") }.map { $0 & 15 }
        exponent = -fraction.count
        guard let letter = rest.popFirst() else { return }
        guard letter | 0x20 == UInt8(ascii: "e"), let power = Int(Substring(rest)),
            (-Self.maximumExponent...Self.maximumExponent).contains(power)
        else { return nil }
        exponent += power
    }

    /// Digits after the point.
    package var scale: Int { max(0, -exponent) }

    /// Rounded to so many digits after the point; halves go away from zero.
    package func rounded(to scale: Int) -> ExactDecimal {
        let cut = -exponent - scale
        guard cut > 0 else { return self }
        var result = self
        result.exponent = -scale
        result.digits.removeLast(min(cut, digits.count))
        guard cut <= digits.count, digits[digits.count - cut] >= 5 else { return result }
        let nines = result.digits.reversed().prefix { $0 == 9 }.count
        result.digits.removeLast(nines)
        let last = result.digits.popLast() ?? 0
        result.digits += [last + 1] + Array(repeating: 0, count: nines)
        return result
    }

    /// The canonical form of its value: without zeros at the end of the fraction, and zero without a sign.
    package var trimmed: ExactDecimal {
        var result = self
        if digits.isEmpty { result.isNegative = false }
        while result.exponent < 0, result.digits.last ?? 0 == 0 {
            _ = result.digits.popLast()
            result.exponent += 1
        }
        return result
    }

    /// The digits, without an exponent.
    package var description: String {
        let zeros = digits.isEmpty ? 0 : max(0, exponent)
        var text = digits + Array(repeating: 0, count: zeros)
        text.insert(contentsOf: Array(repeating: 0, count: max(0, scale + 1 - text.count)), at: 0)
        var characters = text.map { $0 + UInt8(ascii: "0") }
        if scale > 0 { characters.insert(UInt8(ascii: "."), at: characters.count - scale) }
        return (isNegative ? "-" : "") + String(decoding: characters, as: UTF8.self)
    }
}
