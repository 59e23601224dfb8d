import Foundation
import OAuth1

/// The server itself as a scope: for the calls that the app signs in its own name (two-legged), and for those
/// that need no signature.
struct ServerScope: CallScope {
    let server: IndivoServer
    let isSigned: Bool
    var credentials: OAuthCredentials? { isSigned ? server.twoLegged : nil }
    var variables: [String: String] { isSigned ? ["app": server.app.id] : [:] }
}

extension IndivoServer {
    private var asApp: ServerScope { ServerScope(server: self, isSigned: true) }
    var asAnyone: ServerScope { ServerScope(server: self, isSigned: false) }

    /// The documents that the app keeps on the server for itself, in no record.
    public var appDocuments: AppDocuments { AppDocuments(scope: asApp) }

    // MARK: Autonomous apps

    /// The records on which this autonomous app is enabled (`app_record_list`).
    /// - Throws: ``IndivoError``, refused for an app with a user interface.
    public func autonomousRecords() async throws -> [Account.Record] {
        try await asApp.send(.appRecordList).value(RecordList.self).records
    }

    /// Opens one of ``autonomousRecords()`` with a new token, which does not expire
    /// (`autonomous_access_token`).
    /// - Throws: ``IndivoError``.
    public func autonomousRecord(_ id: String) async throws -> IndivoRecord {
        record(id: id, token: try await token(asApp.outgoing(.autonomousAccessToken, ["record": id])).token)
    }

    // MARK: What anyone may ask

    /// The apps that the server knows (`all_phas`).
    /// - Throws: ``IndivoError``.
    public func apps() async throws -> [AppManifest] { try await asAnyone.send(.allPHAs).manifests() }

    /// An app that the server knows, by its id, which is shaped like an e-mail address (`pha`).
    /// - Throws: ``IndivoError``.
    public func app(_ id: String) async throws -> AppManifest {
        try await asAnyone.send(.pha, path: ["app": id]).manifest()
    }

    /// The manifests of the apps that the server knows, with SMART's fields only (`all_manifests`).
    /// - Throws: ``IndivoError``.
    public func manifests() async throws -> [AppManifest] {
        try await asAnyone.send(.allManifests).manifests()
    }

    /// An app's manifest, with SMART's fields only (`app_manifest`).
    /// - Throws: ``IndivoError``.
    public func manifest(ofApp id: String) async throws -> AppManifest {
        try await asAnyone.send(.appManifest, path: ["app": id]).manifest()
    }

    /// The SMART types the server knows, with the methods it has for each (`smart_capabilities`).
    /// - Throws: ``IndivoError``.
    public func capabilities() async throws -> [String: [String]] {
        struct Capability: Decodable { let methods: [String] }
        let response = try await asAnyone.send(.smartCapabilities)
        return try response.reading {
            try JSONDecoder().decode([String: Capability].self, from: response.json())
        }
        .mapValues(\.methods)
    }
}

extension CallResponse {
    func manifest() throws -> AppManifest { try reading { try AppManifest.read(json: json()) } }

    func manifests() throws -> [AppManifest] { try reading { try AppManifest.readList(json: json()) } }
}
