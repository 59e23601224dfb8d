import Foundation
import GRDB

/// Where a document is kept: in a record, in an app's storage on a record, or in an app's own.
struct DocumentScope: Sendable {
    var record: String?
    var app: String?
    /// The account whose preferences a new one holds. They lie with what else the app stores.
    var account: String?

    /// The condition that a document is stored here.
    var condition: String { "record IS ? AND app IS ?" }
    var arguments: StatementArguments { [record, app] }
}

/// Content that cannot be stored, with the server's sentence.
struct ContentError: Error {
    let sentence: String

    /// What the real server's database says of a zero byte.
    static let zeroByte = ContentError(sentence: "A string literal cannot contain NUL (0x00) characters.")
}

/// What a transaction works with: documents here, records and tokens beside.
struct Store {
    let db: Database
    let server: ServerContext
    let now: Timestamp

    func create(
        _ content: DocumentContent,
        in scope: DocumentScope,
        externalId: String? = nil,
        by creator: Principal.Identity,
        replacing old: DocumentRow? = nil
    ) throws -> DocumentRow {
        // The server reads the content of a record's own documents only: they are checked and turned into
        // facts. It does so before its database refuses an external id.
        let facts = scope.record != nil && scope.app == nil ? try content.facts(server.models) : []
        if let externalId {
            try Refusal.check("external id, with the app's id,", externalId, hasAtMost: 250)
            let known = try find(externalId: externalId, in: scope)
            try require(
                known == nil,
                .badRequest("Duplicate external id. Each document requires a unique external id")
            )
        }
        let id = server.identifiers.id(.document)
        let document = DocumentRow(
            id: id,
            record: scope.record,
            app: scope.app,
            account: scope.account,
            externalId: externalId,
            type: content.type,
            mimeType: content.mimeType,
            size: content.data.count,
            digest: content.digest,
            status: "active",
            neverShare: false,
            createdAt: now,
            creator: creator.id,
            creatorType: creator.type,
            original: old?.original ?? id,
            replaces: old?.id
        )
        try document.insert(db, content: content.data)
        if let record = scope.record {
            try FactRow.insert(facts, of: document.id, record: record, at: now, server.identifiers, in: db)
        }
        return document
    }

    /// Stores a new version. The old one is no more listed, and its facts go.
    func replace(
        _ old: DocumentRow,
        with content: DocumentContent,
        externalId: String? = nil,
        by creator: Principal.Identity
    ) throws -> DocumentRow {
        let scope = DocumentScope(record: old.record, app: old.app)
        let new = try create(content, in: scope, externalId: externalId, by: creator, replacing: old)
        try db.execute(sql: "UPDATE document SET replacedBy = ? WHERE id = ?", arguments: [new.id, old.id])
        // The real server keeps what it knows of the patient, whatever replaces the document.
        try db.execute(
            sql: "DELETE FROM fact WHERE document = ? AND model <> 'Demographics'",
            arguments: [old.id]
        )
        return new
    }

    /// Keeps id, creator and time. As on the real server, what overwrites is lost when it is not text, and
    /// reads back empty.
    func overwrite(_ document: DocumentRow, with content: DocumentContent) throws -> DocumentRow {
        let data = content.mimeType == nil ? content.data : Data()
        try db.execute(
            sql: "UPDATE document SET content = ?, type = ?, mimeType = ?, size = ?, digest = ? WHERE id = ?",
            arguments: [
                data, content.type, content.mimeType, content.data.count, content.digest, document.id,
            ]
        )
        return try find(document.id, in: DocumentScope(record: document.record, app: document.app))
            .orNotFound()
    }

    func find(_ id: String, in scope: DocumentScope) throws -> DocumentRow? {
        try DocumentRow.first("WHERE id = ? AND \(scope.condition)", [id] + scope.arguments, in: db)
    }

    func find(externalId: String, in scope: DocumentScope) throws -> DocumentRow? {
        try DocumentRow.first(
            "WHERE externalId = ? AND \(scope.condition)",
            [externalId] + scope.arguments,
            in: db
        )
    }

    func label(_ document: DocumentRow, _ label: String) throws -> DocumentRow {
        try Refusal.check("label", label, hasAtMost: 100)
        try require(!label.hasZeroByte, .serverFails(why: ContentError.zeroByte.sentence))
        try db.execute(sql: "UPDATE document SET label = ? WHERE id = ?", arguments: [label, document.id])
        var copy = document
        copy.label = label
        return copy
    }

    func setStatus(_ document: DocumentRow, _ status: String, reason: String, by principal: String) throws {
        try db.execute(sql: "UPDATE document SET status = ? WHERE id = ?", arguments: [status, document.id])
        try db.execute(
            sql: "INSERT INTO statusChange (document, status, reason, at, by) VALUES (?, ?, ?, ?, ?)",
            arguments: [document.id, status, reason, now, principal]
        )
    }

    /// The carenets of a new record, as the real server is shipped.
    static let carenets = ["Family", "Physicians", "Work/School"]

    func createRecord(
        demographics data: Data,
        label: String? = nil,
        owner: String?,
        creator: Principal.Identity,
        externalId: String? = nil
    ) throws -> RecordRow {
        let demographics = try DemographicsContent(data)
        var record = RecordRow(
            id: server.identifiers.id(.record),
            label: label ?? demographics.fullName,
            owner: owner,
            createdAt: now,
            creator: creator.id.isEmpty ? nil : creator.id,
            externalId: externalId
        )
        try record.insert(db)
        for name in Store.carenets {
            try CarenetRow(id: server.identifiers.id(.carenet), record: record.id, name: name).insert(db)
        }
        record.demographics = try setDemographics(demographics, of: record, by: creator).id
        return record
    }

    /// Stores a new version of the document, and the fact that is read back.
    func setDemographics(
        _ demographics: DemographicsContent,
        of record: RecordRow,
        by creator: Principal.Identity
    ) throws -> DocumentRow {
        // A demographics document becomes a fact only here: one that is pushed like any other is just stored.
        let content = DocumentContent(
            stored: demographics.data,
            type: DocumentType.namespace + "Demographics"
        )
        let scope = DocumentScope(record: record.id)
        let old = try record.demographics.flatMap { try find($0, in: scope) }
        // The real server replaces the document that it knows as the demographics, and no version after it.
        let replaced = "the demographics were replaced as any document is, and can be set no more"
        try require(old?.replacedBy == nil, .serverFails(why: replaced))
        let document =
            try old.map { try replace($0, with: content, by: creator) }
            ?? create(content, in: scope, by: creator)
        if let old {
            try db.execute(sql: "DELETE FROM fact WHERE document = ?", arguments: [old.id])
        }
        try FactRow.insert(
            [demographics.fact],
            of: document.id,
            record: record.id,
            at: now,
            server.identifiers,
            in: db
        )
        try db.execute(
            sql: "UPDATE record SET demographics = ? WHERE id = ?",
            arguments: [document.id, record.id]
        )
        return document
    }
}
