#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XMLNode {
    /// The node as XML text: an element just as it is; a document with its declaration and everything around the root.
    ///
    /// Namespaces that the nodes need and nothing declares are declared on the way. A part of a document declares the
    /// prefixes that its values may speak of, as `xsi:type="xs:int"` does of `xs`.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, such as control characters.
    public func xml(_ style: XMLStyle = .compact) throws -> String {
        try XMLWriter.write(self, style: style) { $0.string }
    }

    /// The node as XML in UTF-8; see `xml(_:)`.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, such as control characters.
    public func data(_ style: XMLStyle = .compact) throws -> Data {
        try XMLWriter.write(self, style: style) { Data(buffer: $0) }
    }

    /// The node in canonical form (W3C Canonical XML 1.0), in UTF-8: two documents mean the same when these are equal.
    ///
    /// An element inside a document is a document subset: it has the namespaces that are in force around it and the
    /// attributes of the namespace `xml`, such as `xml:lang`, that it inherits (section 2.4).
    ///
    /// - Parameter withComments: Whether comments are kept.
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, for a node that is neither an element nor a
    ///   document, and where a namespace is a relative URI.
    public func canonical(withComments: Bool = false) throws -> Data {
        guard kind == .element || kind == .document || kind == .removed else {
            throw XMLError(.unwritable, message: "the node is no document; only elements and documents have a canonical form")
        }
        // Read again, the texts are whole and every name has its declaration, whatever edits came before.
        let tree = try XMLWriter.write(self, isForCanonicalForm: true) { try DocumentParser.parse($0, options: .unlimited) }
        var writer = CanonicalWriter(tree, withComments: withComments)
        defer { writer.deallocate() }
        try writer.write()
        return Data(buffer: writer.output.bytes.buffer)
    }
}

extension XMLParseOptions {
    /// For what was written here: it may be as large as the document that it comes from.
    fileprivate static let unlimited = {
        var options = XMLParseOptions()
        options.limits.depth = .max
        options.limits.inputBytes = .max
        options.limits.textBytes = .max
        options.limits.attributes = .max
        options.limits.nameBytes = .max
        return options
    }()
}

/// How XML is laid out when it is written.
public enum XMLStyle: Hashable, Sendable {
    /// As it is: no white space is added or left out.
    case compact
    /// One element a line, children indented by two spaces. White space between elements is replaced; an element that
    /// holds text is written as it is, and so is all below `xml:space="preserve"`.
    case pretty
}
