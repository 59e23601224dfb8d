import IndivoXML

/// One of a server's responses in XML: a value with a root element of its own.
///
/// ```swift
/// let metadata = try DocumentMetadata.read(from: XMLNode(parsing: body), root: DocumentMetadata.elementName)
/// let xml = try metadata.xml()
/// ```
/// Responses are values, so that they can be given to another task. They keep no source: what a type does not know of
/// is kept where ``CompoundValue/xml(updating:)`` is given the element that was read.
package protocol ServerResponse: CompoundValue {
    /// The name of the root element.
    static var elementName: String { get }
}

extension ServerResponse {
    /// The response as XML, as a server would write it.
    /// - Returns: The root element.
    /// - Throws: ``DocumentError`` when a field cannot stand in XML.
    package func xml() throws -> XMLNode { try xml(Self.elementName) }
}
