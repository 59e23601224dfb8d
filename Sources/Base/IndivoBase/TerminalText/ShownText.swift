// What a server, a document or a file says is shown to people in messages, tables and logs. None of it may
// command the terminal that shows it: move the cursor, change a window's title, write over a line, or turn
// text around.

extension Unicode.Scalar {
    /// Whether a terminal would obey the scalar instead of showing it: the controls C0, C1 and DEL, what
    /// separates lines and paragraphs, and what changes the direction of the text behind it (embeddings,
    /// overrides, isolates; Unicode Standard Annex 9, section 2).
    package var commandsTerminals: Bool {
        switch value {
        case ..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// Whether a terminal would obey some of the text.
    package var hasControlCharacters: Bool { unicodeScalars.contains { $0.commandsTerminals } }

    /// The text as it may be shown: white space that ends lines is a blank, and U+FFFD stands for what else a
    /// terminal would obey.
    /// - Parameter keepsLines: Whether line feeds and tabs stay.
    package func shown(keepsLines: Bool = false) -> String {
        guard hasControlCharacters else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if keepsLines, scalar == "\n" || scalar == "\t" {
                text.append(scalar)
            } else if ["\n", "\r", "\t", "\u{2028}", "\u{2029}"].contains(scalar) {
                if text.last != " " { text.append(" ") }
            } else {
                text.append(scalar.commandsTerminals ? "\u{FFFD}" : scalar)
            }
        }
        return String(text)
    }
}
