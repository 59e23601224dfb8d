import Foundation
import IndivoXML

extension XMLError {
    /// What the real server's parser says of a document, and where. Ours is the same, libxml2, but has own words for some errors.
    func parserSentence(in data: Data) -> String {
        // Without the byte order mark.
        let text = String(String(decoding: data, as: UTF8.self).unicodeScalars.drop { $0 == "\u{FEFF}" })
        var message = self.message
        var (line, column) = (self.line ?? 1, self.column ?? 1)
        func point(after text: Substring) {
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            (line, column) = (lines.count, (lines.last?.count ?? 0) + 1)
        }
        if kind == .limit(.depth) {
            message = "Excessive depth in document: 256 use XML_PARSE_HUGE option"
        } else if kind == .encoding, let encoding = message.prefixMatch(of: /the encoding (.*) is not known/) {
            message = "Unsupported encoding \(encoding.output.1)"
            let declared = text.firstMatch(of: /encoding\s*=\s*("[^"]*"|'[^']*')/)
            if let declared { point(after: text[..<declared.range.upperBound]) }
        } else if kind == .syntax || kind == .externalEntity {
            if let entity = message.prefixMatch(of: /the entity [&%](.*?);? (?:is not declared|lies outside)/) {
                message = "Entity '\(entity.output.1)' not defined"
            } else if message.hasPrefix("the document is empty") {
                message = text.isEmpty ? "Document is empty" : "Start tag expected, '<' not found"
                point(after: text[...])
            }
        }
        return "\(message), line \(line), column \(column) (line \(line))"
    }
}
