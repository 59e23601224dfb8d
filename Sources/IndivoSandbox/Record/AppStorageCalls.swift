import Foundation

/// The calls on what an app stores: for itself, and for itself on a record. The server does not read it.
enum AppStorageCalls {
    static let routes: [Route] =
        storage("record_app_", "/records/{record}/apps/{app}/documents/", .ownStorage, onRecord: true)
        + storage("app_", "/apps/{app}/documents/", .ownApp, onRecord: false)
        + preferences

    private static func storage(_ prefix: String, _ base: String, _ rule: AccessRule, onRecord: Bool) -> [Route] {
        func path(_ rest: String) -> PathTemplate { PathTemplate(stringLiteral: base + rest) }
        let createOrUpdate: Route.Handler = { call in
            let stored = try call.store.find(externalId: call["external"], in: call.storageScope)
            return try store(call, over: stored, externalId: call["external"])
        }
        let routes: [Route] = [
            .get(prefix + "document_list", path(""), rule, list),
            .post(prefix + "document_create", path(""), rule) { call in try call.createDocument(in: call.storageScope) },
            .get(prefix + "document_meta_ext", path("external/{external}/meta"), rule) { call in
                try call.metadata(of: call.store.find(externalId: call["external"], in: call.storageScope).orNotFound())
            },
            .get(prefix + "specific_document", path("{document}"), rule) { call in try call.content(of: call.stored) },
            .delete(prefix + "document_delete", path("{document}"), rule) { call in try call.delete(call.stored) },
            .put(prefix + "document_label", path("{document}/label"), rule) { call in try call.label(call.stored) },
            .get(prefix + "document_meta", path("{document}/meta"), rule) { call in try call.metadata(of: call.stored) },
        ]
        let external = path("external/{external}")
        if onRecord { return routes + [.putOrPost(prefix + "document_create_or_update_ext", external, rule, createOrUpdate)] }
        return routes + [
            .put(prefix + "document_create_or_update_ext", external, rule, createOrUpdate),
            // As on the real server an unknown id makes a document with another id.
            .put(prefix + "document_create_or_update", path("{document}"), rule) { call in
                try store(call, over: call.store.find(call["document"], in: call.storageScope))
            },
        ]
    }

    private static func list(_ call: Call) throws -> Response {
        let scope = try call.storageScope
        let (documents, total) = try call.listed(scope.condition, scope.arguments)
        return try call.list(documents, total: total, record: scope.record ?? "", app: call.app.id)
    }

    private static func store(_ call: Call, over old: DocumentRow?, externalId: String? = nil) throws -> Response {
        guard let old else { return try call.createDocument(in: call.storageScope, externalId: externalId) }
        return try call.storing { try call.store.overwrite(old, with: call.documentContent()) }
    }

    private static let preferences: [Route] = [
        .get("get_user_preferences", "/accounts/{account}/apps/{app}/preferences", .ownerAccount) { call in
            Response(type: "text/plain", body: try call.preferences?.content(call.db) ?? Data())
        },
        .put("set_user_preferences", "/accounts/{account}/apps/{app}/preferences", .ownerAccount) { call in
            let content = try DocumentContent(call.request.body, contentType: "text/plain")
            let document =
                if let stored = try call.preferences {
                    try call.store.overwrite(stored, with: content)
                } else {
                    try call.store.create(
                        content, in: DocumentScope(app: call.app.id, account: call.account.id),
                        externalId: call.preferencesId, by: call.principal.effective)
                }
            return try call.metadata(of: document, declaration: false)
        },
        .delete("delete_user_preferences", "/accounts/{account}/apps/{app}/preferences", .ownerAccount) { call in
            try call.preferences.map(call.delete) ?? .ok
        },
    ]
}

extension Call {
    /// The app's storage: on the record, or its own.
    fileprivate var storageScope: DocumentScope { get throws { DocumentScope(record: target.record?.id, app: try app.id) } }

    /// Preferences are a document of the app's own, as on the real server; its lists show it.
    fileprivate var preferencesId: String { get throws { "preferences of " + (try account.id) } }

    fileprivate var preferences: DocumentRow? {
        get throws { try store.find(externalId: preferencesId, in: DocumentScope(app: app.id)) }
    }

    fileprivate var stored: DocumentRow { get throws { try store.find(self["document"], in: storageScope).orNotFound() } }

    fileprivate func delete(_ document: DocumentRow) throws -> Response {
        try execute("DELETE FROM document WHERE id = ?", [document.id])
    }
}
