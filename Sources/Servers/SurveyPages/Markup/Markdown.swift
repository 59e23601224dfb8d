import WebServing

/// The Markdown of questionnaires as markup: paragraphs, lists, headings, emphasis, code and links.
/// Everything else, HTML too, is text.
enum Markdown {
    /// Text in several paragraphs.
    static func block(_ markdown: String) -> Markup {
        var result = Markup.empty
        var paragraph: [Markup] = []
        var items: [Markup] = []
        func flush() {
            if !paragraph.isEmpty { result += "<p>\(joined(paragraph))</p>" }
            if !items.isEmpty { result += "<ul>\(items.map { "<li>\($0)</li>" as Markup })</ul>" }
            paragraph = []
            items = []
        }
        for line in markdown.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let text = line.drop { $0 == " " || $0 == "\t" }
            if text.isEmpty {
                flush()
            } else if ["- ", "* ", "+ "].contains(where: text.hasPrefix) {
                if !paragraph.isEmpty { flush() }
                items.append(inline(text.dropFirst(2)))
            } else if text.hasPrefix("#"), text.drop(while: { $0 == "#" }).hasPrefix(" ") {
                flush()
                result += "<p><strong>\(inline(text.drop { $0 == "#" }.dropFirst()))</strong></p>"
            } else {
                if !items.isEmpty { flush() }
                paragraph.append(inline(text))
            }
        }
        flush()
        return result
    }

    private static func joined(_ lines: [Markup]) -> Markup {
        Markup(lines.enumerated().map { $0.offset == 0 ? $0.element : "<br>" + $0.element })
    }

    /// Emphasis, code and links; marks without an end are text.
    static func inline(_ text: Substring) -> Markup {
        var result = Markup.empty
        var rest = text.prefix(20_000)
        var plain = ""
        // A mark that has no end in the rest is not looked for again.
        var missing: Set<String> = []
        func flush() {
            result += "\(plain)"
            plain = ""
        }
        scan: while let character = rest.first {
            for (mark, tag) in [("**", "strong"), ("__", "strong"), ("*", "em"), ("_", "em"), ("`", "code")]
            where character == mark.first && rest.hasPrefix(mark) && !missing.contains(mark) {
                let inside = rest.dropFirst(mark.count)
                guard let end = inside.firstRange(of: mark) else {
                    missing.insert(mark)
                    continue
                }
                guard end.lowerBound > inside.startIndex, inside.first?.isWhitespace == false else {
                    continue
                }
                flush()
                let content = String(inside[..<end.lowerBound])
                result += Markup(trusted: "<\(tag)>") + "\(content)" + Markup(trusted: "</\(tag)>")
                rest = inside[end.upperBound...]
                continue scan
            }
            if character == "[", !missing.contains("["), let link = link(rest) {
                flush()
                result += link.markup
                rest = link.rest
                continue
            }
            plain.append(character)
            rest = rest.dropFirst()
        }
        flush()
        return result
    }

    private static func link(_ text: Substring) -> (markup: Markup, rest: Substring)? {
        let head = text.prefix(2_000)
        guard let middle = head.firstRange(of: "]("), let end = head[middle.upperBound...].firstIndex(of: ")")
        else { return nil }
        let label = String(head[head.index(after: head.startIndex)..<middle.lowerBound])
        let url = String(head[middle.upperBound..<end])
        guard let anchor = anchor(url, label: label) else { return nil }
        return (anchor, text[text.index(after: end)...])
    }

    /// A link to a page elsewhere, in a window of its own; nil for what is not an address of the web or of
    /// mail.
    static func anchor(_ url: String, label: String) -> Markup? {
        guard isLink(url), !label.isEmpty else { return nil }
        return "<a href=\"\(url)\" target=\"_blank\" rel=\"noopener noreferrer\">\(label)</a>"
    }

    /// Whether something is an address of the web or of mail.
    static func isLink(_ url: String) -> Bool {
        ["https://", "http://", "mailto:"].contains(where: url.lowercased().hasPrefix)
    }
}
