/// Texts of strangers in tables that people open with spreadsheets.
enum SpreadsheetText {
    /// The characters with which a formula begins, the wide ones of Japanese keyboards too, and those that a spreadsheet skips
    /// before one. And the quotation mark itself: who takes one away from each text that begins with it has the text as it was.
    private static let first: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'"]

    /// A text that no spreadsheet runs as a formula: `'` stands before one that it might.
    static func guarded(_ text: String) -> String {
        guard let start = text.unicodeScalars.first, first.contains(start) else { return text }
        return "'" + text
    }
}
