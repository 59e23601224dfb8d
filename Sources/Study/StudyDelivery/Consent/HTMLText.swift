import IndivoBase
import StudyFormats

/// The text of simple HTML: paragraphs on lines of their own, without markup. Linear in the length.
enum HTMLText {
    private static let breaking = HTMLTokens.blocks.union(["br"])

    static func text(_ html: String) -> String {
        var lines: [String] = []
        var line = ""
        func endLine() {
            let words = line.split { $0 == " " || $0.isNewline || $0 == "\t" }
            if !words.isEmpty, words != ["•"] { lines.append(words.joined(separator: " ")) }
            line = ""
        }
        var tokens = HTMLTokens(html)
        while let token = tokens.next() {
            switch token {
            case .text(let text): line += text
            case .start(let name, _, let isEmpty) where HTMLTokens.hidden.contains(name):
                if !isEmpty { tokens.skipContent(of: name) }
            case .start(let name, _, _) where breaking.contains(name):
                endLine()
                if name == "li" { line = "• " }
            case .end(let name) where breaking.contains(name): endLine()
            case .start, .end: break
            }
        }
        endLine()
        return lines.joined(separator: "\n")
    }
}
