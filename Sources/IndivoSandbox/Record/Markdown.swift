/// The little of Markdown that messages are written in: paragraphs, emphasis and links. Everything else stays text.
enum Markdown {
    static func html(_ text: String) -> Markup {
        let paragraphs = text.replacing("\r\n", with: "\n").split(separator: "\n\n")
        return Markup(paragraphs.map { "<p>\(inline(String($0).trimmingSuffix("\n")))</p>" })
    }

    private static func inline(_ text: String) -> Markup {
        var result = Markup.escape(text)
        result = result.replacing(/\[([^\]]+)\]\((https?:[^)\s]+)\)/) {
            "<a href=\"\($0.output.2)\">\($0.output.1)</a>"
        }
        result = result.replacing(/\*\*([^*]+)\*\*/) { "<strong>\($0.output.1)</strong>" }
        result = result.replacing(/\*([^*]+)\*/) { "<em>\($0.output.1)</em>" }
        return Markup(trusted: result)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var copy = self
        while copy.last == suffix { copy.removeLast() }
        return copy
    }
}
