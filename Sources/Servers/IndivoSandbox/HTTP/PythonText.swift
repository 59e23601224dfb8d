import Foundation
import OrderedJSON

/// Texts as the real server's language, Python 2, reads and writes them.
enum PythonText {
    /// The number that Python's `int` reads from a text: blanks around it and a sign are allowed. Nil for a
    /// text that is not a number; a number that is too large becomes the largest.
    static func integer(_ text: String) -> Int? {
        let text = plainNumber(text)
        if let number = Int(text) { return number }
        guard text.wholeMatch(of: /[-+]?[0-9]+/) != nil else { return nil }
        return text.hasPrefix("-") ? .min : .max
    }

    /// A text that may be a number with the digits of any script as ASCII's, and without the blanks around.
    static func plainNumber(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.numericType == .decimal, let digit = properties.numericValue {
                plain.append(contentsOf: "\(Int(digit))".unicodeScalars)
            } else {
                plain.append(properties.isWhitespace ? " " : scalar)
            }
        }
        return String(plain).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Twelve significant digits, always with a point or an exponent: `30.0`, `71.1666666667`.
    static func decimal(_ value: Double) -> String {
        let text = String(format: "%.12g", value)
        return text.contains(where: { ".en".contains($0) }) ? text : text + ".0"
    }

    /// A date in the XML of generic reports' aggregates: `2009-03-05 12:00:00`.
    static func date(_ text: String) -> String { text.replacing("T", with: " ").replacing("Z", with: "") }

    private static let months = [
        "Jan.", "Feb.", "March", "April", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.",
    ]

    /// A date as templates print it, in minimal reports' aggregates: `March 5, 2009, noon`, and `March 5,
    /// 2009` for a day.
    static func templateDate(_ text: String) -> String {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count >= 3, (1...12).contains(numbers[1]) else { return text }
        let day = "\(months[numbers[1] - 1]) \(numbers[2]), \(numbers[0])"
        return numbers.count < 5 ? day : day + ", " + time(hour: numbers[3], minute: numbers[4])
    }

    private static func time(hour: Int, minute: Int) -> String {
        if minute == 0, hour.isMultiple(of: 12) { return hour == 0 ? "midnight" : "noon" }
        let minutes = minute == 0 ? "" : String(format: ":%02d", minute)
        return "\(hour % 12 == 0 ? 12 : hour % 12)\(minutes) \(hour < 12 ? "a.m." : "p.m.")"
    }

    /// A text as `repr` shows it: `u'caf\xe9'`, and `u"it's"`.
    static func representation(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let quote: Unicode.Scalar = scalars.contains("'") && !scalars.contains("\"") ? "\"" : "'"
        let shown = scalars.map { scalar in
            switch scalar {
            case "\\", quote: "\\\(scalar)"
            case "\t": "\\t"
            case "\n": "\\n"
            case "\r": "\\r"
            case " "..."~": String(scalar)
            case ..<"\u{100}": String(format: "\\x%02x", scalar.value)
            case ..<"\u{10000}": String(format: "\\u%04x", scalar.value)
            default: String(format: "\\U%08x", scalar.value)
            }
        }
        return "u\(quote)\(shown.joined())\(quote)"
    }
}

extension JSONValue {
    /// A number as the real server's language writes it: `30.0` has a fraction, `30` has none.
    init(decimal value: Double) {
        self =
            value.isFinite
            ? JSONValue(number: "\(value)") ?? .null : JSONValue(JSONValue.mark + JSONValue.name(of: value))
    }

    /// The text as the real server's language writes it: also `NaN` and `Infinity`, which are no JSON.
    var serverText: String {
        let text = text(.spacedASCII)
        // The mark is not a character of XML, so no document can have brought it.
        guard text.contains("\"\\uffff") else { return text }
        return [Double.nan, .infinity, -.infinity].map(JSONValue.name).reduce(text) { text, name in
            text.replacing("\"\\uffff\(name)\"", with: name)
        }
    }

    /// What the text of a number begins with that JSON has no form for.
    private static let mark = "\u{FFFF}"

    private static func name(of value: Double) -> String {
        value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    }
}
