import IndivoBase
import WebServing

/// Untrusted XHTML as markup: elements and attributes of an allow-list. Of other elements the text is kept,
/// but not that of scripts and styles.
struct AllowedXHTML {
    /// Elements within a line.
    private static let inline: Set<String> = [
        "b", "strong", "i", "em", "u", "s", "sub", "sup", "small", "code", "mark", "br",
    ]
    /// Elements that a label cannot have.
    private static let block: Set<String> = ["p", "ul", "ol", "li", "blockquote", "pre"]
    private static let maximumBytes = 100_000
    private static let maximumDepth = 30

    private let isBlock: Bool
    private var output = ""
    private var open: [String] = []

    /// The markup; nil where nothing is left of the XHTML, or it is too long.
    ///
    /// - Parameter isBlock: Whether paragraphs and lists may be in it.
    static func markup(_ xhtml: String, isBlock: Bool) -> Markup? {
        guard xhtml.utf8.count <= maximumBytes else { return nil }
        var reader = AllowedXHTML(isBlock: isBlock)
        reader.read(xhtml)
        return reader.output.utf8.allSatisfy { $0 <= 0x20 } ? nil : Markup(trusted: reader.output)
    }

    private init(isBlock: Bool) { self.isBlock = isBlock }

    private mutating func read(_ xhtml: String) {
        var tokens = HTMLTokens(xhtml)
        while let token = tokens.next() {
            switch token {
            case .text(let text): output += Markup.escape(text)
            case .start(let name, _, let isEmpty) where HTMLTokens.hidden.contains(name):
                if !isEmpty { tokens.skipContent(of: name) }
            case .start(let name, let attributes, let isEmpty): begin(name, attributes, isEmpty)
            case .end(let name): if !HTMLTokens.hidden.contains(name) { close(name) }
            }
        }
        while let name = open.popLast() { output += "</\(name)>" }
    }

    private mutating func begin(_ name: String, _ attributes: [String: String], _ isEmpty: Bool) {
        if name == "br" { return output += "<br>" }
        if name == "img" { return output += Markup.escape(attributes["alt"] ?? "") }
        guard open.count < Self.maximumDepth, !isEmpty else { return }
        if name == "a", !open.contains("a"), let url = attributes["href"], Markdown.isLink(url) {
            output += "<a href=\"\(Markup.escape(url))\" target=\"_blank\" rel=\"noopener noreferrer\">"
            open.append(name)
        } else if Self.inline.contains(name) || isBlock && Self.block.contains(name) {
            // A paragraph ends where another begins, and an item of a list where the next does.
            if ["p", "li"].contains(name), open.last == name { close(name) }
            output += "<\(name)>"
            open.append(name)
        } else {
            endLine(name)
        }
    }

    /// Closes an element, and those in it.
    private mutating func close(_ name: String) {
        guard open.contains(name) else { return endLine(name) }
        while let last = open.popLast() {
            output += "</\(last)>"
            if last == name { return }
        }
    }

    private mutating func endLine(_ name: String) {
        let ends = ["<br>", "</p>", "</ul>", "</ol>", "</blockquote>", "</pre>"]
        guard HTMLTokens.blocks.contains(name), !output.isEmpty, !ends.contains(where: output.hasSuffix)
        else {
            return
        }
        output += "<br>"
    }
}
