/// Texts of strangers in tables that people open with spreadsheets.
enum SpreadsheetText {
    /// The characters with which a formula begins, the wide ones of Japanese keyboards too, and those that a
    /// spreadsheet skips before one. And the quotation mark itself: who takes one away from each text that
    /// begins with it has the text as it was.
    private static let first: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'",
    ]

    /// A text that no spreadsheet runs as a formula: `'` stands before one that it might, also where the
    /// formula begins behind spaces, characters that nobody sees, or a `|`, at which some programs split a
    /// line.
    static func guarded(_ text: String) -> String {
        guard let start = text.unicodeScalars.first else { return text }
        let shown = text.unicodeScalars.first { !isSkipped($0) }
        guard first.contains(start) || shown.map(first.contains) == true else { return text }
        return "'" + text
    }

    private static func isSkipped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "|" || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint {
            return true
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
