import Foundation
import GRDB

/// The calls on a record as a whole: what it is, whose it is, and which apps work on it.
enum RecordCalls {
    static let routes: [Route] = [
        // The real server has no table of methods for this one: it answers them all.
        Route(name: "record", methods: [], path: "/records/{record}", rule: .appRecordOrFullOrAdmin, writes: false) { call in
            .xml(try call.record.markup)
        },
        .get("record_search", "/records/search", .admin, search),
        .post("record_create", "/records/", .admin) { call in try create(call, externalId: nil) },
        .put("record_create_ext", "/records/external/{adminApp}/{external}", .ownAdminApp) { call in
            let externalId = call["adminApp"] + "/" + call["external"]
            let known = try RecordRow.first("WHERE externalId = ?", [externalId], in: call.db)
            return try known.map { Response.xml($0.markup) } ?? create(call, externalId: externalId)
        },
        .get("record_phas", "/records/{record}/apps/", .fullOrAdmin) { call in
            .manifests(try AppRow.enabled(on: call.record.id, in: call.db))
        },
        .get("record_pha", "/records/{record}/apps/{app}", .fullOrAdmin) { call in
            try require(call.record.hasApp(call.app.id, in: call.db), .notFound)
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

    private static func search(_ call: Call) throws -> Response {
        let label = try call.request.query.required("label", "No search criteria given")
        return .records(try RecordRow.all("WHERE instr(lower(label), lower(?)) > 0 ORDER BY serial", [label], in: call.db))
    }

    private static func create(_ call: Call, externalId: String?) throws -> Response {
        let record = try call.store.createRecord(
            demographics: call.request.body, owner: nil, creator: call.principal.effective, externalId: externalId)
        return .xml(record.markup)
    }

    private static func setOwner(_ call: Call) throws -> Response {
        let id = String(decoding: call.request.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let account = try AccountRow.find(id, in: call.db).orThrow(.badRequest("Owner must be a known account"))
        try call.db.execute(sql: "UPDATE record SET owner = ? WHERE id = ?", arguments: [account.id, try call.record.id])
        return .xml(account.markup())
    }

    private static func shares(_ call: Call) throws -> Response {
        let record = try call.record.id
        let items = try ShareRow.all("WHERE record = ? ORDER BY serial", [record], in: call.db).map { share -> Markup in
            let (kind, name): (Markup, String) = share.account.map { ("account", $0) } ?? ("pha", share.app ?? "")
            return "<Share id=\"\(share.id)\" \(kind)=\"\(name)\" />"
        }
        return .xml("<Shares record=\"\(record)\">\(items)</Shares>")
    }

    private static func addShare(_ call: Call) throws -> Response {
        let form = call.request.form
        let account = try AccountRow.find(form.required("account_id"), in: call.db).orNotFound()
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

extension RecordRow {
    var markup: Markup {
        let by: Markup? = creator.map { " by=\"\($0)\"" }
        return """
            <Record id="\(id)" label="\(label)"><demographics document_id="\(demographics ?? "")" />\
            <created at="\(createdAt.text)"\(by) /></Record>
            """
    }
}

extension Response {
    static func records(_ records: [RecordRow]) -> Response {
        xml("<Records>\(records.map { "<Record id=\"\($0.id)\" label=\"\($0.label)\" />" as Markup })</Records>")
    }
}
