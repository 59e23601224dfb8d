/// What a unit measures: exponents of UCUM's seven base units, and of the arbitrary units that convert to
/// nothing else.
struct UnitDimension: Sendable, Hashable {
    /// Exponents of metre, second, gram, radian, kelvin, coulomb and candela. The last lane is unused.
    private var exponents = SIMD8<Int16>(repeating: 0)
    /// Exponents of arbitrary units by code, such as `[iU]`. Without zeroes.
    private var arbitrary: [String: Int16] = [:]

    static let none = UnitDimension()

    static func base(_ index: Int) -> UnitDimension {
        var dimension = UnitDimension()
        dimension.exponents[index] = 1
        return dimension
    }

    static func arbitrary(_ code: String) -> UnitDimension {
        var dimension = UnitDimension()
        dimension.arbitrary[code] = 1
        return dimension
    }

    static func * (left: UnitDimension, right: UnitDimension) -> UnitDimension {
        var product = left
        product.exponents &+= right.exponents
        for (code, exponent) in right.arbitrary {
            let sum = (product.arbitrary[code] ?? 0) &+ exponent
            product.arbitrary[code] = sum == 0 ? nil : sum
        }
        return product
    }

    func raised(to exponent: Int) -> UnitDimension {
        var result = self
        // The parser bounds a code to 256 bytes and an exponent to 99, so that no exponent leaves 16 bits.
        result.exponents &*= SIMD8(repeating: Int16(truncatingIfNeeded: exponent))
        result.arbitrary =
            exponent == 0 ? [:] : arbitrary.mapValues { $0 &* Int16(truncatingIfNeeded: exponent) }
        return result
    }
}

extension UCUMUnit {
    /// What the unit measures, as text that is the same for all units that measure it.
    package var dimensionKey: String { dimension.key }
}

extension UnitDimension {
    fileprivate var key: String {
        let base = (0..<7).map { String(exponents[$0]) }.joined(separator: ",")
        return ([base] + arbitrary.keys.sorted().map { "\($0)\(arbitrary[$0] ?? 0)" }).joined(separator: ";")
    }
}
