import Foundation
import GRDB

extension Store {
    /// The carenets of a new record, as the real server is shipped.
    static let carenets = ["Family", "Physicians", "Work/School"]

    func createRecord(
        demographics data: Data, label: String? = nil, owner: String?, creator: Principal.Identity, externalId: String? = nil
    ) throws -> RecordRow {
        let demographics = try DemographicsContent(data)
        var record = RecordRow(
            id: server.identifiers.id(.record), label: label ?? demographics.fullName, owner: owner, createdAt: now,
            creator: creator.id.isEmpty ? nil : creator.id, externalId: externalId)
        try record.insert(db)
        for name in Store.carenets { try CarenetRow(id: server.identifiers.id(.carenet), record: record.id, name: name).insert(db) }
        record.demographics = try setDemographics(demographics, of: record, by: creator).id
        return record
    }

    /// Stores a new version of the document, and the fact that is read back.
    func setDemographics(
        _ demographics: DemographicsContent, of record: RecordRow, by creator: Principal.Identity
    ) throws -> DocumentRow {
        // A demographics document becomes a fact only here: one that is pushed like any other is just stored.
        let content = DocumentContent(stored: demographics.data, type: DocumentType.namespace + "Demographics")
        let scope = DocumentScope(record: record.id)
        let old = try record.demographics.flatMap { try find($0, in: scope) }
        let document = try old.map { try replace($0, with: content, by: creator) } ?? create(content, in: scope, by: creator)
        try FactRow.insert([demographics.fact], of: document.id, record: record.id, at: now, server.identifiers, in: db)
        try db.execute(sql: "UPDATE record SET demographics = ? WHERE id = ?", arguments: [document.id, record.id])
        return document
    }
}
