#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XMLNode {
    /// Parses a document and returns its root element. Its `document` holds what stands before and after it.
    ///
    /// - Throws: `XMLError`, with the line and column, for input that is not well-formed or hits a limit.
    public init(parsing data: Data, options: XMLParseOptions = .init()) throws {
        self = try data.withUnsafeBytes { try XMLNode($0.bindMemory(to: UInt8.self), options) }
    }

    /// Parses a document and returns its root element.
    ///
    /// - Throws: `XMLError`, with the line and column, for input that is not well-formed or hits a limit.
    public init(parsing bytes: [UInt8], options: XMLParseOptions = .init()) throws {
        self = try bytes.withUnsafeBufferPointer { try XMLNode($0, options) }
    }

    /// Parses a document and returns its root element. An encoding that the text declares is ignored.
    ///
    /// - Throws: `XMLError`, with the line and column, for input that is not well-formed or hits a limit.
    public init(parsing text: String, options: XMLParseOptions = .init()) throws {
        var options = options
        options.encoding = "UTF-8"
        self = try text.withBytes { try XMLNode($0, options) }
    }

    /// Parses a file and returns its document's root element.
    ///
    /// - Throws: `XMLError`: of kind `file` when it cannot be read, of others for what is wrong with its
    ///   content.
    public init(contentsOf file: URL, options: XMLParseOptions = .init()) throws {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw XMLError(.file, message: "the file \(file.path) cannot be read: \(error)")
        }
        try self.init(parsing: data, options: options)
    }

    private init(_ bytes: UTF8Bytes, _ options: XMLParseOptions) throws {
        let tree = try DocumentParser.parse(bytes, options: options)
        self = tree.handle(tree.firstElement(in: 0))
    }
}
