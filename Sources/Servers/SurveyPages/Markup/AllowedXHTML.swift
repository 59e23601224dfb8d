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
    /// Elements whose text is not shown.
    private static let silent: Set<String> = [
        "script", "style", "iframe", "object", "template", "noscript", "svg", "math", "title",
    ]
    /// Elements of other names that end a line.
    private static let lineEnds: Set<String> = [
        "div", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table", "p", "li", "blockquote", "pre",
    ]
    /// What stands for characters; `&` is the last, so that nothing is read twice.
    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", "\u{A0}"),
        ("&#160;", "\u{A0}"),
        ("&amp;", "&"),
    ]
    private static let maximumBytes = 100_000
    private static let maximumDepth = 30

    private let isBlock: Bool
    private var output = ""
    private var open: [String] = []
    private var rest: Substring.UTF8View

    /// The markup; nil where nothing is left of the XHTML, or it is too long.
    ///
    /// - Parameter isBlock: Whether paragraphs and lists may be in it.
    static func markup(_ xhtml: String, isBlock: Bool) -> Markup? {
        guard xhtml.utf8.count <= maximumBytes else { return nil }
        var reader = AllowedXHTML(xhtml, isBlock: isBlock)
        reader.read()
        return reader.output.utf8.allSatisfy { $0 <= 0x20 } ? nil : Markup(trusted: reader.output)
    }

    private init(_ xhtml: String, isBlock: Bool) {
        self.isBlock = isBlock
        rest = xhtml[...].utf8
    }

    private mutating func read() {
        while let byte = rest.first {
            if byte == UInt8(ascii: "<") { readTag() } else { append(take { $0 != UInt8(ascii: "<") }) }
        }
        while let name = open.popLast() { output += "</\(name)>" }
    }

    /// Text, in which entities of XML stand for their characters.
    private mutating func append(_ text: String) {
        var text = text
        for (entity, character) in Self.entities { text = text.replacing(entity, with: character) }
        output += Markup.escape(text)
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    // MARK: Tags

    private mutating func readTag() {
        rest = rest.dropFirst()
        if rest.starts(with: "!--".utf8) { return skip(to: "-->") }
        let isEnd = rest.first == UInt8(ascii: "/")
        if isEnd { rest = rest.dropFirst() }
        let name = take { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) }
            .lowercased()
        guard !name.isEmpty else {
            // No tag, but the sign.
            if isEnd || rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "?") {
                return skip(to: ">")
            }
            return output += "&lt;"
        }
        let (attributes, isEmpty) = readAttributes()
        if Self.silent.contains(name) {
            if !isEnd, !isEmpty { skip(to: "</\(name)"); skip(to: ">") }
        } else if isEnd {
            close(name)
        } else {
            begin(name, attributes, isEmpty)
        }
    }

    private mutating func skip(to end: String) {
        let bytes = Array(end.utf8)
        while let byte = rest.first {
            if byte | 0x20 == bytes[0] | 0x20,
                rest.prefix(bytes.count).map({ $0 | 0x20 }) == bytes.map({ $0 | 0x20 })
            {
                rest = rest.dropFirst(bytes.count)
                return
            }
            rest = rest.dropFirst()
        }
    }

    /// The attributes up to the end of the tag, and whether the element is empty.
    private mutating func readAttributes() -> ([String: String], Bool) {
        var attributes: [String: String] = [:]
        var isEmpty = false
        while let byte = rest.first {
            if byte == UInt8(ascii: ">") {
                rest = rest.dropFirst()
                break
            }
            if byte == UInt8(ascii: "/") { isEmpty = rest.dropFirst().first == UInt8(ascii: ">") }
            guard byte > 0x20, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "=") else {
                rest = rest.dropFirst()
                continue
            }
            let name = take { $0 > 0x20 && !"=/>".utf8.contains($0) }.lowercased()
            _ = take { $0 <= 0x20 }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            _ = take { $0 <= 0x20 }
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                rest = rest.dropFirst()
                attributes[name] = take { $0 != quote }
                rest = rest.dropFirst()
            } else {
                attributes[name] = take { $0 > 0x20 && $0 != UInt8(ascii: ">") }
            }
        }
        return (attributes, isEmpty)
    }

    private mutating func begin(_ name: String, _ attributes: [String: String], _ isEmpty: Bool) {
        if name == "br" { return output += "<br>" }
        if name == "img" { return append(attributes["alt"] ?? "") }
        guard open.count < Self.maximumDepth, !isEmpty else { return }
        if name == "a", !open.contains("a"), let url = attributes["href"]?.replacing("&amp;", with: "&"),
            Markdown.isLink(url)
        {
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
        guard Self.lineEnds.contains(name), !output.isEmpty, !ends.contains(where: output.hasSuffix) else {
            return
        }
        output += "<br>"
    }
}
