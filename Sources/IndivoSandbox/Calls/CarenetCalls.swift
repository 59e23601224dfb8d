import Foundation
import GRDB

/// The calls by which a part of a record is shared, and on what is shared.
enum CarenetCalls {
    static let routes: [Route] = [
        .get("carenet_list", "/records/{record}/carenets/", .fullOrAdmin) { call in
            .carenets(try call.record.carenets(in: call.db), record: try call.record.id)
        },
        .post("carenet_create", "/records/{record}/carenets/", .fullOrAdmin) { call in
            let carenet = CarenetRow(id: call.server.identifiers.id(.carenet), record: try call.record.id, name: try freeName(call))
            try carenet.insert(call.db)
            return .carenets([carenet], record: carenet.record)
        },
        .delete("carenet_delete", "/carenets/{carenet}", .full) { call in
            try call.execute("DELETE FROM carenet WHERE id = ?", [call.carenet.id])
        },
        .post("carenet_rename", "/carenets/{carenet}/rename", .full) { call in
            var carenet = try call.carenet
            carenet.name = try freeName(call)
            try call.db.execute(sql: "UPDATE carenet SET name = ? WHERE id = ?", arguments: [carenet.name, carenet.id])
            return .carenets([carenet], record: carenet.record)
        },
        .get("carenet_record", "/carenets/{carenet}/record", .carenetRead) { call in .xml(try call.record.markup) },
        .get("carenet_account_list", "/carenets/{carenet}/accounts/", .carenetRead, accounts),
        .post("carenet_account_create", "/carenets/{carenet}/accounts/", .full, addAccount),
        .delete("carenet_account_delete", "/carenets/{carenet}/accounts/{account}", .full) { call in
            try call.delete("carenetAccount WHERE carenet = ? AND account = ?", [call.carenet.id, call.account.id])
        },
        .get("carenet_account_permissions", "/carenets/{carenet}/accounts/{account}/permissions", .carenetPermissions) { _ in
            .xml("<Permissions><DocumentType type=\"*\" write=\"true\" /></Permissions>", declaration: false)
        },
        .get("carenet_apps_list", "/carenets/{carenet}/apps/", .carenetRead) { call in
            .manifests(
                try AppRow.all("JOIN carenetApp ON app = app.id WHERE carenet = ? ORDER BY app.id", [call.carenet.id], in: call.db))
        },
        .put("carenet_apps_create", "/carenets/{carenet}/apps/{app}", .full) { call in
            let app = try call.app
            try require(!app.isAutonomous, .badRequest("Autonomous apps may not be added to carenets"))
            try require(call.record.hasApp(app.id, in: call.db), .notFound)
            return try call.execute("INSERT OR IGNORE INTO carenetApp (carenet, app) VALUES (?, ?)", [call.carenet.id, app.id])
        },
        .delete("carenet_apps_delete", "/carenets/{carenet}/apps/{app}", .full) { call in
            try call.execute("DELETE FROM carenetApp WHERE carenet = ? AND app = ?", [call.carenet.id, call.app.id])
        },
        .get("carenet_app_permissions", "/carenets/{carenet}/apps/{app}/permissions", .no) { _ in .ok },
        .get("carenet_document_list", "/carenets/{carenet}/documents/", .carenetDocument, documents),
        .get("carenet_document", "/carenets/{carenet}/documents/{document}", .carenetDocument) { call in
            try call.content(of: call.sharedDocument)
        },
        // The real server tells the metadata of any document of the record here; this one of those that are shared,
        // unless the caller may see all of the record anyway.
        .get("carenet_document_meta", "/carenets/{carenet}/documents/{document}/meta", .carenetDocument) { call in
            try call.metadata(of: call.reachesWholeRecord ? call.document : call.sharedDocument)
        },
        .get("document_carenets", "/records/{record}/documents/{document}/carenets/", .recordDocument) { call in
            let record = try call.record.id
            let condition = "WHERE record = ? AND \(Sharing.condition("?", "carenet.id")) ORDER BY serial"
            return .carenets(try CarenetRow.all(condition, [record, call.document.id], in: call.db), record: record)
        },
        .put("carenet_document_placement", "/records/{record}/documents/{document}/carenets/{carenet}", .full) { call in
            try require(!call.document.neverShare, .notFound)
            return try place(shared: true, call)
        },
        .delete("carenet_document_delete", "/records/{record}/documents/{document}/carenets/{carenet}", .full) { call in
            try place(shared: false, call)
        },
        .post("autoshare_revert", "/records/{record}/documents/{document}/carenets/{carenet}/autoshare-revert", .full) { _ in .ok },
        .put("document_set_nevershare", "/records/{record}/documents/{document}/nevershare", .full) { call in
            try call.execute("UPDATE document SET neverShare = true WHERE id = ?", [call.document.id])
        },
        .delete("document_remove_nevershare", "/records/{record}/documents/{document}/nevershare", .full) { call in
            try call.execute("UPDATE document SET neverShare = false WHERE id = ?", [call.document.id])
        },
        .get("autoshare_list", "/records/{record}/autoshare/bytype/", .full) { call in
            let type = try call.request.query["type"].orNotFound()
            return .carenets(try autoshared(DocumentType.expand(type), call), record: try call.record.id)
        },
        .get("autoshare_list_bytype_all", "/records/{record}/autoshare/bytype/all", .full, allAutoshares),
        .post("autoshare_create", "/records/{record}/autoshare/carenets/{carenet}/bytype/set", .full) { call in
            try autoshare(call, "INSERT OR IGNORE INTO autoshare (carenet, type) VALUES (?, ?)")
        },
        .post("autoshare_delete", "/records/{record}/autoshare/carenets/{carenet}/bytype/unset", .full) { call in
            try autoshare(call, "DELETE FROM autoshare WHERE carenet = ? AND type = ?")
        },
    ]

