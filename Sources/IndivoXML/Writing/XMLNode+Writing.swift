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
    public func xml(_ style: XMLStyle = .compact) throws -> String { try XMLWriter.write(self, as: .style(style)) { $0.string } }

    /// The node as XML in UTF-8; see `xml(_:)`.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry, such as control characters.
    public func data(_ style: XMLStyle = .compact) throws -> Data {
        try XMLWriter.write(self, as: .style(style)) { Data(buffer: $0) }
    }
}

/// How XML is laid out when it is written.
public enum XMLStyle: Hashable, Sendable {
    /// As it is: no white space is added or left out.
    case compact
    /// One element a line, children indented by two spaces. White space between elements is replaced; an element that
    /// holds text is written as it is, and so is all below `xml:space="preserve"`.
    case pretty
}
