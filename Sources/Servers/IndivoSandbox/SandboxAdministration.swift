import Foundation
import GRDB
import WebServing

/// Administration from code: what an operator of a real server does with admin calls and by hand.
extension Sandbox {
    /// Adds an account that can log in.
    /// - Throws: ``SandboxError/duplicate(kind:id:)``.
    public func addAccount(
        id: String,
        fullName: String,
        contactEmail: String? = nil,
        username: String,
        password: String
    ) async throws {
        let hash = try PasswordHash(of: password).text
        try await administer { store in
            guard try AccountRow.find(id, in: store.db) == nil else {
                throw SandboxError.duplicate(kind: "account", id: id)
            }
            let taken = try LoginRow.find(username, in: store.db)
            guard taken == nil else { throw SandboxError.duplicate(kind: "user name", id: username) }
            try AccountRow(
                id: id,
                fullName: fullName,
                contactEmail: contactEmail ?? id,
                state: "active",
                createdAt: store.now,
                stateChangedAt: store.now
            ).insert(store.db)
            try LoginRow(username: username, account: id, password: hash).insert(store.db)
        }
    }

    /// Adds a record, owned by an account.
    /// - Parameters:
    ///   - owner: The id of the account; nil for a record nobody owns yet.
    ///   - label: What the record is called; the name in its demographics unless given.
    ///   - demographics: A `Demographics` document.
    /// - Returns: The id of the record.
    /// - Throws: ``SandboxError`` for an unknown account, or a document the server would refuse.
    @discardableResult
    public func addRecord(owner: String?, label: String? = nil, demographics: Data) async throws -> String {
        try await administer { store in
            if let owner { _ = try store.known(AccountRow.self, owner) }
            let nobody = Principal.nobody.effective
            return try store.createRecord(
                demographics: demographics,
                label: label,
                owner: owner,
                creator: nobody
            ).id
        }
    }

    /// Registers a user app. One that is there already is brought up to date.
    public func addApp(_ app: SandboxApp) async throws {
        try await administer { store in
            let known = try AppRow.find(app.id, in: store.db)
            let row = AppRow(
                id: app.id,
                internalId: known?.internalId ?? Secrets.id(),
                name: app.name,
                consumerKey: app.consumerKey,
                consumerSecret: app.consumerSecret,
                mode: app.isAutonomous ? "background" : "ui",
                startURL: app.startURL,
                callbackURL: app.callbackURL,
                manifest: app.manifest ?? SandboxManifest.make(for: app).serverText
            )
            try known == nil ? row.insert(store.db) : row.update(store.db)
        }
    }

    /// Registers an admin app or a UI server's app. One that is there already is brought up to date.
    public func addMachineApp(_ app: SandboxMachineApp) async throws {
        try await administer { store in
            try MachineAppRow(
                id: app.id,
                name: app.name,
                consumerKey: app.consumerKey,
                consumerSecret: app.consumerSecret,
                isChrome: app.isChrome
            ).save(store.db)
        }
    }

    /// Enables an app on a record, as a person does on the authorisation page.
    public func enable(app: String, onRecord record: String) async throws {
        try await administer { store in
            try store.known(RecordRow.self, record).enable(store.known(AppRow.self, app).id, in: store.db)
        }
    }

    /// Issues an access token, as the exchange at the end of the login does, and enables the app on the
    /// record.
    ///
    /// For tests that are about something else than logging in.
    /// - Parameter account: The account for which the app acts; an autonomous app acts for itself, whatever
    ///   is given. With nil any other app reaches what it stores on the record, and nothing else.
    /// - Returns: The token and its secret.
    /// - Throws: ``SandboxError/unknown(kind:id:)``.
    public func issueAccessToken(app: String, record: String, account: String?) async throws -> (
        token: String, secret: String
    ) {
        try await administer { store in
            if let account { _ = try store.known(AccountRow.self, account) }
            try store.known(RecordRow.self, record).enable(store.known(AppRow.self, app).id, in: store.db)
            let pair = try store.issueAccessToken(app: app, record: record, account: account)
            return (pair.token, pair.secret)
        }
    }

    /// Deletes the tokens whose time is over, as the real server's command `cleanup_old_tokens` does.
    ///
    /// As on the real server an access token works on when its thirty minutes are over, until this is run:
    /// then an app finds itself refused with 403 from one request to the next.
    public func cleanUpTokens() async throws {
        try await administer { store in
            try store.db.execute(sql: "DELETE FROM accessToken WHERE expiresAt <= ?", arguments: [store.now])
            try store.forgetAbandoned()
        }
    }

    /// Shares a whole record with an account.
    public func share(record: String, with account: String, role: String? = nil) async throws {
        try await administer { store in
            let account = try store.known(AccountRow.self, account).id
            let record = try store.known(RecordRow.self, record).id
            try ShareRow(id: Secrets.id(), record: record, account: account, role: role).insert(store.db)
        }
    }

    /// Stores a document in a record, as the server itself would when it is filled with data: nobody made it.
    /// - Returns: The id of the document.
    /// - Throws: ``SandboxError/refused(status:message:)`` with the server's sentence.
    @discardableResult
    public func addDocument(
        _ document: Data,
        toRecord record: String,
        contentType: String = "application/xml"
    ) async throws -> String {
        try await administer { store in
            let scope = DocumentScope(record: try store.known(RecordRow.self, record).id)
            let content = try DocumentContent(document, contentType: contentType)
            return try store.create(content, in: scope, by: Principal.nobody.effective).id
        }
    }

    /// What is wrong with the SDML files of ``SandboxConfiguration/modelFolder``, each with
    /// `file:line:column`. The models of these files are not known; those of the other files are.
    public var modelProblems: [String] { context.models.problems }

    /// Reads the folder of models again now, and not only when its change is noticed.
    /// - Throws: ``SandboxError/models(problems:)`` for a folder that cannot be read.
    public func reloadModels() throws { try context.readModels() }

    /// The records there are.
    public func records() async throws -> [SandboxRecord] {
        try await context.database.read { db in
            try RecordRow.all("ORDER BY serial", in: db).map {
                SandboxRecord(id: $0.id, label: $0.label, owner: $0.owner)
            }
        }
    }

    private func administer<Value: Sendable>(_ body: @Sendable (Store) throws -> Value) async throws -> Value
    {
        let now = context.now
        do {
            return try await context.database.write { db in
                try body(Store(db: db, server: self.context, now: now))
            }
        } catch let error as ContentError {
            throw SandboxError.refused(status: 400, message: error.sentence)
        } catch let refusal as Refusal {
            throw SandboxError.refused(status: refusal.response.status, message: refusal.reason)
        }
    }
}

extension Store {
    /// The row of an id, which an operator names. Tables are called after what is in them.
    fileprivate func known<Row: IdentifiedRow>(_ type: Row.Type, _ id: String) throws -> Row {
        guard let row = try Row.find(id, in: db) else {
            throw SandboxError.unknown(kind: Row.databaseTableName, id: id)
        }
        return row
    }
}

/// A record of a sandbox.
public struct SandboxRecord: Sendable, Hashable {
    /// The record's id.
    public let id: String
    /// The record's label, mostly the patient's name.
    public let label: String
    /// The id of the account it belongs to.
    public let owner: String?
}
