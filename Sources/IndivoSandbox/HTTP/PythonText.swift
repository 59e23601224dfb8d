import Foundation

/// Texts as the real server's language, Python 2, reads and shows them.
enum PythonText {
    /// The number that `int` makes of a text: blanks around it and a sign are allowed. Nil for what is none.
    static func integer(_ text: String) -> Int? { Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) }

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
