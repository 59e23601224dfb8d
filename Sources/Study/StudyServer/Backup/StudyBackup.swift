import Crypto
import DurableQueue
import Foundation
import GRDB
import IndivoBase
import OrderedJSON
import StudyFormats
import StudyWarehouse
import WebServing

/// Backups of a study's queue and warehouse, while they are in use.
///
/// ```swift
/// let backup = StudyBackup(queue: .file(queueFile), warehouse: .file(warehouseFile))
/// let made = try await backup.make(in: URL(filePath: "backups"))
/// try await StudyBackup(queue: .file(newQueue), warehouse: .file(newWarehouse)).restore(made.folder)
/// ```
/// A file of SQLite is copied by SQLite's own backup, a database of PostgreSQL by `pg_dump`, as one state
/// each; ``Other`` files as they are. The queue is copied first: a message that a consumer takes meanwhile is
/// in both, and the consumer knows it. Private keys are in no backup: with them, whoever finds it could read
/// it.
public struct StudyBackup: Sendable {
    /// Where a queue or a warehouse is.
    public enum Place: Sendable, Hashable {
        /// A file of SQLite.
        case file(URL)
        /// A database of PostgreSQL, as in `postgresql://user@host/database`.
        case postgreSQL(String)

        /// The same place, with one spelling for each file.
        fileprivate var standardized: Place {
            switch self {
            case .file(let url): .file(url.standardizedFileURL)
            case .postgreSQL: self
            }
        }
    }

    /// A file or a folder beside the two databases.
    public struct Other: Sendable, Hashable {
        /// What it is.
        public enum Kind: Sendable, Hashable {
            /// A file, or a folder with what is in it.
            case plain
            /// A file of SQLite that may be in use.
            case database
            /// An audit log that may be written to. One that is there when a backup is restored stays.
            case auditLog
            /// The configuration. One that is there when a backup is restored stays.
            case configuration
        }

        /// The name by which a backup finds it again, as in `pages.users`.
        public let name: String
        /// Where it is, or is put back.
        public let url: URL
        public let kind: Kind

        /// A file or a folder with the name by which a backup finds it again.
        public init(_ name: String, _ url: URL, _ kind: Kind = .plain) {
            self.name = name
            self.url = url
            self.kind = kind
        }

        var path: String { url.standardizedFileURL.folderPath }
    }

    /// What a backup has.
    public struct Made: Sendable, Hashable {
        /// Its folder, for its owner alone.
        public let folder: URL
        /// The rows of the warehouse's tables, and `queue` and `dead` letters.
        public let counts: [String: Int]
        /// What else was copied, or put back, or was there already.
        public let others: [Other]
        /// What is not there, or not in the backup.
        public let missing: [Other]
    }

    private let queue: Place?
    private let warehouse: Place
    private let source: String?
    /// What is copied beside the databases.
    public let others: [Other]

    static let manifestName = "backup.json"
    private static let draftName = ".making-"
    private static let maximumManifest = 16 << 20

    /// - Parameters:
    ///   - queue: `nil` for one that is a service's (SQS).
    ///   - source: The study's code in the warehouse; without it that of the warehouse, or of the backup.
    ///   - others: What is copied, too: the configuration, and the files that it names.
    public init(queue: Place?, warehouse: Place, source: String? = nil, others: [Other] = []) {
        self.queue = queue?.standardized
        self.warehouse = warehouse.standardized
        self.source = source
        self.others = others
    }

    private var isOneDatabase: Bool { queue == warehouse }

    // MARK: Making

