/// The factor between a unit and the base units of its dimension: `numerator / denominator × 10^tens × π^pi`.
///
/// Exact as long as the integers fit into 128 bits; beyond that, and for constants that are measured by
/// logarithms, it is a floating-point number and says so.
struct UnitFactor: Sendable, Hashable {
    private(set) var numerator: Int128 = 1
    private(set) var denominator: Int128 = 1
    private(set) var tens = 0
    private(set) var pi = 0
    /// The factor where it could not be kept exactly. The other properties mean nothing then.
    private(set) var approximation: Double?

    static let one = UnitFactor()

    static let pi: UnitFactor = {
        var factor = UnitFactor()
        factor.pi = 1
        return factor
    }()

    static func ten(toThe exponent: Int) -> UnitFactor {
        var factor = UnitFactor()
        factor.tens = exponent
        return factor
    }

    init(_ integer: Int128 = 1) {
        numerator = integer
        reduce()
    }

    /// A decimal numeral such as `6.02214076` or `1e-3`. Nil when it is not one, or has more than 30 digits.
    init?(decimal text: some StringProtocol) {
        var digits: Int128 = 0
        var count = 0
        var tens = 0
        var afterPoint = false
        var rest = Substring(text).utf8
        while let byte = rest.first, byte != UInt8(ascii: "e") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !afterPoint {
                afterPoint = true
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), count < 30 else { return nil }
            digits = digits * 10 + Int128(byte - UInt8(ascii: "0"))
            count += 1
            if afterPoint { tens -= 1 }
        }
        guard count > 0, digits > 0 else { return nil }
        if rest.first == UInt8(ascii: "e") {
            guard let exponent = Int(String(rest.dropFirst()) ?? ""), abs(exponent) < 100 else { return nil }
            tens += exponent
        }
        numerator = digits
        self.tens = tens
        reduce()
    }

    private init(approximation: Double) { self.approximation = approximation }

    var isExact: Bool { approximation == nil && pi == 0 }

    var doubleValue: Double {
        approximation
            ?? Double(numerator) / Double(denominator) * Self.power(10, tens) * Self.power(Double.pi, pi)
    }

    static func * (left: UnitFactor, right: UnitFactor) -> UnitFactor {
        guard left.approximation == nil, right.approximation == nil else {
            return UnitFactor(approximation: left.doubleValue * right.doubleValue)
        }
        // Crosswise first, so that the products stay small.
        let (n1, d2) = lowestTerms(left.numerator, right.denominator)
        let (n2, d1) = lowestTerms(right.numerator, left.denominator)
        let (numerator, overflow1) = n1.multipliedReportingOverflow(by: n2)
        let (denominator, overflow2) = d1.multipliedReportingOverflow(by: d2)
        guard !overflow1, !overflow2 else {
            return UnitFactor(approximation: left.doubleValue * right.doubleValue)
        }
        var product = UnitFactor()
        product.numerator = numerator
        product.denominator = denominator
        product.tens = left.tens + right.tens
        product.pi = left.pi + right.pi
        product.reduce()
        return product
    }

    var inverse: UnitFactor {
        if let approximation { return UnitFactor(approximation: 1 / approximation) }
        var inverse = UnitFactor()
        inverse.numerator = denominator
        inverse.denominator = numerator
        inverse.tens = -tens
        inverse.pi = -pi
        return inverse
    }

    static func / (left: UnitFactor, right: UnitFactor) -> UnitFactor { left * right.inverse }

    func raised(to exponent: Int) -> UnitFactor {
        let base = exponent < 0 ? inverse : self
        var result = UnitFactor.one
        for _ in 0..<abs(exponent) { result = result * base }
        return result
    }

    private mutating func reduce() {
        while numerator % 10 == 0, numerator != 0 {
            numerator /= 10
            tens += 1
        }
        while denominator % 10 == 0 {
            denominator /= 10
            tens -= 1
        }
        (numerator, denominator) = Self.lowestTerms(numerator, denominator)
        // A denominator of twos and fives is a shift of the decimal point: 1/4 is 25 × 10^-2. So that equal
        // factors have one form only, all of them are written without such a denominator where it fits.
        while denominator % 2 == 0 {
            let (product, overflow) = numerator.multipliedReportingOverflow(by: 5)
            guard !overflow else { return }
            numerator = product
            denominator /= 2
            tens -= 1
        }
        while denominator % 5 == 0 {
            let (product, overflow) = numerator.multipliedReportingOverflow(by: 2)
            guard !overflow else { return }
            numerator = product
            denominator /= 5
            tens -= 1
        }
        while numerator % 10 == 0, numerator != 0 {
            numerator /= 10
            tens += 1
        }
    }

    private static func lowestTerms(_ a: Int128, _ b: Int128) -> (Int128, Int128) {
        var x = a
        var y = b
        while y != 0 { (x, y) = (y, x % y) }
        return x == 0 ? (a, b) : (a / x, b / x)
    }

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var result = 1.0
        for _ in 0..<abs(exponent) { result *= base }
        return exponent < 0 ? 1 / result : result
    }
}
