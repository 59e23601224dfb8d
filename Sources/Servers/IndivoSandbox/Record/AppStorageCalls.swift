import Foundation

/// The calls on what an app stores: for itself, and for itself on a record. The server does not read it.
enum AppStorageCalls {
    static let routes: [Route] =
        Route.below(
            "/records/{record}/apps/{app}/documents/",
            storage("record_app_", .ownStorage, updateMethods: ["PUT", "POST"])
        )
        + Route.below(
            "/apps/{app}/documents/",
            storage("app_", .ownApp, updateMethods: ["PUT"]) + [
                // As on the real server an unknown id makes a document with another id.
                .put("app_document_create_or_update", "{document}", .ownApp) { call in
                    try store(call, over: call.store.find(call["document"], in: call.storageScope))
                }
            ]
        ) + preferences

    private static func storage(_ prefix: String, _ rule: AccessRule, updateMethods: [String]) -> [Route] {
        [
            .get(prefix + "document_list", "", rule, list),
            .post(prefix + "document_create", "", rule) { try $0.createDocument(in: $0.storageScope) },
            Route(updateMethods, prefix + "document_create_or_update_ext", "external/{external}", rule) {
                call in
                let stored = try call.store.find(externalId: call["external"], in: call.storageScope)
                return try store(call, over: stored, externalId: call["external"])
            },
            .get(prefix + "document_meta_ext", "external/{external}/meta", rule) { call in
                try call.metadata(
                    of: call.store.find(externalId: call["external"], in: call.storageScope).orNotFound()
                )
            },
            .get(prefix + "specific_document", "{document}", rule) { try $0.content(of: $0.stored) },
            .delete(prefix + "document_delete", "{document}", rule) { try $0.delete($0.stored) },
            .put(prefix + "document_label", "{document}/label", rule) { try $0.label($0.stored) },
            .get(prefix + "document_meta", "{document}/meta", rule) { try $0.metadata(of: $0.stored) },
        ]
    }

    private static func list(_ call: Call) throws -> Response {
        let scope = try call.storageScope
        let (documents, total) = try call.listed(scope.condition, scope.arguments)
        return try call.list(documents, total: total, record: scope.record ?? "", app: call.app.id)
    }

    private static func store(_ call: Call, over old: DocumentRow?, externalId: String? = nil) throws
        -> Response
    {
        guard let old else { return try call.createDocument(in: call.storageScope, externalId: externalId) }
        return try call.storing { try call.store.overwrite(old, with: call.documentContent()) }
    }

    private static let preferences = Route.below(
        "/accounts/{account}/apps/{app}/preferences",
        [
            .get("get_user_preferences", "", .ownerAccount) { call in
                Response(type: "text/plain", body: try call.preferences?.content(call.db) ?? Data())
            },
            .put("set_user_preferences", "", .ownerAccount) { call in
                let scope = DocumentScope(app: try call.app.id, account: try call.account.id)
                return try call.storing {
                    let content = try call.documentContent()
                    return try call.preferences.map { try call.store.overwrite($0, with: content) }
                        ?? call.store.create(
                            content,
                            in: scope,
                            externalId: call.preferencesId,
                            by: call.principal.effective
                        )
                }
            },
            .delete("delete_user_preferences", "", .ownerAccount) { call in
                try call.preferences.map(call.delete) ?? .ok
            },
        ]
    )
}

extension Call {
    /// The app's storage: on the record, or its own.
    fileprivate var storageScope: DocumentScope {
        get throws { DocumentScope(record: target.record?.id, app: try app.id) }
    }

    /// Preferences are a document of the app's own, as on the real server; its lists show it.
    fileprivate var preferencesId: String { get throws { "preferences of " + (try account.id) } }

    fileprivate var preferences: DocumentRow? {
        get throws { try store.find(externalId: preferencesId, in: DocumentScope(app: app.id)) }
    }

    fileprivate var stored: DocumentRow {
        get throws { try store.find(self["document"], in: storageScope).orNotFound() }
    }

    fileprivate func delete(_ document: DocumentRow) throws -> Response {
        try execute("DELETE FROM document WHERE id = ?", [document.id])
    }
}
