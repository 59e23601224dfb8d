/// The manifest of an app that a server knows, in JSON (calls `all_phas`, `pha`, `all_manifests`,
/// `app_manifest`, `record_phas`, `record_pha`, `carenet_apps_list`).
///
/// ```swift
/// for app in try AppManifest.readList(json: body) { print(app.name ?? app.id) }
/// ```
/// The calls with `manifest` in their names give only what SMART knows; the members after ``requirements`` are left
/// out.
public struct AppManifest: CompoundValue {
    /// How an app works: with a person at its pages, or on its own.
    public enum Mode: String, LexicalValue, CaseIterable {
        /// With a person at the app's pages.
        case ui
        /// On its own.
        case background
    }

    /// A kind of data that the app needs, and how it uses it.
    public struct Requirement: CompoundValue {
        /// The type's URI, such as `http://smartplatforms.org/terms#Medication`.
        @Field(in: .key) public var type: String
        /// The HTTP methods the app uses, such as `GET`.
        @Field public var methods: [String]

        public init() {}

        /// A kind of data, and the HTTP methods by which it is used.
        public init(type: String, methods: [String]) {
            self.type = type
            self.methods = methods
        }
    }

    /// The app's id, in the form of an e-mail address.
    @Field public var id: String
    /// What people call the app.
    @Field public var name: String?
    /// What the app does, in its own words (`description`).
    @Field("description") public var details: String?
    /// Who made it.
    @Field public var author: String?
    /// The app's own version.
    @Field public var version: String?
    /// How the app works.
    @Field public var mode: Mode?
    /// What the app is started for; `record` always.
    @Field public var scope: String?
    /// The URL of the app's icon.
    @Field public var icon: String?
    /// The URL of the app's first page, a template with `{record_id}` and `{carenet_id}`.
    @Field public var index: String?
    /// The kinds of data that the app needs.
    @Field("requires") public var requirements: [Requirement]
    /// The version of SMART that the app was made for.
    @Field("smart_version") public var smartVersion: String?
    /// Whether the app has pages.
    @Field("has_ui") public var hasUI: Bool?
    /// Whether the pages may stand in a frame of the server's.
    @Field("frameable") public var isFrameable: Bool?
    /// Where the server sends the person back to after authorisation.
    @Field("oauth_callback_url") public var callbackURL: String?
    /// The version of Indivo that the app was made for.
    @Field("indivo_version") public var indivoVersion: String?
    /// Why the app works on its own; background apps only.
    @Field("autonomous_reason") public var autonomousReason: String?

    public init() {}
}
