import FHIR

/// A number as i2b2's `numeric(18,5)` holds it: thirteen digits before the point and five behind.
public struct WarehouseNumber: Sendable, Hashable, CustomStringConvertible {
    /// The digits, without an exponent.
    public let description: String
    /// What was written, where the column cannot hold all of it.
    public let exact: String?

    /// Rounds half away from zero to five decimals; `nil` for a number that is too large, which stays a text.
    public init?(_ decimal: FHIRDecimal) {
        let text = decimal.description
        var parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let exponent = parts.count > 1 ? Int(parts[1]) : 0
        guard let exponent, abs(exponent) <= 1000 else { return nil }
        let isNegative = parts[0].first == "-"
        parts = parts[0].drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        var digits = (parts[0] + (parts.count > 1 ? parts[1] : "")).utf8.map { Int($0) - 0x30 }
        // Where the point is in the digits; room is made on both sides of it.
        var point = parts[0].utf8.count + exponent
        if point < 1 {
            digits = Array(repeating: 0, count: 1 - point) + digits
            point = 1
        }
        if digits.count < point + 5 { digits += Array(repeating: 0, count: point + 5 - digits.count) }
        let cut = digits[(point + 5)...]
        var kept = Array(digits[..<(point + 5)])
        if cut.first ?? 0 >= 5 {
            var index = kept.count - 1
            while index >= 0, kept[index] == 9 {
                kept[index] = 0
                index -= 1
            }
            if index >= 0 { kept[index] += 1 } else { kept.insert(1, at: 0) }
        }
        var whole = kept.dropLast(5).drop { $0 == 0 }.map(String.init).joined()
        guard whole.utf8.count <= 13 else { return nil }
        if whole.isEmpty { whole = "0" }
        var fraction = kept.suffix(5)
        while fraction.last == 0 { fraction.removeLast() }
        let isZero = whole == "0" && fraction.isEmpty
        description =
            (isNegative && !isZero ? "-" : "") + whole
            + (fraction.isEmpty ? "" : "." + fraction.map(String.init).joined())
        // SQLite keeps a number with a fraction as a binary one, which is exact to 15 digits.
        let isHeld =
            cut.allSatisfy { $0 == 0 } && description.utf8.count(where: { (0x30...0x39).contains($0) }) <= 15
        exact = isHeld ? nil : text
    }
}
