import Foundation
import IndivoXML

/// What the real server's parser, libxml2, says of a document that is not well-formed, and where.
///
/// The parser here is the same, but has words of its own for some of what it refuses.
struct ParserSentence {
    private let message: String
    private var line: Int
    private var column: Int

    var text: String { "\(message), line \(line), column \(column) (line \(line))" }

    init(_ error: XMLError, in data: Data) {
        (line, column) = (error.line ?? 1, error.column ?? 1)
        switch error.kind {
        case .limit(.depth):
            message = "Excessive depth in document: 256 use XML_PARSE_HUGE option"
        case .externalEntity, .syntax:
            if let entity = error.message.prefixMatch(of: /the entity [&%](.*?);? (?:is not declared|lies outside)/) {
                message = "Entity '\(entity.output.1)' not defined"
            } else if error.message.hasPrefix("the document is empty") {
                let text = ParserSentence.text(of: data)
                message = text.isEmpty ? "Document is empty" : "Start tag expected, '<' not found"
                (line, column) = ParserSentence.place(after: text[...])
            } else {
                message = error.message
            }
        case .encoding:
            if let encoding = error.message.prefixMatch(of: /the encoding (.*) is not known/) {
                message = "Unsupported encoding \(encoding.output.1)"
                let text = ParserSentence.text(of: data)
                if let declared = text.firstMatch(of: /encoding\s*=\s*("[^"]*"|'[^']*')/) {
                    (line, column) = ParserSentence.place(after: text[..<declared.range.upperBound])
                }
            } else {
                message = error.message
            }
        default:
            message = error.message
        }
    }

    /// A document's text, without the byte order mark.
    private static func text(of data: Data) -> String {
        let mark: Unicode.Scalar = "\u{FEFF}"
        let scalars = String(decoding: data, as: UTF8.self).unicodeScalars
        return String(scalars.drop { $0 == mark })
    }

    private static func place(after text: Substring) -> (line: Int, column: Int) {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, (lines.last?.count ?? 0) + 1)
    }
}
