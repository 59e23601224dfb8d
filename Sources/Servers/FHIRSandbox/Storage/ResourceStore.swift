import FHIR
import Foundation
import GRDB
import Logging
import OrderedJSON
import WebServing

/// Reads and writes versions of resources, and the index by which they are found, in one transaction of the
/// database.
struct ResourceStore {
    let db: Database
    let catalog: SearchCatalog
    let now: Timestamp
    /// The addresses under which resources are referred to as a whole.
    let bases: [String]
    let limits: FHIRSandboxLimits
    let logger: Logger

    // MARK: Reading

    /// The current version, a deletion too; nil for what never was.
    func current(_ type: String, _ id: String) throws -> ResourceVersion? {
        try fetchOne(
            "resource.type = \(type) AND resource.name = \(id) AND version.number = resource.version"
        )
    }

    /// The current version of a row.
    func current(row: Int64) throws -> ResourceVersion? {
        try fetchOne("resource.id = \(row) AND version.number = resource.version")
    }

    func version(_ type: String, _ id: String, _ number: Int) throws -> ResourceVersion? {
        try fetchOne("resource.type = \(type) AND resource.name = \(id) AND version.number = \(number)")
    }

    private func fetchOne(_ condition: SQL) throws -> ResourceVersion? {
        try SQLRequest<ResourceVersion>(
            literal: "SELECT \(ResourceVersion.columns) FROM \(ResourceVersion.tables) WHERE \(condition)"
        ).fetchOne(db)
    }

    /// The current versions of rows, in the order of the rows; those that were deleted are left out.
    func current(rows: some Sequence<Int64>) throws -> [ResourceVersion] {
        var found = BoundedPage(limit: limits.response)
        for row in rows {
            guard let version = try current(row: row), !version.isDeleted else { continue }
            try found.append(version)
        }
        return found.versions
    }

    /// What a request for versions finds.
    func versions(_ request: SQLRequest<ResourceVersion>) throws -> [ResourceVersion] {
        var found = BoundedPage(limit: limits.response)
        let cursor = try request.fetchCursor(db)
        while let version = try cursor.next() { try found.append(version) }
        return found.versions
    }

    /// Resources of a page, as many as fit into memory.
    private struct BoundedPage {
        let limit: Int
        var bytes = 0
        var versions: [ResourceVersion] = []

        mutating func append(_ version: ResourceVersion) throws(FHIRFailure) {
            bytes += version.content?.count ?? 0
            // One resource alone is no more than what was sent.
            guard bytes <= limit || versions.isEmpty else {
                throw .tooCostly(
                    "the resources of the page have more than \(limit) bytes; ask for fewer with _count"
                )
            }
            versions.append(version)
        }
    }

    // MARK: Writing

    /// Stores a new version of a resource under an id; `id`, `meta.versionId` and `meta.lastUpdated` become
    /// the server's.
    func put(_ resource: JSONValue, _ type: String, _ id: String, method: String) throws -> ResourceVersion {
        var resource = resource
        let row = try newVersion(type, id, isDeleted: false)
        Self.setIdentity(&resource, id: id, version: row.version, at: now)
        try insertVersion(row, method: method, content: Data(resource.utf8()))
        var extraction = ValueExtraction(catalog: catalog, bases: bases, limit: limits.indexedValues)
        try extraction.extract(from: resource, type: type)
        for key in extraction.failedKeys.sorted() {
            logger.warning("the expression of the search parameter \(key) failed")
        }
        let statement = try db.cachedStatement(
            sql:
                """
                INSERT INTO value (resource, key, item, system, code, text, low, high)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for value in extraction.values {
            var low: (any DatabaseValueConvertible)?
            var high: (any DatabaseValueConvertible)?
            switch value.range {
            case .time(let range):
                low = range.low
                high = range.high
            case .number(let least, let most):
                low = least
                high = most
            case nil: break
            }
            try statement.execute(
                arguments: [row.id, value.key, value.item, value.system, value.code, value.text, low, high])
        }
        return try stored(row)
    }

    /// Marks a resource as deleted.
    func delete(_ current: ResourceVersion) throws -> ResourceVersion {
        let row = try newVersion(current.type, current.id, isDeleted: true)
        try insertVersion(row, method: "DELETE", content: nil)
        return try stored(row)
    }

    /// Raises the version of a resource's row, or makes the row, and takes its old values out of the index.
    private func newVersion(_ type: String, _ id: String, isDeleted: Bool) throws -> (id: Int64, version: Int)
    {
        try db.execute(
            literal: """
                INSERT INTO resource (type, name, version, updatedAt, isDeleted)
                VALUES (\(type), \(id), 1, \(now.rawValue), \(isDeleted))
                ON CONFLICT (type, name)
                DO UPDATE SET version = version + 1, updatedAt = \(now.rawValue), isDeleted = \(isDeleted)
                """
        )
        let row = try Row.fetchOne(
            db,
            sql: "SELECT id, version FROM resource WHERE type = ? AND name = ?",
            arguments: [type, id]
        )
        guard let row else { throw FHIRFailure(500, "exception", "the resource was not stored") }
        try db.execute(sql: "DELETE FROM value WHERE resource = ?", arguments: [row["id"] as Int64])
        return (row["id"], row["version"])
    }

    private func insertVersion(_ row: (id: Int64, version: Int), method: String, content: Data?) throws {
        try db.execute(
            sql: "INSERT INTO version (resource, number, method, at, content) VALUES (?, ?, ?, ?, ?)",
            arguments: [row.id, row.version, method, now.rawValue, content]
        )
    }

    private func stored(_ row: (id: Int64, version: Int)) throws -> ResourceVersion {
        guard let stored = try fetchOne("resource.id = \(row.id) AND version.number = \(row.version)") else {
            throw FHIRFailure(500, "exception", "the resource was not stored")
        }
        return stored
    }

    /// Sets what the server decides. The id comes after `resourceType`, as people write it.
    private static func setIdentity(_ resource: inout JSONValue, id: String, version: Int, at: Timestamp) {
        if resource["id"] == nil, let members = resource.members {
            var ordered = Array(members)
            let position = ordered.firstIndex { $0.isNamed("resourceType") }.map { $0 + 1 } ?? 0
            ordered.insert(JSONMember(name: "id", value: JSONValue(id)), at: position)
            resource = JSONValue(members: ordered)
        } else {
            resource["id"] = JSONValue(id)
        }
        var meta = resource["meta"] ?? [:]
        meta["versionId"] = JSONValue(String(version))
        meta["lastUpdated"] = JSONValue(ResourceVersion.instant(at))
        if resource["meta"] == nil, let members = resource.members {
            var ordered = Array(members)
            let position = ordered.firstIndex { $0.isNamed("id") }.map { $0 + 1 } ?? 0
            ordered.insert(JSONMember(name: "meta", value: meta), at: position)
            resource = JSONValue(members: ordered)
        } else {
            resource["meta"] = meta
        }
    }
}
