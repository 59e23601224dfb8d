import Foundation
import OrderedJSON

/// The manifest of an app that a server knows, in JSON (calls `all_phas`, `pha`, `all_manifests`,
/// `app_manifest`, `record_phas`, `record_pha`, `carenet_apps_list`).
///
/// ```swift
/// for app in try AppManifest.readList(json: body) { print(app.name ?? app.id) }
/// ```
/// The calls with `manifest` in their names give only what SMART knows; the members after ``requirements``
/// are left out.
public struct AppManifest: Hashable, Sendable {
    /// How an app works: with a person at its pages, or on its own.
    public enum Mode: String, LexicalValue, CaseIterable {
        /// With a person at the app's pages.
        case ui
        /// On its own.
        case background
    }

    /// A kind of data that the app needs, and how it uses it.
    public struct Requirement: Hashable, Sendable {
        /// The type's URI, such as `http://smartplatforms.org/terms#Medication`.
        public var type: String
        /// The HTTP methods the app uses, such as `GET`.
        public var methods: [String]

        /// A kind of data, and the HTTP methods by which it is used.
        public init(type: String, methods: [String]) {
            self.type = type
            self.methods = methods
        }
    }

    /// The app's id, in the form of an e-mail address.
    public var id = ""
    /// What people call the app.
    public var name: String?
    /// What the app does, in its own words (`description`).
    public var details: String?
    /// Who made it.
    public var author: String?
    /// The app's own version.
    public var version: String?
    /// How the app works.
    public var mode: Mode?
    /// What the app is started for; `record` always.
    public var scope: String?
    /// The URL of the app's icon.
    public var icon: String?
    /// The URL of the app's first page, a template with `{record_id}` and `{carenet_id}`.
    public var index: String?
    /// The kinds of data that the app needs.
    public var requirements: [Requirement] = []
    /// The version of SMART that the app was made for.
    public var smartVersion: String?
    /// Whether the app has pages.
    public var hasUI: Bool?
    /// Whether the pages may stand in a frame of the server's.
    public var isFrameable: Bool?
    /// Where the server sends the person back to after authorisation.
    public var callbackURL: String?
    /// The version of Indivo that the app was made for.
    public var indivoVersion: String?
    /// Why the app works on its own; background apps only.
    public var autonomousReason: String?

    /// A manifest of nothing.
    public init() {}

    /// Reads a manifest.
    /// - Throws: ``SDMJError`` with line and column when the text is not JSON; ``DocumentError`` naming the
    ///   property and the reason when it says something else.
    public static func read(json: Data) throws -> AppManifest { try AppManifest(SDMJ.value(parsing: json)) }

    /// Reads a list of manifests.
    /// - Throws: As ``read(json:)``; also ``SDMJError`` when the JSON is not a list.
    public static func readList(json: Data) throws -> [AppManifest] {
        let value = try SDMJ.value(parsing: json)
        guard let items = value.elements else {
            throw SDMJError(at: value, in: value, "expected a list, found \(value.kindName)")
        }
        return try items.map(AppManifest.init)
    }

    private init(_ json: JSONValue) throws {
        guard json.kind == .object else { throw Self.error(json, "an object", "") }
        func value<Value: LexicalValue>(_ name: String, _ property: String? = nil) throws -> Value? {
            try json.said(name).flatMap { try Self.value($0, property ?? name) }
        }
        guard json.said("id") != nil else {
            throw DocumentError(.missingValue, document: "AppManifest", property: "id")
        }
        id = try value("id") ?? ""
        name = try value("name")
        details = try value("description", "details")
        author = try value("author")
        version = try value("version")
        mode = try value("mode")
        scope = try value("scope")
        icon = try value("icon")
        index = try value("index")
        requirements = try json.said("requires").map(Self.requirements) ?? []
        smartVersion = try value("smart_version", "smartVersion")
        hasUI = try value("has_ui", "hasUI")
        isFrameable = try value("frameable", "isFrameable")
        callbackURL = try value("oauth_callback_url", "callbackURL")
        indivoVersion = try value("indivo_version", "indivoVersion")
        autonomousReason = try value("autonomous_reason", "autonomousReason")
    }

    /// A single value; `nil` for an empty text.
    private static func value<Value: LexicalValue>(_ json: JSONValue, _ property: String) throws -> Value? {
        guard let text = json.scalarText else { throw error(json, "one value", property) }
        do throws(LexicalError) { return text.isEmpty ? nil : try Value(lexical: text) } catch {
            throw DocumentError(
                .unreadableValue(text: text, error),
                document: "AppManifest",
                property: property
            )
        }
    }

    /// Members named like the types, each an object with a list of methods.
    private static func requirements(_ json: JSONValue) throws -> [Requirement] {
        guard let members = json.members else { throw error(json, "an object", "requirements") }
        return try members.filter { !$0.value.isNull }.map { member in
            guard member.value.kind == .object else { throw error(member.value, "an object", "requirements") }
            guard let methods = member.value.said("methods") else {
                return Requirement(type: member.name, methods: [])
            }
            guard let items = methods.elements else { throw error(methods, "a list", "requirements.methods") }
            let texts: [String?] = try items.filter { !$0.isNull }.map {
                try value($0, "requirements.methods")
            }
            return Requirement(type: member.name, methods: texts.compactMap(\.self))
        }
    }

    private static func error(_ found: JSONValue, _ expected: String, _ property: String) -> DocumentError {
        DocumentError(found: found.kindName, expected: expected, document: "AppManifest", property: property)
    }
}

extension JSONValue {
    /// A member that is not null.
    fileprivate func said(_ name: String) -> JSONValue? { self[name].flatMap { $0.isNull ? nil : $0 } }
}
