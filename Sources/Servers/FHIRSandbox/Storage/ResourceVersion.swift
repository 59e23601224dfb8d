import FHIR
import Foundation
import GRDB
import OrderedJSON
import WebServing

/// One version of a resource.
struct ResourceVersion: Sendable, FetchableRecord {
    /// The resource's row.
    var row: Int64
    var type: String
    var id: String
    var version: Int
    var at: Timestamp
    /// The method by which this version was made: POST, PUT or DELETE.
    var method: String
    /// The JSON; nil for a version that is the deletion.
    var content: Data?
    /// Whether there was nothing before it: it is the first version, or the one after a deletion.
    var isCreation: Bool
    /// Where the version stands in the history of all.
    var sequence: Int64

    init(row: Row) {
        self.row = row["id"]
        type = row["type"]
        id = row["name"]
        version = row["number"]
        at = Timestamp(rawValue: row["at"])
        method = row["method"]
        content = row["content"]
        isCreation = row["isCreation"]
        sequence = row["sequence"]
    }

    var path: String { "\(type)/\(id)" }
    var isDeleted: Bool { content == nil }
    var etag: String { "W/\"\(version)\"" }
    /// As an instant of FHIR, in milliseconds.
    var lastUpdated: String { Self.instant(at) }

    /// The resource. What is stored was written by this server.
    func json() throws -> JSONValue { try JSONValue(parsing: content ?? Data("null".utf8)) }

    static func instant(_ at: Timestamp) -> String {
        FHIRInstant(Date(timeIntervalSince1970: Double(at.rawValue / 1_000) / 1_000)).description
    }

    static let columns: SQL = """
        resource.id, resource.type, resource.name, version.number, version.at, version.method,
        version.content, version.sequence,
        NOT EXISTS (
            SELECT 1
            FROM version AS earlier
            WHERE earlier.resource = version.resource
                AND earlier.number = version.number - 1
                AND earlier.method <> 'DELETE'
        ) AS isCreation
        """
    static let tables: SQL = "resource JOIN version ON version.resource = resource.id"
}
