import Foundation
import StudyWarehouse

/// PostgreSQL's own programs for backups. A password comes from `PGPASSWORD` or `~/.pgpass`, as for queue and
/// warehouse.
enum PostgreSQLDump {
    /// Writes a dump in PostgreSQL's custom format, for its owner alone.
    ///
    /// - Parameters:
    ///   - snapshot: What it sees; `nil` for what is there.
    ///   - schema: The schema; `nil` or `public` for the whole database.
    static func make(_ url: String, to file: URL, snapshot: String?, schema: String?) throws {
        var arguments = ["--format=custom", "--no-owner", "--no-privileges", "--dbname=\(url)"]
        arguments += ["--file=\(file.filePath)"]
        if let snapshot, !snapshot.isEmpty { arguments.append("--snapshot=\(snapshot)") }
        if let schema, schema != "public" {
            arguments.append("--schema=\"\(schema.replacing("\"", with: "\"\""))\"")
        }
        try run("pg_dump", arguments)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: file.filePath
        )
    }

    /// Makes of a dump what it was of: all of it or nothing. What is there already is in the way.
    static func restore(_ file: URL, to url: String) throws {
        try run(
            "pg_restore",
            [
                "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", "--dbname=\(url)",
                file.filePath,
            ]
        )
    }

    private static func run(_ name: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch {
            throw StudyOperationsError.failed("\(name) cannot be started: \(error.localizedDescription)")
        }
        // Both programs say little; what they say names tables, no rows.
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile().prefix(2000),
            as: UTF8.self
        )
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let advice =
                process.terminationStatus == 127
                ? "it is not installed (Debian: postgresql-client)"
                : text.split(separator: "\n").prefix(3).joined(separator: " ")
            throw StudyOperationsError.failed("\(name) fails: \(advice)")
        }
    }
}
