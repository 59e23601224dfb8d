import Foundation
import GRDB

/// The calls on a record as a whole: what it is, whose it is, and which apps work on it.
enum RecordCalls {
    static let routes: [Route] = [
        // The real server has no table of methods for this one: it answers them all.
        Route("record", [], "/records/{record}", .appRecordOrFullOrAdmin, writes: false) { call in
            .xml(markup(of: try call.record))
        },
        .get("record_search", "/records/search", .admin, search),
        .post("record_create", "/records/", .admin) { call in try create(call, externalId: nil) },
        .put("record_create_ext", "/records/external/{adminApp}/{external}", .ownAdminApp) { call in
            let externalId = call["adminApp"] + "/" + call["external"]
            if let known = try RecordRow.fetchOne(
                call.db, sql: "SELECT * FROM record WHERE externalId = ?", arguments: [externalId])
            {
                return .xml(markup(of: known))
            }
            return try create(call, externalId: externalId)
        },
        .get("record_phas", "/records/{record}/apps/", .fullOrAdmin) { call in
            .manifests(try AppRow.enabled(on: call.record.id, in: call.db))
        },
        .get("record_pha", "/records/{record}/apps/{app}", .fullOrAdmin) { call in
            guard try call.record.hasApp(call.app.id, in: call.db) else { throw Refusal.notFound }
            return .json(try call.app.manifest)
        },
        .put("record_pha_enable", "/records/{record}/apps/{app}", .fullOrAdmin) { call in
            try call.record.enable(call.app.id, in: call.db)
            return .ok
        },
        .delete("pha_record_delete", "/records/{record}/apps/{app}", .fullOrAdmin) { call in
            try call.record.disable(call.app.id, in: call.db)
            return .ok
        },
        .get("record_get_owner", "/records/{record}/owner", .fullOrAdmin) { call in
            .xml("<Account id='\(try call.record.owner ?? "")' />", declaration: false)
        },
        .putOrPost("record_set_owner", "/records/{record}/owner", .admin, setOwner),
        .get("record_shares", "/records/{record}/shares/", .recordOwnerOrAdmin, shares),
        .post("record_share_add", "/records/{record}/shares/", .recordOwnerOrAdmin, addShare),
        .delete("record_share_delete", "/records/{record}/shares/{account}", .recordOwnerOrAdmin, deleteShare),
        .post("record_share_delete", "/records/{record}/shares/{account}/delete", .recordOwnerOrAdmin, deleteShare),
    ]

    static func markup(of record: RecordRow) -> Markup {
        var created: Markup = "<created at=\"\(record.createdAt.text)\""
        if let creator = record.creator { created += " by=\"\(creator)\"" }
        return """
            <Record id="\(record.id)" label="\(record.label)">\
            <demographics document_id="\(record.demographics ?? "")" />\
            \(created) /></Record>
            """
    }

    private static func search(_ call: Call) throws -> Response {
        guard let label = call.request.query["label"], !label.isEmpty else { throw Refusal.badRequest("No search criteria given") }
        let records = try RecordRow.fetchAll(
            call.db, sql: "SELECT * FROM record WHERE instr(lower(label), lower(?)) > 0 ORDER BY serial",
            arguments: [label])
        return .records(records)
    }

    private static func create(_ call: Call, externalId: String?) throws -> Response {
        let record = try call.store.createRecord(
            demographics: call.request.body, owner: nil, creator: call.principal.effective, externalId: externalId)
        return .xml(markup(of: record))
    }

    private static func setOwner(_ call: Call) throws -> Response {
        let id = String(decoding: call.request.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let account = try AccountRow.find(id, in: call.db) else { throw Refusal.badRequest("Owner must be a known account") }
        try call.db.execute(sql: "UPDATE record SET owner = ? WHERE id = ?", arguments: [account.id, try call.record.id])
        return .xml(try AccountMarkup(db: call.db).account(account))
    }

    private static func shares(_ call: Call) throws -> Response {
        let record = try call.record
        let shares = try ShareRow.fetchAll(
            call.db, sql: "SELECT * FROM share WHERE record = ? ORDER BY serial", arguments: [record.id])
        let items = shares.map { share -> Markup in
            if let account = share.account {
                "<Share id=\"\(share.id)\" account=\"\(account)\" />"
            } else {
                "<Share id=\"\(share.id)\" pha=\"\(share.app ?? "")\" />"
            }
        }
        return .xml("<Shares record=\"\(record.id)\">\(items)</Shares>")
    }

    private static func addShare(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let id = form["account_id"], !id.isEmpty else { throw Refusal.badRequest("") }
        let account = try AccountRow.find(id, in: call.db).orNotFound()
        return try call.execute(
            """
            INSERT INTO share (id, record, account, role) VALUES (?, ?, ?, ?)
            ON CONFLICT (record, account) DO UPDATE SET role = excluded.role
            """, [Secrets.id(), call.record.id, account.id, form["role_label"]])
    }

    private static func deleteShare(_ call: Call) throws -> Response {
        try call.delete("share WHERE record = ? AND account = ?", [call.record.id, call.account.id])
    }
}

extension Response {
    static func records(_ records: [RecordRow]) -> Response {
        xml("<Records>\(records.map { "<Record id=\"\($0.id)\" label=\"\($0.label)\" />" as Markup })</Records>")
    }
}
