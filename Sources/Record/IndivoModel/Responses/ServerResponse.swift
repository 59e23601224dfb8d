import IndivoXML

/// One of a server's responses in XML: a value with a root element of its own.
/// It keeps no source: ``CompoundValue/xml(updating:)`` keeps what the type does not know.
package protocol ServerResponse: CompoundValue {
    /// The name of the root element; by default the type's own.
    static var elementName: String { get }
}

extension ServerResponse {
    package static var elementName: String { "\(self)" }

    /// The response as a server would write it.
    package func xml() throws -> XMLNode { try xml(Self.elementName) }
}
