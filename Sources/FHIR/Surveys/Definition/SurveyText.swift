import FHIR
import OrderedJSON

/// A text of a questionnaire, with its markup and its translations.
public struct SurveyText: Sendable, Hashable {
    /// The text as it is written in the element.
    public let plain: String
    /// The same in Markdown (`rendering-markdown`).
    public let markdown: String?
    /// The same in XHTML (`rendering-xhtml`). It is untrusted: render only elements of an allow-list.
    public let xhtml: String?
    /// CSS for the text (`rendering-style`).
    public let style: String?
    /// The text by language code (`translation`).
    public let translations: [String: String]

    /// A text without markup and translations.
    public init(_ plain: String) {
        self.plain = plain
        markdown = nil
        xhtml = nil
        style = nil
        translations = [:]
    }

    /// A coding's text, with its translations: its display, else its code.
    public init(_ coding: Coding) {
        self = SurveyText(coding.tree, "display") ?? SurveyText(coding.code ?? "")
    }

    /// The text of a member, with the extensions of `_member`; nil without a text.
    init?(_ element: JSONValue, _ name: String) {
        guard let plain = element[name]?.string else { return nil }
        self.plain = plain
        guard let sibling = element["_" + name] else {
            markdown = nil
            xhtml = nil
            style = nil
            translations = [:]
            return
        }
        let extensions = ExtensionList(sibling)
        markdown = extensions.value(ExtensionURL.markdown)?.string
        xhtml = extensions.value(ExtensionURL.xhtml)?.string
        style = extensions.value(ExtensionURL.style)?.string
        var translations: [String: String] = [:]
        for translation in extensions.all(ExtensionURL.translation) {
            let parts = ExtensionList(translation)
            if let language = parts.value("lang")?.string, let content = parts.value("content")?.string {
                translations[language] = content
            }
        }
        self.translations = translations
    }

    /// The text in a language, such as `de` or `de-AT`; without a translation as it is written.
    public func text(in language: String?) -> String {
        guard let language else { return plain }
        if let exact = translations[language] { return exact }
        let base = language.prefix { $0 != "-" }
        return translations.first { $0.key.prefix { $0 != "-" } == base }?.value ?? plain
    }
}

extension SurveyText {
    /// The same with one more translation.
    func adding(_ text: String, in language: String) -> SurveyText {
        SurveyText(
            plain: plain,
            markdown: markdown,
            xhtml: xhtml,
            style: style,
            translations: translations.merging([language: text]) { first, _ in first }
        )
    }

    private init(
        plain: String,
        markdown: String?,
        xhtml: String?,
        style: String?,
        translations: [String: String]
    ) {
        self.plain = plain
        self.markdown = markdown
        self.xhtml = xhtml
        self.style = style
        self.translations = translations
    }
}
