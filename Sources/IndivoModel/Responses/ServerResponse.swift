import IndivoXML

/// One of a server's responses in XML: a value with a root element of its own.
/// It keeps no source: ``CompoundValue/xml(updating:)`` keeps what the type does not know.
package protocol ServerResponse: CompoundValue {
    /// The name of the root element.
    static var elementName: String { get }
}

extension ServerResponse {
    /// The response as a server would write it.
    package func xml() throws -> XMLNode { try xml(Self.elementName) }
}
