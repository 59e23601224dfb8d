import Foundation
import GRDB

enum CarenetCalls {
    static let routes: [Route] =
        Route.below(
            "/carenets/{carenet}",
            [
                .delete("carenet_delete", "", .full) {
                    try $0.execute("DELETE FROM carenet WHERE id = ?", [$0.carenet.id])
                },
                .post("carenet_rename", "/rename", .full) { call in
                    var carenet = try call.carenet
                    carenet.name = try freeName(call)
                    try carenet.update(call.db)
                    return .carenets([carenet], record: carenet.record)
                },
                .get("carenet_record", "/record", .carenetRead) { .xml(try $0.record.markup) },
                .get("carenet_account_list", "/accounts/", .carenetRead) { call in
                    let sql = """
                        SELECT account.id, account.fullName, canWrite
                        FROM carenetAccount
                        JOIN account ON account.id = carenetAccount.account
                        WHERE carenet = ?
                        ORDER BY account.id
                        """
                    let rows = try Row.fetchAll(call.db, sql: sql, arguments: [call.carenet.id])
                    guard !rows.isEmpty else { return .xml("<CarenetAccounts />") }
                    let items = rows.map { row -> Markup in
                        let id: String = row["id"]
                        let name: String = row["fullName"]
                        let write: Bool = row["canWrite"]
                        return
                            """
                            <CarenetAccount id="\(id)" fullName="\(name)" \
                            write="\(write ? "true" : "false")" />
                            """
                    }
                    return .xml("<CarenetAccounts>\(items)</CarenetAccounts>")
                },
                .post("carenet_account_create", "/accounts/", .full) { call in
                    let form = call.request.form
                    guard let id = form["account_id"], let write = form["write"] else {
                        throw Refusal.badRequest()
                    }
                    let account = try AccountRow.find(id, in: call.db).orNotFound()
                    return try call.execute(
                        "INSERT OR REPLACE INTO carenetAccount (carenet, account, canWrite) VALUES (?, ?, ?)",
                        [call.carenet.id, account.id, write == "true"]
                    )
                },
                .delete("carenet_account_delete", "/accounts/{account}", .full) {
                    try $0.delete(
                        "carenetAccount WHERE carenet = ? AND account = ?",
                        [$0.carenet.id, $0.account.id]
                    )
                },
                .get("carenet_account_permissions", "/accounts/{account}/permissions", .carenetPermissions) {
                    _ in
                    .xml(
                        "<Permissions><DocumentType type=\"*\" write=\"true\" /></Permissions>",
                        declaration: false
                    )
                },
                .get("carenet_apps_list", "/apps/", .carenetRead) { call in
                    let own = "JOIN carenetApp ON app = app.id WHERE carenet = ? ORDER BY app.id"
                    return .manifests(try AppRow.all(own, [call.carenet.id], in: call.db))
                },
                .put("carenet_apps_create", "/apps/{app}", .full) { call in
                    let app = try call.app
                    try require(
                        !app.isAutonomous,
                        .badRequest("Autonomous apps may not be added to carenets")
                    )
                    try require(call.record.hasApp(app.id, in: call.db), .notFound)
                    return try call.execute(
                        "INSERT OR IGNORE INTO carenetApp (carenet, app) VALUES (?, ?)",
                        [call.carenet.id, app.id]
                    )
                },
                .delete("carenet_apps_delete", "/apps/{app}", .full) {
                    try $0.execute(
                        "DELETE FROM carenetApp WHERE carenet = ? AND app = ?",
                        [$0.carenet.id, $0.app.id]
                    )
                },
                .get("carenet_app_permissions", "/apps/{app}/permissions", .no) { _ in .ok },
                .get("carenet_document_list", "/documents/", .carenetDocument) { call in
                    let query = call.request.query
                    let arguments = try ListArguments(query)
                    try arguments.checkPage()
                    // A type must be one the server knows, in full, and then changes nothing.
                    if let type = query["type"], !type.isEmpty {
                        try require(DocumentType.isKnown(type, in: call.db), .notFound)
                    }
                    let record = try call.record.id
                    let carenet = try call.carenet.id
                    // A shared document stays in the list, whatever its status, and even when it was
                    // replaced. So does a document that an app stores on the record, if its type is shared;
                    // but its content cannot be read there.
                    let condition = "record = ? AND \(CarenetRow.shows("document.id", in: "?"))"
                    let all = try DocumentRow.all(
                        "WHERE \(condition) ORDER BY createdAt DESC, serial DESC",
                        [record, carenet],
                        in: call.db
                    )
                    let page = Array(all.dropFirst(arguments.offset).prefix(arguments.pageLength))
                    return try call.list(page, total: all.count, record: record)
                },
                .get("carenet_document", "/documents/{document}", .carenetDocument) {
                    try $0.content(of: $0.sharedDocument)
                },
                // The real server returns the metadata of any document here; this one only for shared
                // documents, or those that the caller may see anyway.
                .get("carenet_document_meta", "/documents/{document}/meta", .carenetDocument) {
                    try $0.metadata(of: $0.reachesWholeRecord ? $0.document : $0.sharedDocument)
                },
            ]
        )
        + Route.below(
            "/records/{record}",
            [
                .get("carenet_list", "/carenets/", .fullOrAdmin) {
                    .carenets(try $0.record.carenets(in: $0.db), record: try $0.record.id)
                },
                .post("carenet_create", "/carenets/", .fullOrAdmin) { call in
                    let carenet = CarenetRow(
                        id: call.server.identifiers.id(.carenet),
                        record: try call.record.id,
                        name: try freeName(call)
                    )
                    try carenet.insert(call.db)
                    return .carenets([carenet], record: carenet.record)
                },
                .get("document_carenets", "/documents/{document}/carenets/", .recordDocument) { call in
                    let record = try call.record.id
                    let condition =
                        "WHERE record = ? AND \(CarenetRow.shows("?", in: "carenet.id")) ORDER BY serial"
                    return .carenets(
                        try CarenetRow.all(condition, [record, call.document.id], in: call.db),
                        record: record
                    )
                },
                .put("carenet_document_placement", "/documents/{document}/carenets/{carenet}", .full) {
                    call in
                    try require(!call.document.neverShare, .notFound)
                    return try place(shared: true, call)
                },
                .delete("carenet_document_delete", "/documents/{document}/carenets/{carenet}", .full) {
                    try place(shared: false, $0)
                },
                .post("autoshare_revert", "/documents/{document}/carenets/{carenet}/autoshare-revert", .full)
                { _ in .ok },
                .put("document_set_nevershare", "/documents/{document}/nevershare", .full) {
                    try $0.execute("UPDATE document SET neverShare = true WHERE id = ?", [$0.document.id])
                },
                .delete("document_remove_nevershare", "/documents/{document}/nevershare", .full) {
                    try $0.execute("UPDATE document SET neverShare = false WHERE id = ?", [$0.document.id])
                },
                .get("autoshare_list", "/autoshare/bytype/", .full) { call in
                    let type = try call.request.query["type"].orNotFound()
                    return .carenets(
                        try autoshared(DocumentType.expand(type), call),
                        record: try call.record.id
                    )
                },
                .get("autoshare_list_bytype_all", "/autoshare/bytype/all", .full) { call in
                    let sql =
                        """
                        SELECT DISTINCT type
                        FROM autoshare
                        JOIN carenet ON carenet.id = carenet
                        WHERE record = ?
                        ORDER BY type
                        """
                    let types = try String.fetchAll(call.db, sql: sql, arguments: [call.record.id])
                    let items = try types.map { type -> Markup in
                        """
                        <DocumentSchema type="\(type)">\(try autoshared(type, call).map(\.markup))\
                        </DocumentSchema>
                        """
                    }
                    return .xml("<DocumentSchemas>\(items)</DocumentSchemas>")
                },
                .post("autoshare_create", "/autoshare/carenets/{carenet}/bytype/set", .full) {
                    try autoshare($0, "INSERT INTO autoshare (carenet, type) VALUES (?, ?)", isNew: true)
                },
                .post("autoshare_delete", "/autoshare/carenets/{carenet}/bytype/unset", .full) {
                    try autoshare($0, "DELETE FROM autoshare WHERE carenet = ? AND type = ?")
                },
            ]
        )

