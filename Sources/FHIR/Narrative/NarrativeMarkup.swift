import IndivoXML

/// The XHTML of a narrative (FHIR R4, “Narrative”): which elements and attributes it may have.
enum NarrativeMarkup {
    private static let elements: Set<String> = [
        "a", "abbr", "acronym", "b", "big", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "dfn",
        "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p", "pre", "q", "samp",
        "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "ul", "var",
    ]
    private static let attributes: Set<String> = [
        "abbr", "accesskey", "align", "alt", "axis", "bgcolor", "border", "cellhalign", "cellpadding", "cellspacing",
        "cellvalign", "char", "charoff", "charset", "cite", "class", "colspan", "compact", "coords", "dir", "frame",
        "headers", "height", "href", "hreflang", "hspace", "id", "lang", "longdesc", "name", "nowrap", "rel", "rev",
        "rowspan", "rules", "scope", "shape", "span", "src", "start", "style", "summary", "tabindex", "title", "type",
        "valign", "value", "vspace", "width",
    ]

    /// Whether the text is a `div` of XHTML with only what a narrative may have, and with some content.
    static func isAllowed(_ text: String) -> Bool {
        guard let root = try? XMLNode(parsing: text), root.name == "div", root.namespace == "http://www.w3.org/1999/xhtml"
        else { return false }
        var hasContent = false
        var queue: [XMLNode] = [root]
        while let node = queue.popLast() {
            guard elements.contains(node.name), node.namespace == root.namespace else { return false }
            for attribute in node.attributes where attribute.namespace == nil {
                guard attributes.contains(attribute.name) else { return false }
            }
            if node.name == "img" { hasContent = true }
            for child in node.contents() {
                if child.kind == .element {
                    queue.append(child)
                } else if child.text().contains(where: { !$0.isWhitespace }) {
                    hasContent = true
                }
            }
        }
        return hasContent
    }
}
