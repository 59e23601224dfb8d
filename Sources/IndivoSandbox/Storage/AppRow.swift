import GRDB

/// A user app (Indivo's PHA).
struct AppRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "app"

    /// The id, in the form of an e-mail address.
    var id: String
    var internalId: String
    var name: String
    var consumerKey: String
    var consumerSecret: String
    /// `ui`, or `background` for an autonomous app.
    var mode: String
    /// Where the app starts, with `{record_id}` and `{carenet_id}` to be filled in.
    var startURL: String
    var callbackURL: String
    /// The manifest as JSON.
    var manifest: String

    var isAutonomous: Bool { mode == "background" }
}

/// An admin app, or a UI server's app ("chrome"), which may act for whoever is logged in.
struct MachineAppRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "machineApp"

    var id: String
    var name: String
    var consumerKey: String
    var consumerSecret: String
    var isChrome: Bool
}
