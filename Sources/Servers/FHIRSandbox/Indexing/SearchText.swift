import Foundation

/// Texts as a search by strings compares them.
enum SearchText {
    /// How many bytes of a text the index keeps.
    static let limit = 2_000

    /// A text without case, accents and repeated spaces (FHIR R4, search, “string”).
    static func folded(_ text: String) -> String {
        String(
            bounded(text).folding(
                options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
                locale: nil
            )
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        )
    }

    /// The first characters of a text, in at most ``limit`` bytes.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit)
        while end > text.startIndex, String.Index(end, within: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}
