import Foundation
import OrderedJSON

extension JSONValue {
    /// A number as the real server's language writes it: `30.0` has a fraction, `30` has none.
    init(decimal value: Double) { self = JSONValue(number: "\(value)") ?? .null }

    /// The text as the real server's language writes it.
    var serverText: String { text(.spacedASCII) }
}

/// Numbers as text, as the real server's language writes them.
enum DecimalText {
    /// Twelve significant digits, always with a point or an exponent: `30.0`, `71.1666666667`.
    static func twelveDigits(_ value: Double) -> String {
        let text = String(format: "%.12g", value)
        return text.contains(where: { ".en".contains($0) }) ? text : text + ".0"
    }
}
