import Foundation
import GRDB

/// The calls on a record as a whole: what it is, whose it is, and which apps work on it.
enum RecordCalls {
    static let routes: [Route] = Route.below(
        "/records/",
        [
            // The real server has no table of methods for this one: it answers them all.
            Route([], "record", "{record}", .appRecordOrFullOrAdmin, writes: false) {
                .xml(try $0.record.markup)
            },
            .get("record_search", "search", .admin) { call in
                let label = try call.request.query.required("label", "No search criteria given")
                return .records(
                    try RecordRow.all(
                        "WHERE instr(lower(label), lower(?)) > 0 ORDER BY serial",
                        [label],
                        in: call.db
                    )
                )
            },
            .post("record_create", "", .admin) { try create($0) },
            .put("record_create_ext", "external/{adminApp}/{external}", .ownAdminApp) { call in
                let externalId = call["adminApp"] + "/" + call["external"]
                let known = try RecordRow.first("WHERE externalId = ?", [externalId], in: call.db)
                return try known.map { Response.xml($0.markup) } ?? create(call, externalId: externalId)
            },
            .get("record_phas", "{record}/apps/", .fullOrAdmin) {
                .manifests(try AppRow.enabled(on: $0.record.id, in: $0.db))
            },
            .get("record_pha", "{record}/apps/{app}", .fullOrAdmin) { call in
                try require(call.record.hasApp(call.app.id, in: call.db), .notFound)
                return .json(try call.app.manifest)
            },
            .put("record_pha_enable", "{record}/apps/{app}", .fullOrAdmin) { call in
                try call.record.enable(call.app.id, in: call.db)
                return .ok
            },
            .delete("pha_record_delete", "{record}/apps/{app}", .fullOrAdmin) { call in
                try call.record.disable(call.app.id, in: call.db)
                return .ok
            },
            .get("record_get_owner", "{record}/owner", .fullOrAdmin) {
                .xml("<Account id='\(try $0.record.owner ?? "")' />", declaration: false)
            },
            Route(["PUT", "POST"], "record_set_owner", "{record}/owner", .admin) { call in
                let id = String(decoding: call.request.body, as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines
                )
                let account = try AccountRow.find(id, in: call.db).orThrow(
                    .badRequest("Owner must be a known account")
                )
                _ = try call.execute(
                    "UPDATE record SET owner = ? WHERE id = ?",
                    [account.id, call.record.id]
                )
                // The real server knows the owner by its id alone here.
                return .xml(
                    """
                    <Account id="\(account.id)"><fullName></fullName><contactEmail></contactEmail>\
                    <lastLoginAt></lastLoginAt><totalLoginCount></totalLoginCount>\
                    <failedLoginCount></failedLoginCount><state></state>\
                    <lastStateChange></lastStateChange></Account>
                    """
                )
            },
            .get("record_shares", "{record}/shares/", .recordOwnerOrAdmin) { call in
                let record = try call.record.id
                let items = try ShareRow.all("WHERE record = ? ORDER BY serial", [record], in: call.db).map {
                    share -> Markup in
                    let (kind, name): (Markup, String) =
                        share.account.map { ("account", $0) } ?? ("pha", share.app ?? "")
                    return "<Share id=\"\(share.id)\" \(kind)=\"\(name)\" />"
                }
                return .xml("<Shares record=\"\(record)\">\(items)</Shares>")
            },
            .post("record_share_add", "{record}/shares/", .recordOwnerOrAdmin) { call in
                let form = call.request.form
                let account = try AccountRow.find(form.required("account_id"), in: call.db).orNotFound()
                return try call.execute(
                    """
                    INSERT INTO share (id, record, account, role) VALUES (?, ?, ?, ?)
                    ON CONFLICT (record, account) DO UPDATE SET role = excluded.role
                    """,
                    [Secrets.id(), call.record.id, account.id, form["role_label"]]
                )
            },
            .delete("record_share_delete", "{record}/shares/{account}", .recordOwnerOrAdmin, deleteShare),
            .post(
                "record_share_delete",
                "{record}/shares/{account}/delete",
                .recordOwnerOrAdmin,
                deleteShare
            ),
        ]
    )

    private static func create(_ call: Call, externalId: String? = nil) throws -> Response {
        let record = try call.store.createRecord(
            demographics: call.request.body,
            owner: nil,
            creator: call.principal.effective,
            externalId: externalId
        )
        return .xml(record.markup)
    }

    private static func deleteShare(_ call: Call) throws -> Response {
        try call.delete("share WHERE record = ? AND account = ?", [call.record.id, call.account.id])
    }
}

extension Response {
    static func records(_ records: [RecordRow]) -> Response {
        let markup = records.map { "<Record id=\"\($0.id)\" label=\"\($0.label)\" />" as Markup }
        return xml("<Records>\(markup)</Records>")
    }
}
