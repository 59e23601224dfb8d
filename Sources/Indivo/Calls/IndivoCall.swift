import HTTPTypes

/// A call of the Indivo API, described once: everything a request needs beyond its arguments.
struct IndivoCall: Sendable {
    /// The server's name for it.
    let name: String
    let method: HTTPRequest.Method
    /// The path, with variables in braces. Slashes at the end matter.
    let path: String
    var body = BodyKind.none
    /// What to try when the server answers 404, where that says less than it means.
    var notFoundHint: String?

    enum BodyKind: Sendable {
        case none, xml, text, form
    }
}

extension IndivoCall {
    // Server and login.
    static let getVersion = IndivoCall(name: "get_version", method: .get, path: "/version")
    static let requestToken = IndivoCall(
        name: "request_token", method: .post, path: "/oauth/request_token", body: .form)
    static let exchangeToken = IndivoCall(name: "exchange_token", method: .post, path: "/oauth/access_token")

    // Records.
    static let record = IndivoCall(name: "record", method: .get, path: "/records/{record}")
    static let setDemographics = IndivoCall(
        name: "set_demographics", method: .put, path: "/records/{record}/demographics", body: .xml)

    // Documents.
    static let recordDocumentList = IndivoCall(
        name: "record_document_list", method: .get, path: "/records/{record}/documents/")
    static let documentCreateByExternalID = IndivoCall(
        name: "document_create_by_ext_id", method: .put,
        path: "/records/{record}/documents/external/{app}/{external}", body: .xml)
    static let recordDocumentMetaByExternalID = IndivoCall(
        name: "record_document_meta_ext", method: .get,
        path: "/records/{record}/documents/external/{app}/{external}/meta")
    static let recordSpecificDocument = IndivoCall(
        name: "record_specific_document", method: .get, path: "/records/{record}/documents/{document}")
    static let recordDocumentMeta = IndivoCall(
        name: "record_document_meta", method: .get, path: "/records/{record}/documents/{document}/meta")
    static let recordDocumentLabel = IndivoCall(
        name: "record_document_label", method: .put, path: "/records/{record}/documents/{document}/label", body: .text)
    static let documentVersionByExternalID = IndivoCall(
        name: "document_version_by_ext_id", method: .put,
        path: "/records/{record}/documents/{document}/replace/external/{app}/{external}", body: .xml,
        notFoundHint: "The server says 404 also when it refuses the new content: compare it with what the model allows.")
    static let documentSetStatus = IndivoCall(
        name: "document_set_status", method: .post, path: "/records/{record}/documents/{document}/set-status",
        body: .form)
    static let documentStatusHistory = IndivoCall(
        name: "document_status_history", method: .get, path: "/records/{record}/documents/{document}/status-history")
    static let documentVersions = IndivoCall(
        name: "document_versions", method: .get, path: "/records/{record}/documents/{document}/versions/")

    // Reports.
    static let genericList = IndivoCall(name: "generic_list", method: .get, path: "/records/{record}/reports/{model}/")
}
