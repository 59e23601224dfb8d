import FHIR
import OrderedJSON

/// A text of a questionnaire, with its markup and its translations.
public struct SurveyText: Sendable, Hashable {
    /// The text as it is written in the element.
    public let plain: String
    /// The same in Markdown (`rendering-markdown`).
    public private(set) var markdown: String?
    /// The same in XHTML (`rendering-xhtml`). It is untrusted: render only elements of an allow-list.
    public private(set) var xhtml: String?
    /// CSS for the text (`rendering-style`).
    public private(set) var style: String?
    /// The text by language code (`translation`).
    public private(set) var translations: [String: String] = [:]

    /// A text without markup and translations.
    public init(_ plain: String) { self.plain = plain }

    /// A coding's text, with its translations: its display, else its code.
    public init(_ coding: Coding) {
        self = SurveyText(coding.tree, "display") ?? SurveyText(coding.code ?? "")
    }

    /// The text of a member, with the extensions of `_member`; nil without a text.
    init?(_ element: JSONValue, _ name: String) {
        guard let plain = element[name]?.string else { return nil }
        self.plain = plain
        guard let sibling = element["_" + name] else { return }
        let extensions = ExtensionList(sibling)
        markdown = extensions.value(ExtensionURL.markdown)?.string
        xhtml = extensions.value(ExtensionURL.xhtml)?.string
        style = extensions.value(ExtensionURL.style)?.string
        for translation in extensions.all(ExtensionURL.translation) {
            let parts = ExtensionList(translation)
            if let language = parts.value("lang")?.string, let content = parts.value("content")?.string {
                translations[language] = content
            }
        }
    }

    /// The text in a language, such as `de` or `de-AT`; without a translation as it is written.
    public func text(in language: String?) -> String {
        guard let language else { return plain }
        if let exact = translations[language] { return exact }
        let base = language.prefix { $0 != "-" }
        return translations.first { $0.key.prefix { $0 != "-" } == base }?.value ?? plain
    }

    /// The same with one more translation.
    func adding(_ text: String, in language: String) -> SurveyText {
        var result = self
        result.translations[language] = translations[language] ?? text
        return result
    }
}
