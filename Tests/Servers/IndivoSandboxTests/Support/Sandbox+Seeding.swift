import Foundation
import GRDB

@testable import IndivoSandbox

/// What tests need to bring a sandbox into a state that was reached elsewhere.
extension Sandbox {
    /// A document as another server had it.
    struct SeedDocument: Sendable {
        var id: String
        var record: String?
        var app: String?
        var externalId: String?
        var content: Data
        var contentType: String
        /// Size and digest to report, where the content stands for one that is not known.
        var size: Int?
        var digest: String?
        var creator: (id: String, type: String)
        var createdAt: Date

        init(
            id: String,
            record: String?,
            app: String? = nil,
            externalId: String? = nil,
            content: Data,
            contentType: String = "application/xml",
            size: Int? = nil,
            digest: String? = nil,
            creator: (id: String, type: String) = ("", "NoUser"),
            createdAt: Date
        ) {
            self.id = id
            self.record = record
            self.app = app
            self.externalId = externalId
            self.content = content
            self.contentType = contentType
            self.size = size
            self.digest = digest
            self.creator = creator
            self.createdAt = createdAt
        }
    }

    func seed(_ seed: SeedDocument) async throws {
        try await context.database.write { db in
            let now = Timestamp(seed.createdAt)
            let store = Store(db: db, server: self.context, now: now)
            let content = try DocumentContent(seed.content, contentType: seed.contentType)
            let made = try store.create(
                content,
                in: DocumentScope(record: seed.record, app: seed.app),
                externalId: seed.externalId,
                by: Principal.Identity(id: seed.creator.id, type: seed.creator.type, fullName: "")
            )
            try db.execute(
                sql: "UPDATE document SET size = ifnull(?, size), digest = ifnull(?, digest) WHERE id = ?",
                arguments: [seed.size, seed.digest, made.id]
            )
        }
    }

    /// Sets what is reported of a document whose content stands for one that is not known.
    func seedDigest(of document: String, size: Int, digest: String) async throws {
        try await context.database.write { db in
            try db.execute(
                sql: "UPDATE document SET size = ?, digest = ? WHERE id = ?",
                arguments: [size, digest, document]
            )
        }
    }

    /// Gives the fact that holds all these texts an id.
    func seedFactId(_ id: String, containing texts: [String]) async throws {
        try await context.database.write { db in
            let conditions = texts.map { _ in " AND instr(body, ?) > 0" }.joined()
            try db.execute(
                sql:
                    """
                    UPDATE fact SET id = ? WHERE serial = (SELECT min(serial) FROM fact WHERE \
                    true\(conditions))
                    """,
                arguments: [id] + StatementArguments(texts)
            )
        }
    }

    /// Makes a token known that was issued elsewhere.
    func seedAccessToken(
        _ token: String,
        secret: String,
        app: String,
        record: String,
        carenet: String?,
        account: String?,
        enabling: Bool
    ) async throws {
        let pair = TokenPair(token: token, secret: secret)
        let now = context.now
        try await context.database.write { db in
            if enabling { try RecordRow.find(record, in: db)?.enable(app, in: db) }
            try AccessTokenRow(
                fingerprint: pair.fingerprint,
                secret: pair.concealedSecret,
                app: app,
                record: record,
                carenet: carenet,
                account: account,
                createdAt: now
            ).insert(db)
        }
    }

    /// Makes an account one that has logged in so often.
    func seedLogins(_ count: Int, of account: String) async throws {
        try await context.database.write { db in
            try db.execute(
                sql: "UPDATE account SET loginCount = ? WHERE id = ?",
                arguments: [count, account]
            )
        }
    }

    /// Takes a record's demographics away, as of one that never had any.
    func seedWithoutDemographics(record: String) async throws {
        try await context.database.write { db in
            try db.execute(
                sql: "DELETE FROM document WHERE id = (SELECT demographics FROM record WHERE id = ?)",
                arguments: [record]
            )
            try db.execute(sql: "UPDATE record SET demographics = NULL WHERE id = ?", arguments: [record])
        }
    }

    /// Puts an account, an app and documents into a carenet.
    func seedCarenet(_ carenet: String, account: String, app: String, documents: [String]) async throws {
        try await context.database.write { db in
            try db.execute(
                sql:
                    "INSERT OR REPLACE INTO carenetAccount (carenet, account, canWrite) VALUES (?, ?, false)",
                arguments: [carenet, account]
            )
            try db.execute(
                sql: "INSERT OR IGNORE INTO carenetApp (carenet, app) VALUES (?, ?)",
                arguments: [carenet, app]
            )
            for document in documents {
                try db.execute(
                    sql: """
                        INSERT OR REPLACE INTO carenetDocument (carenet, document, isShared)
                        SELECT ?, id, true FROM document WHERE id = ?
                        """,
                    arguments: [carenet, document]
                )
            }
        }
    }

    /// Makes a request token known that was issued elsewhere.
    func seedRequestToken(_ token: String, secret: String, app: String, record: String?) async throws {
        let pair = TokenPair(token: token, secret: secret)
        let now = context.now
        try await context.database.write { db in
            try RequestTokenRow(
                fingerprint: pair.fingerprint,
                secret: pair.concealedSecret,
                app: app,
                callback: "oob",
                record: record,
                createdAt: now
            ).insert(db)
        }
    }

    /// Makes a session of a UI server known that was begun elsewhere.
    func seedSession(_ token: String, secret: String, account: String) async throws {
        let pair = TokenPair(token: token, secret: secret)
        let end = context.now.advanced(bySeconds: 86_400)
        try await context.database.write { db in
            try SessionTokenRow(
                fingerprint: pair.fingerprint,
                secret: pair.concealedSecret,
                account: account,
                expiresAt: end
            ).insert(db)
        }
    }

    /// Lets an access token's time run out.
    func seedExpiry(ofAccessToken token: String) async throws {
        let end = context.now.advanced(bySeconds: -1)
        try await context.database.write { db in
            try db.execute(
                sql: "UPDATE accessToken SET expiresAt = ? WHERE fingerprint = ?",
                arguments: [end, Secrets.fingerprint(token)]
            )
        }
    }

    /// Approves a request token with a verifier that was made elsewhere.
    func seedApproval(ofRequestToken token: String, verifier: String, by account: String) async throws {
        try await context.database.write { db in
            guard let row = try RequestTokenRow.find(token, in: db) else { return }
            try row.record.flatMap { try RecordRow.find($0, in: db) }?.enable(row.app, in: db)
            try db.execute(
                sql: "UPDATE requestToken SET account = ?, verifier = ? WHERE fingerprint = ?",
                arguments: [account, Secrets.fingerprint(verifier), row.fingerprint]
            )
        }
    }
}
