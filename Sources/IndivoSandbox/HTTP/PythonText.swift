import Foundation
import IndivoModel
import URLCoding

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
            default:
                switch scalar.value {
                case 0x20..<0x7F: String(scalar)
                case ..<0x100: "\\x" + hexadecimal(scalar, bytes: 1)
                case ..<0x10000: "\\u" + hexadecimal(scalar, bytes: 2)
                default: "\\U" + hexadecimal(scalar, bytes: 4)
                }
            }
        }
        return "u\(quote)\(shown.joined())\(quote)"
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar, bytes: Int) -> String {
        Hexadecimal.encode((0..<bytes).reversed().map { UInt8(truncatingIfNeeded: scalar.value >> ($0 * 8)) })
    }
}
