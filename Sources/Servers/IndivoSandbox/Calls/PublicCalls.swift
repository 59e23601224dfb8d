import GRDB
import OrderedJSON

/// The calls that anybody may make: what the server is, and which apps it knows.
enum PublicCalls {
    static let routes: [Route] = [
        .get("get_version", "/version", .anyone) { _ in Response(type: "text/plain", text: "2.0.0") },
        .get("all_phas", "/apps/", .anyone) { call in .manifests(try AppRow.all(in: call.db)) },
        .get("all_manifests", "/apps/manifests/", .anyone) { call in
            .json(
                JSONValue(try AppRow.all(in: call.db).map { try SandboxManifest.smart($0.manifest) })
                    .serverText
            )
        },
        .get("pha", "/apps/{app}", .anyone) { call in .json(try call.app.manifest) },
        .delete("pha_delete", "/apps/{app}", .ownApp) { call in
            try call.execute("DELETE FROM app WHERE id = ?", [call.app.id])
        },
        .get("app_manifest", "/apps/{app}/manifest", .anyone) {
            .json(try SandboxManifest.smart($0.app.manifest).serverText)
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

enum SandboxManifest {
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

    /// A manifest as the real server tells it once the app is registered: with its own values for what the
    /// app left out, and without what it does not know, such as the credentials that a file may have beside.
    static func registered(_ manifest: JSONValue) -> JSONValue {
        let isShown = JSONValue(manifest["index"] != nil)
        let isAutonomous = manifest["mode"]?.string == "background"
        let ofSMART: JSONValue = manifest["smart_version"]?.string == "0.4" ? "2.0.0" : .null
        let version = manifest["indivo_version"] ?? ofSMART
        let texts = ["name", "description", "author", "id", "version", "icon", "index", "oauth_callback_url"]
        var members = texts.map { JSONMember(name: $0, value: manifest[$0] ?? "") }
        members += [
            JSONMember(name: "mode", value: isAutonomous ? "background" : "ui"),
            JSONMember(name: "scope", value: "record"),
            JSONMember(name: "requires", value: manifest["requires"] ?? [:]),
            JSONMember(name: "has_ui", value: manifest["has_ui"] ?? isShown),
            JSONMember(name: "frameable", value: manifest["frameable"] ?? isShown),
            JSONMember(name: "indivo_version", value: version),
        ]
        if version.string == "2.0.0" { members.append(JSONMember(name: "smart_version", value: "0.4")) }
        if isAutonomous {
            let reason = manifest["autonomous_reason"] ?? ""
            members.append(JSONMember(name: "autonomous_reason", value: reason))
        }
        return JSONValue(members: members)
    }
}
