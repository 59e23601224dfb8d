import GRDB

/// A change of a document's status.
struct StatusChangeRow: Codable, Sendable, FetchableRecord {
    var status: String
    var reason: String
    var at: Timestamp
    var by: String
}