    /// Makes a backup in a folder of its own, which appears only when it is complete.
    ///
    /// - Parameter parent: Gets a folder named after the time, `20260301T093000Z`.
    /// - Throws: ``StudyOperationsError``, `StudyError`, the database's errors.
    public func make(in parent: URL, at time: Date = Date()) async throws -> Made {
        for other in others where "\(parent.standardizedFileURL.folderPath)/".hasPrefix("\(other.path)/") {
            throw StudyOperationsError.failed(
                "\(parent.folderPath) is in \(other.path), which is copied: name another folder"
            )
        }
        try PrivateFolder.make(parent)
        let name = StudyTime(time).description.filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let folder = parent.appending(path: name, directoryHint: .isDirectory)
        guard !folder.filePath.fileExists else {
            throw StudyError.storage(reason: "\(folder.filePath) is there already")
        }
        Self.removeDrafts(in: parent, before: time.addingTimeInterval(-86_400))
        let draft = parent.appending(path: "\(Self.draftName)\(UUID().uuidString.lowercased())")
        try PrivateFolder.make(draft)
        do {
            var found = Found()
            var files: [JSONValue] = []
            if let queue, !isOneDatabase {
                files.append(try await copy(queue, "queue", to: draft, &found))
            }
            files.append(try await copy(warehouse, "warehouse", to: draft, &found))
            files += try copyOthers(to: draft)
            let manifest: JSONValue = [
                "format": 1, "source": JSONValue(found.source),
                "made": JSONValue(StudyTime(time).description),
                "queueIsInWarehouse": JSONValue(isOneDatabase),
                "counts": JSONValue(
                    members: found.counts.sorted { $0.key < $1.key }.map {
                        JSONMember(name: $0.key, value: JSONValue($0.value))
                    }
                ),
                "files": JSONValue(files),
                "missing": JSONValue(missing.map { JSONValue($0.name) }),
            ]
            try NewFile(draft.appending(path: Self.manifestName)).write { try $0(Data(manifest.text().utf8)) }
            guard rename(draft.filePath, folder.filePath) == 0 else {
                throw StudyError.storage(reason: String(cString: strerror(errno)))
            }
            // Else a machine that fails now may have it under the draft's name, as one to be removed.
            try? Disk().syncFolder(parent.folderPath)
            return Made(folder: folder, counts: found.counts, others: present, missing: missing)
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }

    /// Removes what interrupted backups left behind.
    private static func removeDrafts(in parent: URL, before time: Date) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.folderPath)) ?? []
        where name.hasPrefix(draftName) && UUID(uuidString: String(name.dropFirst(draftName.count))) != nil {
            let draft = parent.appending(path: name).folderPath
            let attributes = try? FileManager.default.attributesOfItem(atPath: draft)
            guard let changed = attributes?[.modificationDate] as? Date, changed < time else { continue }
            try? FileManager.default.removeItem(atPath: draft)
        }
    }

    /// What is in queue and warehouse.
    private struct Found {
        var source: String?
        var counts: [String: Int] = [:]
    }

    private func copy(_ place: Place, _ part: String, to folder: URL, _ found: inout Found) async throws
        -> JSONValue
    {
        switch place {
        case .file(let file):
            guard file.filePath.fileExists else {
                throw StudyError.storage(reason: "\(file.filePath): there is no such file")
            }
            let target = folder.appending(path: "\(part).sqlite")
            try Self.copy(file, to: target)
            try await count(.file(target), part, &found)
            // Counting opened the copy: remove the files that SQLite left beside it.
            for end in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: target.filePath + end)
            }
            return try Self.entry(part, target, schema: nil)
        case .postgreSQL(let url):
            let target = folder.appending(path: "\(part).dump")
            guard part == "warehouse" else {
                try PostgreSQLDump.make(url, to: target, snapshot: nil, schema: nil)
                return try Self.entry(part, target, schema: nil)
            }
            let warehouse = try await Warehouse(postgreSQL: url, source: source, makes: false)
            found.source = warehouse.source
            let (tables, schema) = try await warehouse.read { db in
                let schema = try db.currentSchema()
                try PostgreSQLDump.make(url, to: target, snapshot: try db.exportedSnapshot(), schema: schema)
                return (try db.tableCounts(), schema)
            }
            for (table, rows) in tables { found.counts[table] = rows }
            return try Self.entry(part, target, schema: schema)
        }
    }

    /// Copies a database while others use it: one state of it, in one file.
    static func copy(_ file: URL, to target: URL) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(30)
        let source = try DatabaseQueue(path: file.filePath, configuration: reading)
        let copy = try PrivateSQLite.open(target)
        try source.backup(to: copy)
        try copy.writeWithoutTransaction { db in
            _ = try db.checkpoint(.truncate)
            // A single file, which can be read even on a read-only disk.
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            guard try String.fetchOne(db, sql: "PRAGMA quick_check") == "ok" else {
                throw StudyOperationsError.failed(
                    "\(file.lastPathComponent) is damaged: SQLite's check fails"
                )
            }
        }
        try copy.close()
    }

    private static func entry(_ part: String, _ file: URL, schema: String?) throws -> JSONValue {
        let (digest, bytes) = try digest(of: file)
        return [
            "part": JSONValue(part), "name": JSONValue(file.lastPathComponent), "bytes": JSONValue(bytes),
            "sha256": JSONValue(digest), "schema": JSONValue(schema),
        ]
    }

    /// Whether a path names a regular file, also through a link: no pipe and no device.
    package static func isRegularFile(_ path: String) -> Bool {
        let real = URL(filePath: path).resolvingSymlinksInPath().folderPath
        let attributes = try? FileManager.default.attributesOfItem(atPath: real)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    static func digest(of file: URL) throws -> (digest: String, bytes: Int) {
        guard isRegularFile(file.folderPath) else {
            throw StudyOperationsError.failed("\(file.folderPath) is no regular file")
        }
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var hash = SHA256()
        var bytes = 0
        while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty {
            hash.update(data: data)
            bytes += data.count
        }
        return (Hexadecimal.encode(hash.finalize()), bytes)
    }

    private func count(_ place: Place, _ part: String, _ found: inout Found) async throws {
        guard part == "warehouse" else {
            guard case .file(let file) = place else { return }
            let status = try await SQLiteMessageQueue(file).status()
            found.counts["queue"] = status.depth
            found.counts["dead"] = status.dead
            return
        }
        let warehouse: Warehouse =
            switch place {
            case .file(let file): try Warehouse(file, source: source)
            case .postgreSQL(let url): try await Warehouse(postgreSQL: url, source: source, makes: false)
            }
        found.source = warehouse.source
        for (table, rows) in try await warehouse.read({ try $0.tableCounts() }) { found.counts[table] = rows }
    }

    // MARK: Restoring

    /// Restores the queue and the warehouse from a backup, and counts what is in them.
    ///
    /// - Returns: The counts, which are the backup's.
    /// - Throws: ``StudyOperationsError`` where a file of the backup is damaged, where something is in the
    ///   way, and where the counts are others.
    public func restore(_ folder: URL) async throws -> Made {
        let json = try Self.manifest(of: folder)
        if let source, json["source"]?.string != source {
            throw StudyOperationsError.failed(
                "the backup is of the study \(json["source"]?.string ?? ""), not of \(source)"
            )
        }
        guard json["queueIsInWarehouse"]?.boolean == isOneDatabase || queue == nil else {
            throw StudyOperationsError.failed(
                "queue and warehouse of the backup are \(isOneDatabase ? "two databases" : "one database")"
            )
        }
        var entries: [(part: String, file: URL)] = []
        var kept: [KeptFile] = []
        for file in json.elements(of: "files") {
            guard let name = file["name"]?.string, Self.isSafe(name), let part = file["part"]?.string else {
                throw StudyOperationsError.failed("\(Self.manifestName) names a file that no backup has")
            }
            let url = folder.appending(path: name)
            guard let found = try? Self.digest(of: url), found.digest == file["sha256"]?.string else {
                throw StudyOperationsError.failed("\(name) is damaged or missing: it has another digest")
            }
            entries.append((part, url))
            if part == "other" { kept.append(KeptFile(file, at: url)) }
        }
        // Everything is checked before anything is written.
        let targets = entries.compactMap { entry -> (place: Place, file: URL)? in
            switch entry.part {
            case "queue": queue.map { ($0, entry.file) }
            case "warehouse": (warehouse, entry.file)
            default: nil
            }
        }
        let parts = Set(entries.map(\.part))
        for part in ["queue", "warehouse"] where !parts.contains(part) {
            guard part == "queue", queue == nil || isOneDatabase else {
                throw StudyOperationsError.failed("the backup has no \(part)")
            }
        }
        for target in targets { try check(target.place, target.file) }
        let returning = try returning(kept)
        var written: [String] = []
        do {
            for file in returning.files {
                written.append(file.target.folderPath)
                try file.write()
            }
            for target in targets {
                if case .file(let url) = target.place { written.append(url.folderPath) }
                try write(target.file, to: target.place)
            }
            let counts = try await counted(json)
            return Made(
                folder: folder,
                counts: counts,
                others: returning.present,
                missing: returning.missing
            )
        } catch {
            // A study that is restored in part is useless, and would be in the way of another attempt.
            for path in written {
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
            }
            throw error
        }
    }

    /// Counts what was restored.
    ///
    /// - Throws: ``StudyOperationsError`` where the counts are others than the manifest's.
    private func counted(_ json: JSONValue) async throws -> [String: Int] {
        var found = Found()
        if let queue, !isOneDatabase { try await count(queue, "queue", &found) }
        try await count(warehouse, "warehouse", &found)
        let counts = found.counts
        for member in json["counts"]?.members ?? [] {
            guard let now = counts[member.name], now != member.value.integer else { continue }
            throw StudyOperationsError.failed(
                "\(member.name) has \(now) rows, and the backup \(member.value.integer ?? 0): do not use it"
            )
        }
        return counts
    }

    /// The manifest of a backup.
    static func manifest(of folder: URL) throws -> JSONValue {
        let data = try Data(contentsOf: folder.appending(path: manifestName))
        guard data.count <= maximumManifest, let json = try? JSONValue(parsing: data),
            json["format"]?.integer == 1, json["files"]?.elements != nil
        else {
            throw StudyOperationsError.failed(
                "\(folder.filePath) has no \(manifestName) of a backup"
            )
        }
        return json
    }

    static func checkIsFree(_ path: String) throws {
        // Attributes of a link are the link's own.
        let attributes = { (end: String) in try? FileManager.default.attributesOfItem(atPath: path + end) }
        guard ["", "-wal", "-shm"].allSatisfy({ attributes($0) == nil }) else {
            throw StudyOperationsError.failed(
                "\(path) is there already, and is not overwritten; move it away"
            )
        }
    }

    private func check(_ place: Place, _ file: URL) throws {
        switch place {
        case .file(let target):
            guard file.pathExtension == "sqlite" else {
                throw StudyOperationsError.failed("\(file.lastPathComponent) is of PostgreSQL, not of a file")
            }
            try Self.checkIsFree(target.filePath)
        case .postgreSQL:
            guard file.pathExtension == "dump" else {
                throw StudyOperationsError.failed(
                    "\(file.lastPathComponent) is a file of SQLite, not of PostgreSQL"
                )
            }
        }
    }

    private func write(_ file: URL, to place: Place) throws {
        switch place {
        case .file(let target): try Self.restore(file, to: target)
        case .postgreSQL(let url): try PostgreSQLDump.restore(file, to: url)
        }
    }

    static func restore(_ file: URL, to target: URL) throws {
        var reading = Configuration()
        reading.readonly = true
        do {
            let source = try DatabaseQueue(path: file.folderPath, configuration: reading)
            let copy = try PrivateSQLite.open(target)
            try source.backup(to: copy)
            try copy.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            try copy.close()
        } catch let error as DatabaseError {
            throw StudyOperationsError.failed(
                "\(file.lastPathComponent) cannot be restored: \(error.message ?? "SQLite refuses it")"
            )
        }
    }
}
