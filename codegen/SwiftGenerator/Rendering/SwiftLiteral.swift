/// Text as literals of Swift.
package enum SwiftLiteral {
    private static let escapes: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    ]

    /// A string literal on one line. What cannot be seen or turns the direction of writing is escaped.
    package static func string(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar in
            if let escape = escapes[scalar] { return escape }
            return switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: String(scalar)
            }
        }
        return "\"\(characters.joined())\""
    }
}
