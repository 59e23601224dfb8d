import Surveys
import WebServing

/// Texts of questionnaires as markup: XHTML and Markdown as far as they are let through, a translation as
/// plain text.
extension SurveyText {
    /// The text in several paragraphs.
    func block(in language: String?) -> Markup {
        guard isOriginal(language) else { return styled(paragraphs(text(in: language)), isBlock: true) }
        if let markup = xhtml.flatMap({ AllowedXHTML.markup($0, isBlock: true) }) {
            return styled(markup, isBlock: true)
        }
        return styled(markdown.map { Markdown.block($0) } ?? paragraphs(plain), isBlock: true)
    }

    /// The text on a line.
    func line(in language: String?) -> Markup {
        guard isOriginal(language) else { return styled("\(text(in: language))", isBlock: false) }
        if let markup = xhtml.flatMap({ AllowedXHTML.markup($0, isBlock: false) }) {
            return styled(markup, isBlock: false)
        }
        return styled(markdown.map { Markdown.inline($0[...]) } ?? "\(plain)", isBlock: false)
    }

    /// Whether there is no translation that goes before the text.
    private func isOriginal(_ language: String?) -> Bool { text(in: language) == plain }

    private func paragraphs(_ text: String) -> Markup {
        Markup(
            text.split(separator: "\n", omittingEmptySubsequences: true).map {
                "<p>\(String($0))</p>" as Markup
            }
        )
    }

    /// The markup with what of `rendering-style` has a class of the style sheet: pages let no other styles
    /// in.
    private func styled(_ markup: Markup, isBlock: Bool) -> Markup {
        guard let style, style.utf8.count <= 1_000 else { return markup }
        let classes = style.lowercased().split(separator: ";").compactMap {
            Self.classes[$0.filter { !$0.isWhitespace }]
        }
        guard !classes.isEmpty else { return markup }
        let tag = Markup(trusted: isBlock ? "div" : "span")
        return "<\(tag) class=\"\(classes.joined(separator: " "))\">\(markup)</\(tag)>"
    }

    private static let classes: [String: String] = {
        var classes = [
            "font-weight:bold": "rich-bold", "font-weight:bolder": "rich-bold",
            "font-weight:600": "rich-bold",
            "font-weight:700": "rich-bold", "font-weight:normal": "rich-normal",
            "font-style:italic": "rich-italic",
            "font-style:oblique": "rich-italic", "text-decoration:underline": "rich-underline",
            "text-decoration:line-through": "rich-through", "text-transform:uppercase": "rich-upper",
            "display:none": "unseen",
        ]
        for color in ["red", "green", "blue", "orange", "purple", "gray"] {
            classes["color:\(color)"] = "rich-\(color)"
        }
        for (other, color) in [
            ("darkred", "red"), ("darkgreen", "green"), ("darkblue", "blue"), ("navy", "blue"),
            ("grey", "gray"),
        ] {
            classes["color:\(other)"] = "rich-\(color)"
        }
        return classes
    }()
}
