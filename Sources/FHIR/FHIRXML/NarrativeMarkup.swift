import FHIR
import IndivoXML

/// The XHTML of a narrative (FHIR R4, “Narrative”): which elements and attributes it may have.
package enum NarrativeMarkup {
    /// Why a text is not a narrative. It names no content.
    package enum Problem: Sendable, Hashable, CustomStringConvertible {
        /// It is no XML; the reason without the text.
        case notXML
        /// The root is no `div` of XHTML.
        case root
        /// An element is not allowed; the name, if it is one of HTML's.
        case element(String)
        /// An attribute is not allowed.
        case attribute(String)
        /// There is no text and no image.
        case empty

        package var description: String {
            switch self {
            case .notXML:
                "the narrative is not well-formed XHTML; entities of HTML such as &nbsp; are not defined"
            case .root: "a narrative is a div in the namespace http://www.w3.org/1999/xhtml"
            case .element(let name): "a narrative may not have \(Self.shown(name, "the element"))"
            case .attribute(let name): "a narrative may not have \(Self.shown(name, "the attribute"))"
            case .empty: "a narrative has some text or an image"
            }
        }

        /// The rule that is broken.
        package var rule: String { self == .empty ? "txt-2" : "txt-1" }

        /// A name, unless it is long or strange: what is not a name may be anything.
        private static func shown(_ name: String, _ kind: String) -> String {
            name.utf8.count <= 20 && name.utf8.allSatisfy(TextScan.isIDCharacter)
                ? "\(kind) \(name)" : "\(kind) that is there"
        }
    }

    private static let namespace = "http://www.w3.org/1999/xhtml"
    private static let elements: Set<String> = [
        "a", "abbr", "acronym", "b", "big", "blockquote", "br", "caption", "cite", "code", "col", "colgroup",
        "dd", "dfn",
        "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p", "pre",
        "q", "samp",
        "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt",
        "ul", "var",
    ]
    private static let attributes: Set<String> = [
        "abbr", "accesskey", "align", "alt", "axis", "bgcolor", "border", "cellhalign", "cellpadding",
        "cellspacing",
        "cellvalign", "char", "charoff", "charset", "cite", "class", "colspan", "compact", "coords", "dir",
        "frame",
        "headers", "height", "href", "hreflang", "hspace", "id", "lang", "longdesc", "name", "nowrap", "rel",
        "rev",
        "rowspan", "rules", "scope", "shape", "span", "src", "start", "style", "summary", "tabindex", "title",
        "type",
        "valign", "value", "vspace", "width",
    ]

    /// Whether the text is a `div` of XHTML with only what a narrative may have, and with some content.
    package static func isAllowed(_ text: String) -> Bool { problem(in: text) == nil }

    /// The first thing that is wrong with a narrative; `nil` for a good one.
    package static func problem(in text: String) -> Problem? {
        guard let root = try? XMLNode(parsing: text) else { return .notXML }
        guard root.name == "div", root.namespace == namespace else { return .root }
        var hasContent = false
        var queue: [XMLNode] = [root]
        while let node = queue.popLast() {
            guard elements.contains(node.name), node.namespace == namespace else {
                return .element(node.name)
            }
            for attribute in node.attributes where attribute.namespace == nil {
                guard attributes.contains(attribute.name) else { return .attribute(attribute.name) }
            }
            if node.name == "img" { hasContent = true }
            for child in node.contents() {
                if child.kind == .element {
                    queue.append(child)
                } else if !hasContent, child.kind == .text || child.kind == .cdata {
                    let text = child.text()
                    hasContent =
                        text.utf8.contains { 0x21...0x7E ~= $0 } || text.contains { !$0.isWhitespace }
                }
            }
        }
        return hasContent ? nil : .empty
    }
}