    /// The name that a form gives to a carenet, new or not, and no other carenet of the record has.
    private static func freeName(_ call: Call) throws -> String {
        let name = try call.request.form.required("name")
        let taken = try call.record.carenets(in: call.db).contains { $0.name == name && $0.id != call.target.carenet?.id }
        try require(!taken, .badRequest("Carenet name is already taken"))
        return name
    }

    private static func accounts(_ call: Call) throws -> Response {
        let rows = try Row.fetchAll(
            call.db,
            sql: """
                SELECT account.id, account.fullName, canWrite FROM carenetAccount
                JOIN account ON account.id = carenetAccount.account WHERE carenet = ? ORDER BY account.id
                """,
            arguments: [call.carenet.id])
        guard !rows.isEmpty else { return .xml("<CarenetAccounts />") }
        let items = rows.map { row -> Markup in
            let (id, name, write): (String, String, Bool) = (row["id"], row["fullName"], row["canWrite"])
            return "<CarenetAccount id=\"\(id)\" fullName=\"\(name)\" write=\"\(write ? "true" : "false")\" />"
        }
        return .xml("<CarenetAccounts>\(items)</CarenetAccounts>")
    }

    private static func addAccount(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let id = form["account_id"], let write = form["write"] else { throw Refusal.badRequest() }
        let account = try AccountRow.find(id, in: call.db).orNotFound()
        return try call.execute(
            "INSERT OR REPLACE INTO carenetAccount (carenet, account, canWrite) VALUES (?, ?, ?)",
            [call.carenet.id, account.id, write == "true"])
    }

    private static func documents(_ call: Call) throws -> Response {
        let query = call.request.query
        let arguments = try ListArguments(query)
        try arguments.checkPage()
        // A type must be one the server knows, and then changes nothing.
        if let type = query["type"] { try require(DocumentType.isKnown(type, in: call.db), .notFound) }
        let (record, carenet) = (try call.record.id, try call.carenet.id)
        let condition = """
            record = ? AND app IS NULL AND replacedBy IS NULL AND status = 'active' AND \(Sharing.condition("document.id", "?"))
            """
        let all = try DocumentRow.all("WHERE \(condition) ORDER BY createdAt DESC, serial DESC", [record, carenet], in: call.db)
        let page = Array(all.dropFirst(arguments.offset).prefix(arguments.limit))
        return try call.list(page, total: all.count, record: record)
    }

    private static func place(shared: Bool, _ call: Call) throws -> Response {
        try call.execute(
            "INSERT OR REPLACE INTO carenetDocument (carenet, document, isShared) VALUES (?, ?, ?)",
            [call.carenet.id, call.document.id, shared])
    }

    /// The carenets of the record in which documents of a type are shared.
    private static func autoshared(_ type: String, _ call: Call) throws -> [CarenetRow] {
        let rest = "JOIN autoshare ON carenet = carenet.id WHERE record = ? AND type = ? ORDER BY serial"
        return try CarenetRow.all(rest, [call.record.id, type], in: call.db)
    }

    private static func allAutoshares(_ call: Call) throws -> Response {
        let types = try String.fetchAll(
            call.db,
            sql: "SELECT DISTINCT type FROM autoshare JOIN carenet ON carenet.id = carenet WHERE record = ? ORDER BY type",
            arguments: [call.record.id])
        let items = try types.map { type -> Markup in
            "<DocumentSchema type=\"\(type)\">\(try autoshared(type, call).map(\.markup))</DocumentSchema>"
        }
        return .xml("<DocumentSchemas>\(items)</DocumentSchemas>")
    }

    private static func autoshare(_ call: Call, _ statement: String) throws -> Response {
        guard let type = call.request.form["type"] else { return .ok }
        return try call.execute(statement, [call.carenet.id, DocumentType.expand(type)])
    }
}

/// What is shared in a carenet: what was placed there, and what is shared by its type unless it was taken out; never
/// what is marked so.
enum Sharing {
    /// The condition that a carenet shows a document, by the SQL expressions of their ids.
    static func condition(_ document: String, _ carenet: String) -> String {
        """
        EXISTS (SELECT 1 FROM document AS shown JOIN carenet AS net ON net.id = \(carenet)
            LEFT JOIN carenetDocument AS placed ON placed.carenet = net.id AND placed.document = shown.id
            LEFT JOIN autoshare ON autoshare.carenet = net.id AND autoshare.type = shown.type
            WHERE shown.id = \(document) AND ifnull(placed.isShared, autoshare.type IS NOT NULL) AND NOT shown.neverShare)
        """
    }
}

extension CarenetRow {
    fileprivate var markup: Markup { "<Carenet id=\"\(id)\" name=\"\(name)\" mode=\"explicit\" />" }
}

extension Response {
    static func carenets(_ carenets: [CarenetRow], record: String) -> Response {
        xml(carenets.isEmpty ? "<Carenets />" : "<Carenets record_id=\"\(record)\">\(carenets.map(\.markup))</Carenets>")
    }
}

extension Call {
    /// The document that the URL names, if it is shared in the carenet.
    fileprivate var sharedDocument: DocumentRow {
        get throws {
            try DocumentRow.first(
                "WHERE id = ? AND record = ? AND app IS NULL AND \(Sharing.condition("document.id", "?"))",
                [self["document"], try record.id, try carenet.id], in: db
            ).orNotFound()
        }
    }
}