    /// The name that a form gives to a carenet, after a check that no other carenet of the record has it.
    private static func freeName(_ call: Call) throws -> String {
        let name = try call.request.form.required("name")
        let taken = try call.record.carenets(in: call.db).contains {
            $0.name == name && $0.id != call.target.carenet?.id
        }
        try require(!taken, .badRequest("Carenet name is already taken"))
        return name
    }

    private static func place(shared: Bool, _ call: Call) throws -> Response {
        try call.execute(
            "INSERT OR REPLACE INTO carenetDocument (carenet, document, isShared) VALUES (?, ?, ?)",
            [call.carenet.id, call.document.id, shared]
        )
    }

    /// The carenets of the record in which documents of a type are shared.
    private static func autoshared(_ type: String, _ call: Call) throws -> [CarenetRow] {
        let rest = "JOIN autoshare ON carenet = carenet.id WHERE record = ? AND type = ? ORDER BY serial"
        return try CarenetRow.all(rest, [call.record.id, type], in: call.db)
    }

    private static func autoshare(_ call: Call, _ statement: String, isNew: Bool = false) throws -> Response {
        guard let given = call.request.form["type"] else { return .ok }
        let type = DocumentType.expand(given)
        let carenet = try call.carenet.id
        let isThere = try call.db.exists("autoshare WHERE carenet = ? AND type = ?", [carenet, type])
        try require(!isNew || !isThere, .serverFails(why: "the carenet shares \(type) already"))
        return try call.execute(statement, [carenet, type])
    }
}

extension Response {
    static func carenets(_ carenets: [CarenetRow], record: String) -> Response {
        xml(
            carenets.isEmpty
                ? "<Carenets />" : "<Carenets record_id=\"\(record)\">\(carenets.map(\.markup))</Carenets>"
        )
    }
}

extension Call {
    /// The document that the URL names, if it is shared in the carenet.
    fileprivate var sharedDocument: DocumentRow {
        get throws {
            try DocumentRow.first(
                "WHERE id = ? AND record = ? AND app IS NULL AND \(CarenetRow.shows("document.id", in: "?"))",
                [self["document"], try record.id, try carenet.id],
                in: db
            ).orNotFound()
        }
    }
}
