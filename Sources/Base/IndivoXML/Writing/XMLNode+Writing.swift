#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XMLNode {
    /// The node as XML text: an element just as it is; a document with its declaration and everything around
    /// the root.
    ///
    /// Namespaces that the nodes need and nothing declares are declared on the way. A part of a document
    /// declares the prefixes that its values may speak of, as `xsi:type="xs:int"` does of `xs`.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, such as control characters.
    public func xml(_ style: XMLStyle = .compact) throws -> String {
        try XMLWriter.write(self, as: .style(style)) { $0.string }
    }

    /// The node as XML in UTF-8; see `xml(_:)`.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, such as control characters.
    public func data(_ style: XMLStyle = .compact) throws -> Data {
        try XMLWriter.write(self, as: .style(style)) { Data(buffer: $0) }
    }

    /// The node in canonical form (W3C Canonical XML 1.0), in UTF-8: two documents mean the same when these
    /// are equal.
    ///
    /// An element inside a document is a document subset: it has the namespaces that are in force around it
    /// and the attributes of the namespace `xml`, such as `xml:lang`, that it inherits (section 2.4).
    ///
    /// - Parameter withComments: Whether comments are kept.
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, for a node that is neither an
    ///   element nor a document, and where a namespace is a relative URI.
    public func canonical(withComments: Bool = false) throws -> Data {
        guard kind == .element || kind == .document || kind == .removed else {
            throw XMLError(
                .unwritable,
                message: "the node is no document; only elements and documents have a canonical form"
            )
        }
        // It may be as large as the document that it comes from.
        var options = XMLParseOptions()
        let limits = [\XMLLimits.depth, \.inputBytes, \.textBytes, \.attributes, \.nameBytes]
        for limit in limits { options.limits[keyPath: limit] = .max }
        // Read again, the texts are whole and every name has its declaration, whatever edits came before.
        let tree = try XMLWriter.write(self, as: .complete) { try DocumentParser.parse($0, options: options) }
        tree.sortAttributes()
        return try XMLWriter.write(tree.handle(0), as: .canonical(withComments: withComments)) {
            Data(buffer: $0)
        }
    }
}

/// How XML is laid out when it is written.
public enum XMLStyle: Hashable, Sendable {
    /// As it is: no white space is added or left out.
    case compact
    /// One element a line, children indented by two spaces. White space between elements is replaced; an
    /// element that holds text is written as it is, and so is all below `xml:space="preserve"`.
    case pretty
}

extension XMLTree {
    /// Brings the attributes of each element into the order of canonical form: the declarations by name, of
    /// which the default's, xmlns, comes first, being its prefix's start; then the others by namespace and
    /// local name (section 2.2).
    fileprivate func sortAttributes() {
        let names = names
        for index in subtree(of: 0) where attributes(index).count > 1 {
            let sorted = attributes(index).sorted { left, right in
                if left.isDeclaration != right.isDeclaration { return left.isDeclaration }
                let spaces = (names.namespace(ofName: left.name), names.namespace(ofName: right.name))
                if !spaces.0.equals(spaces.1) { return spaces.0.lexicographicallyPrecedes(spaces.1) }
                let name = left.isDeclaration ? names.qualified : names.local
                return name(left.name).lexicographicallyPrecedes(name(right.name))
            }
            setAttributes(index, to: sorted)
        }
    }
}

extension UTF8Bytes {
    /// Whether the bytes start with a URI's scheme and its colon (RFC 3986, section 3.1): a URI that is not
    /// relative.
    var hasScheme: Bool {
        guard let colon = firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return self[..<colon].enumerated().allSatisfy { position, byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: true
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): position > 0
            default: false
            }
        }
    }
}
