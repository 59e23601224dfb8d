import Foundation
import IndivoModel
import OAuth1

/// What the app does in its own name, without a record (two-legged).
struct AppScope: CallScope {
    let server: IndivoServer
    var credentials: OAuthCredentials? { server.twoLegged }
    var variables: [String: String] { ["app": server.app.id] }
}

/// What anyone may ask, unsigned.
struct PublicScope: CallScope {
    let server: IndivoServer
    var credentials: OAuthCredentials? { nil }
    var variables: [String: String] { [:] }
}

extension IndivoServer {
    /// The documents that the app keeps on the server for itself, in no record.
    public var appDocuments: AppDocuments { AppDocuments(scope: AppScope(server: self)) }

    // MARK: Autonomous apps

    /// The records on which this autonomous app is enabled (`app_record_list`).
    /// - Throws: ``IndivoError``, refused for an app with a user interface.
    public func autonomousRecords() async throws -> [Account.Record] {
        try await AppScope(server: self).send(.appRecordList).value(RecordList.self, root: "Records").records
    }

    /// A record, with a token that this autonomous app gives itself (`autonomous_access_token`). It does not expire.
    /// - Parameter id: One of ``autonomousRecords()``.
    /// - Throws: ``IndivoError``.
    public func autonomousRecord(_ id: String) async throws -> IndivoRecord {
        let answer = try await AppScope(server: self).send(.autonomousAccessToken, path: ["record": id])
        // The answer holds a secret, which no error may show.
        guard let response = try? OAuthTokenResponse(parsing: answer.body) else {
            throw IndivoError(.malformedResponse("it should be a token, form-encoded"), call: answer.call)
        }
        return record(id: id, token: response.token)
    }

    // MARK: What anyone may ask

    /// The apps that the server knows (`all_phas`).
    /// - Throws: ``IndivoError``.
    public func apps() async throws -> [AppManifest] {
        try await PublicScope(server: self).send(.allPHAs).manifests()
    }

    /// An app that the server knows (`pha`).
    /// - Parameter id: The app's id, shaped like an e-mail address.
    /// - Throws: ``IndivoError``.
    public func app(_ id: String) async throws -> AppManifest {
        try await PublicScope(server: self).send(.pha, path: ["app": id]).manifest()
    }

    /// The manifests of the apps that the server knows, with what SMART says of an app and no more (`all_manifests`).
    /// - Throws: ``IndivoError``.
    public func manifests() async throws -> [AppManifest] {
        try await PublicScope(server: self).send(.allManifests).manifests()
    }

    /// An app's manifest, with what SMART says of an app and no more (`app_manifest`).
    /// - Throws: ``IndivoError``.
    public func manifest(ofApp id: String) async throws -> AppManifest {
        try await PublicScope(server: self).send(.appManifest, path: ["app": id]).manifest()
    }

    /// The SMART types the server knows, with the methods it has for each (`smart_capabilities`).
    /// - Throws: ``IndivoError``.
    public func capabilities() async throws -> [String: [String]] {
        struct Capability: Decodable { let methods: [String] }
        return try await PublicScope(server: self).send(.smartCapabilities)
            .json([String: Capability].self).mapValues(\.methods)
    }
}

extension Answer {
    func manifest() throws -> AppManifest { try reading { try AppManifest.read(json: bodyOfJSON()) } }

    func manifests() throws -> [AppManifest] { try reading { try AppManifest.readList(json: bodyOfJSON()) } }

    /// The response as a value that is read from JSON.
    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reading { try JSONDecoder().decode(type, from: bodyOfJSON()) }
    }
}
