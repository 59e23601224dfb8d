import IndivoXML

/// One of a server's responses in XML: a value with a root element of its own.
///
/// ```swift
/// let metadata = try DocumentMetadata.read(from: XMLNode(parsing: body), root: DocumentMetadata.elementName)
/// let xml = try metadata.xml()
/// ```
/// Responses are values, so that they can be given to another task. They keep no source: what a type does not know of
/// is kept where ``CompoundValue/xml(updating:)`` is given the element that was read.
public protocol ServerResponse: CompoundValue {
    /// The name of the root element.
    static var elementName: String { get }
}

extension ServerResponse {
    /// The response as XML, as a server would write it.
    /// - Returns: The root element.
    /// - Throws: ``DocumentError`` when a field cannot stand in XML.
    public func xml() throws -> XMLNode { try xml(Self.elementName) }
}

extension Account: ServerResponse { public static var elementName: String { "Account" } }
extension AggregateReports: ServerResponse { public static var elementName: String { "AggregateReports" } }
extension AuditEntry: ServerResponse { public static var elementName: String { "AuditEntry" } }
extension Carenets: ServerResponse { public static var elementName: String { "Carenets" } }
extension CarenetAccounts: ServerResponse { public static var elementName: String { "CarenetAccounts" } }
extension DocumentMetadata: ServerResponse { public static var elementName: String { "Document" } }
extension DocumentList: ServerResponse { public static var elementName: String { "Documents" } }
extension DocumentStatusHistory: ServerResponse { public static var elementName: String { "DocumentStatusHistory" } }
extension Message: ServerResponse { public static var elementName: String { "Message" } }
extension Messages: ServerResponse { public static var elementName: String { "Messages" } }
extension Notifications: ServerResponse { public static var elementName: String { "Notifications" } }
extension RecordInformation: ServerResponse { public static var elementName: String { "Record" } }
extension RecordList: ServerResponse { public static var elementName: String { "Records" } }
