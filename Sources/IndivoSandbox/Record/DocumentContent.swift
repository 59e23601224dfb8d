import Foundation
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
        (self.data, mimeType) = (data, isText ? nil : contentType)
        root = if isXML { try DocumentContent.parse(data) } else { isText ? try? DocumentContent.parse(data) : nil }
        type = root.map { ($0.namespace ?? "") + $0.name }
        // The real server has room for 100 characters, and fails on more.
        try require((mimeType ?? "").unicodeScalars.count <= 100, sentence: "A content type has at most 100 characters")
        if !isText { return }
        guard !data.contains(0) else { throw ContentError.zeroByte }
        // The real server fails on text that is not UTF-8.
        try require(String(validating: data, as: UTF8.self) != nil, sentence: "The document is not UTF-8.")
    }

    /// A document that was checked already.
    init(stored data: Data, type: String) { (self.data, self.type, mimeType, root) = (data, type, nil, nil) }

    /// SHA-256 for text, SHA-1 for binary documents, in hexadecimal digits.
    var digest: String { (mimeType == nil ? DocumentDigest.sha256 : .sha1).hex(of: data) }

    /// The facts the document states, if it is of a kind whose content the server reads.
    func facts(_ models: ModelCatalog) throws -> [FactDraft] {
        guard let root, root.namespace == DocumentType.namespace, DocumentSchema.rootsOfDocuments.contains(root.name)
        else { return [] }
        try DocumentSchema.validate(root, as: root.name)
        do {
            return root.name == "Models" ? try models.facts(sdmx: root) : [try models.fact(typed: root)]
        } catch is NoFacts {
            return []
        }
    }

    /// Throws the sentence of the real server, whose parser is the same.
    static func parse(_ data: Data) throws -> XMLNode {
        do {
            return try XMLNode(parsing: data, options: options)
        } catch let error as XMLError {
            throw ContentError(sentence: "Input document didn't parse as XML, error was: \(error.parserSentence(in: data))")
        }
    }

    /// The real server's parser goes so deep and no deeper.
    private static let options = {
        var options = XMLParseOptions()
        options.limits.depth = 256
        return options
    }()
}
