import GRDB

/// A health record.
struct RecordRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "record"

    var serial: Int64?
    var id: String
    var label: String
    var owner: String?
    var createdAt: Timestamp
    /// The principal that made it; nil when none is known.
    var creator: String?
    var externalId: String?
    /// The id of its demographics document.
    var demographics: String?
}

/// An account or an app with access to a whole record.
struct ShareRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "share"

    var serial: Int64?
    var id: String
    var record: String
    var account: String?
    var app: String?
    var role: String?
}

/// A group of people with whom a part of a record is shared.
struct CarenetRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "carenet"

    var serial: Int64?
    var id: String
    var record: String
    var name: String
}
