import Foundation
import GRDB
import OrderedJSON

/// The calls that anybody may make: what the server is, and which apps it knows.
enum PublicCalls {
    static let routes: [Route] = [
        .get("get_version", "/version", .anyone) { _ in Response(type: "text/plain", text: "2.0.0") },
        .get("all_phas", "/apps/", .anyone) { call in .manifests(try AppRow.all(in: call.db)) },
        .get("all_manifests", "/apps/manifests/", .anyone) { call in
            .json(
                JSONValue(try AppRow.all(in: call.db).map { try AppManifest.smart($0.manifest) }).serverText
            )
        },
        .get("pha", "/apps/{app}", .anyone) { call in .json(try call.app.manifest) },
        .delete("pha_delete", "/apps/{app}", .ownApp) { call in
            try call.execute("DELETE FROM app WHERE id = ?", [call.app.id])
        },
        .get("app_manifest", "/apps/{app}/manifest", .anyone) {
            .json(try AppManifest.smart($0.app.manifest).serverText)
        },
        .get("smart_capabilities", "/capabilities/", .anyone) { _ in .json(capabilities.serverText) },
        // The real server fetches it from a host that is gone, and fails.
        .get("smart_ontology", "/ontology", .anyone) { _ in .internalError },
        .get("coding_systems_list", "/codes/systems/", .anyone) { _ in .internalError },
        // No coding system is installed.
        .get("coding_system_query", "/codes/systems/{system}/query", .anyone) { _ in throw Refusal.notFound },
    ]

    private static let capabilities: JSONValue = {
        let readable = [
            "Allergy", "AppManifest", "Capabilities", "Demographics", "Encounter", "Fulfillment",
            "Immunization",
            "LabResult", "Medication", "Ontology", "Problem", "User", "VitalSigns",
        ]
        let methods =
            readable.map { ($0, ["GET"]) } + [
                ("Alert", ["POST"]), ("UserPreferences", ["DELETE", "GET", "PUT"]),
            ]
        return JSONValue(
            members: methods.sorted { $0.0 < $1.0 }.map { name, methods in
                JSONMember(
                    name: RDFGraph.smart + name,
                    value: ["methods": JSONValue(methods.map { JSONValue($0) })]
                )
            }
        )
    }()
}

enum AppManifest {
    /// The part of a manifest that SMART defines.
    private static let smartKeys: Set = [
        "name", "description", "author", "id", "version", "mode", "scope", "icon", "index", "requires",
        "smart_version",
    ]

    static func smart(_ manifest: String) throws -> JSONValue {
        JSONValue(
            members: (try JSONValue(parsing: manifest).members ?? []).filter { smartKeys.contains($0.name) }
        )
    }

    static func make(for app: SandboxApp) -> JSONValue {
        [
            "description": JSONValue(app.description), "frameable": true, "id": JSONValue(app.id), "icon": "",
            "index": JSONValue(app.startURL), "name": JSONValue(app.name), "author": "",
            "smart_version": "0.4", "version": "1.0.0",
            "mode": app.isAutonomous ? "background" : "ui", "scope": "record", "indivo_version": "2.0.0",
            "has_ui": JSONValue(!app.isAutonomous), "requires": [:],
            "oauth_callback_url": JSONValue(app.callbackURL),
        ]
    }
}
