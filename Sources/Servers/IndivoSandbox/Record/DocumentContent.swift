import Foundation
import IndivoBase
import IndivoModel
import IndivoXML

/// Not Foundation's, which macOS has.
typealias XMLNode = IndivoXML.XMLNode

/// A document's bytes, as the server sees them by the Content-Type they came with.
struct DocumentContent {
    let data: Data
    /// The type of a binary document; nil for text.
    let mimeType: String?
    /// Namespace and name of the root element, where there is one.
    let type: String?
    private let root: XMLNode?

    /// The types are compared literally: `application/xml; charset=utf-8` makes a binary document.
    init(_ data: Data, contentType: String?) throws {
        let isXML = ["application/xml", "text/xml"].contains(contentType)
        let isText = isXML || ["text/plain", "text/html", "application/json", nil].contains(contentType)
        self.data = data
        mimeType = isText ? nil : contentType
        root =
            if isXML { try DocumentContent.parse(data) } else {
                isText ? try? DocumentContent.parse(data) : nil
            }
        type = root.map { ($0.namespace ?? "") + $0.name }
        try Refusal.check("content type", mimeType ?? "", hasAtMost: 100)
        try Refusal.check("type of a document, with its namespace,", type ?? "", hasAtMost: 255)
        if !isText { return }
        guard !data.contains(0) else { throw ContentError.zeroByte }
        try Refusal.checkUTF8(data)
    }

    /// A document that was checked already.
    init(stored data: Data, type: String) {
        self.data = data
        self.type = type
        mimeType = nil
        root = nil
    }

    /// SHA-256 for text, SHA-1 for binary documents, in hexadecimal digits.
    var digest: String { (mimeType == nil ? DocumentDigest.sha256 : .sha1).hex(of: data) }

    /// The facts the document states, if it is of a kind whose content the server reads.
    func facts(_ models: ModelCatalog) throws -> [FactDraft] {
        guard let root, root.namespace == DocumentType.namespace,
            DocumentSchema.rootsOfDocuments.contains(root.name)
        else { return [] }
        try DocumentSchema.validate(root, as: root.name)
        do {
            return root.name == "Models" ? try models.facts(sdmx: root) : [try models.fact(typed: root)]
        } catch is NoFacts {
            return []
        } catch let error as ContentError {
            throw error.sentence.isASCII ? error : Refusal.serverFails(why: error.sentence)
        }
    }

    /// Throws the sentence of the real server, whose parser is the same.
    static func parse(_ data: Data) throws -> XMLNode {
        var options = XMLParseOptions()
        // The real server's parser goes so deep and no deeper.
        options.limits.depth = 256
        do {
            return try XMLNode(parsing: data, options: options)
        } catch let error as XMLError {
            throw ContentError(
                sentence: "Input document didn't parse as XML, error was: \(error.parserSentence(in: data))"
            )
        }
    }
}

extension XMLError {
    /// What the real server's parser says of a document, and where. Ours is the same, libxml2, but has own
    /// words for some errors.
    func parserSentence(in data: Data) -> String {
        // Without the byte order mark.
        let text = String(String(decoding: data, as: UTF8.self).unicodeScalars.drop { $0 == "\u{FEFF}" })
        var message = self.message
        var line = self.line ?? 1
        var column = self.column ?? 1
        func point(after text: Substring) {
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            line = lines.count
            column = (lines.last?.count ?? 0) + 1
        }
        if kind == .limit(.depth) {
            message = "Excessive depth in document: 256 use XML_PARSE_HUGE option"
        } else if kind == .encoding, let encoding = message.prefixMatch(of: /the encoding (.*) is not known/)
        {
            message = "Unsupported encoding \(encoding.output.1)"
            let declared = text.firstMatch(of: /encoding\s*=\s*("[^"]*"|'[^']*')/)
            if let declared { point(after: text[..<declared.range.upperBound]) }
        } else if kind == .syntax || kind == .externalEntity {
            if let entity = message.prefixMatch(of: /the entity [&%](.*?);? (?:is not declared|lies outside)/)
            {
                message = "Entity '\(entity.output.1)' not defined"
            } else if message.hasPrefix("Premature end of data in tag") {
                // The real server repeats what the parser said last.
                message = "EndTag: '</' not found"
            } else if message.hasPrefix("the document is empty") {
                message = text.isEmpty ? "Document is empty" : "Start tag expected, '<' not found"
                point(after: text[...])
            }
        }
        return "\(message), line \(line), column \(column) (line \(line))"
    }
}
