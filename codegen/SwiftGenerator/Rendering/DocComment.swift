import SDML

/// Documentation comments, wrapped at the end of the line.
package enum DocComment {
    /// Paragraphs as `///` lines, an empty one between them but for items of a list.
    package static func render(_ paragraphs: [String], indent: String) -> String {
        var lines: [String] = []
        var isAfterItem = false
        for paragraph in paragraphs {
            let isItem = paragraph.hasPrefix("- ")
            if !lines.isEmpty && !(isItem && isAfterItem) { lines.append("") }
            isAfterItem = isItem
            let width = Renderer.lineLength - indent.count - (isItem ? 6 : 4)
            let texts = paragraph.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap
            { line in
                let texts = wrapped(String(line), width: width)
                return texts.isEmpty ? [""] : texts
            }
            lines += texts.enumerated().map { isItem && $0 > 0 && !$1.isEmpty ? "  \($1)" : $1 }
        }
        return lines.map { line in "\(indent)///\(line.isEmpty ? "" : " ")\(line)\n" }.joined()
    }

    /// The words of a text in lines of at most `width` characters, longer words alone.
    package static func wrapped(_ text: String, width: Int) -> [String] {
        lines(of: text.replacingBreaks(with: " ").split(separator: " ").map(String.init), width: width)
    }

    /// Words in lines of at most `width` characters, longer words alone.
    static func lines(of words: [String], width: Int) -> [String] {
        words.reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(word)
            }
        }
    }
}
