import IndivoXML

/// A server's response in XML: a value with a root element of its own.
///
/// ```swift
/// let metadata = try DocumentMetadata.read(from: XMLNode(parsing: body), root: DocumentMetadata.elementName)
/// let xml = try metadata.xml()
/// ```
/// Responses are values, so that they can be given to another task. They keep no source: to keep content that a type does not
/// know, give ``CompoundValue/xml(updating:)`` the element that was read.
public protocol ServerAnswer: CompoundValue {
    /// The name of the root element.
    static var elementName: String { get }
}

extension ServerAnswer {
    /// The response as XML, as a server would write it.
    /// - Returns: The root element.
    /// - Throws: ``DocumentError`` when a field cannot stand in XML.
    public func xml() throws -> XMLNode { try xml(Self.elementName) }
}

extension Account: ServerAnswer { public static var elementName: String { "Account" } }
extension AccountList: ServerAnswer { public static var elementName: String { "Accounts" } }
extension AggregateReports: ServerAnswer { public static var elementName: String { "AggregateReports" } }
extension AuditEntry: ServerAnswer { public static var elementName: String { "AuditEntry" } }
extension Carenets: ServerAnswer { public static var elementName: String { "Carenets" } }
extension CarenetAccounts: ServerAnswer { public static var elementName: String { "CarenetAccounts" } }
extension ConnectCredentials: ServerAnswer { public static var elementName: String { "ConnectCredentials" } }
extension DocumentMetadata: ServerAnswer { public static var elementName: String { "Document" } }
extension DocumentList: ServerAnswer { public static var elementName: String { "Documents" } }
extension DocumentSchemas: ServerAnswer { public static var elementName: String { "DocumentSchemas" } }
extension DocumentStatusHistory: ServerAnswer { public static var elementName: String { "DocumentStatusHistory" } }
extension Message: ServerAnswer { public static var elementName: String { "Message" } }
extension Messages: ServerAnswer { public static var elementName: String { "Messages" } }
extension Notifications: ServerAnswer { public static var elementName: String { "Notifications" } }
extension Permissions: ServerAnswer { public static var elementName: String { "Permissions" } }
extension RecordInformation: ServerAnswer { public static var elementName: String { "Record" } }
extension RecordList: ServerAnswer { public static var elementName: String { "Records" } }
extension RequestTokenInformation: ServerAnswer { public static var elementName: String { "RequestToken" } }
extension Shares: ServerAnswer { public static var elementName: String { "Shares" } }
