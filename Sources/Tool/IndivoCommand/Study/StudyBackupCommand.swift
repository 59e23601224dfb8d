import ArgumentParser
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer

struct StudyBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a study's queue and warehouse while they are in use.",
        discussion: """
            DIR gets a folder named after the time, with queue and warehouse as files of SQLite, or as dumps \
            of PostgreSQL (pg_dump, Debian's postgresql-client), each as one state, backup.json with counts \
            and digests, and with --config the configuration and every file that it names: questionnaires, \
            schedule, users, audit log, anti-spam tokens, codes, certificates, registered apps, and the \
            folder of published contents. It is there whole or not at all; a file that is missing is told, \
            and the exit status is 1 when the study needs it.

            Private keys are not in it: keep a copy of them somewhere else, or what is encrypted is lost \
            with them. indivo study restore puts it back. A queue of SQS is Amazon's to keep. \
            \(ExitStatus.help)
            """
    )

    @Argument(
        help: .value("dir", "The folder of backups; made if need be."),
        completion: .directory
    )
    var folder: String

    @OptionGroup var places: StudyBackupPlaces

    @Flag(help: "Print one line of JSON, for programs.")
    var json = false

    func run() async throws {
        do {
            try StudyAudit.record("backup", ["folder": folder])
            let made = try await places.backup().make(in: URL(filePath: folder, directoryHint: .isDirectory))
            try StudyBackupPlaces.report(made, json: json)
            try StudyBackupPlaces.check(made, "there is no such file, and the backup has none")
        } catch let error as StudyError {
            throw CommandFailure("\(error)", status: .refused)
        } catch let error as StudyOperationsError {
            throw CommandFailure("\(error)", status: .refused)
        }
    }
}

struct StudyRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a study's queue and warehouse of a backup.",
        discussion: """
            BACKUP is a folder that indivo study backup made. Its digests are checked, then files of SQLite \
            are made, or databases of PostgreSQL filled (pg_restore); nothing that is there is overwritten, \
            so that a database has to be empty. What is in them is counted, and has to be what the backup \
            counted. With --config the files that it names are put back where it says; where it is lost \
            itself, the backup's is taken. An audit log that is there stays. What phones delivered since \
            the backup is lost, unless they still have it; to lose less, PostgreSQL archives its log (the \
            article Running of StudyServer). Put the keys back, too. \
            \(ExitStatus.help)
            """
    )

    @Argument(help: .value("backup", "The folder of the backup."), completion: .directory)
    var folder: String

    @OptionGroup var places: StudyBackupPlaces

    @Flag(help: "Print one line of JSON, for programs.")
    var json = false

    func run() async throws {
        do {
            let url = URL(filePath: folder, directoryHint: .isDirectory)
            let backup = try places.backup(restoring: url)
            // A log that is put back has to be there first: an entry would make a new one in its way.
            let isLogFirst = backup.others.contains { $0.kind == .auditLog && StudyAudit.isMissing($0.url) }
            if !isLogFirst { try StudyAudit.record("restore", ["backup": folder]) }
            let made = try await backup.restore(url)
            if isLogFirst { try StudyAudit.record("restore", ["backup": folder]) }
            try StudyBackupPlaces.report(made, json: json)
            try StudyBackupPlaces.check(made, "the backup has no such file")
        } catch let error as StudyError {
            throw CommandFailure("\(error)", status: .refused)
        } catch let error as StudyOperationsError {
            throw CommandFailure("\(error)", status: .refused)
        } catch let error as CocoaError {
            throw CommandFailure("\(folder) cannot be read: \(error.localizedDescription)")
        }
    }
}

/// The options for what is copied, and where it is put back.
struct StudyBackupPlaces: ParsableArguments {
    @Option(
        help: "The configuration of indivo study up, instead of --queue, --store and --source.",
        completion: .json
    )
    var config: String?

    @OptionGroup var queue: StudyQueueURLOptions
    @OptionGroup var store: StudyStoreOptions

    /// - Parameter restored: The backup that is restored; it has the configuration, where that is lost.
    func backup(restoring restored: URL? = nil) throws -> StudyBackup {
        guard let config else {
            return try Self.backup(
                queue: try StudyPlace(queue.queue, option: "queue", takesSQS: true),
                store: store.place,
                source: store.source
            )
        }
        let file = try Self.file(config, restoring: restored)
        let plan = try file.places()
        if restored != nil, let keys = try file.keys(), !keys.fileExists {
            StandardStreams.printError("Private keys are in no backup: put them back into \(keys).")
        }
        return try Self.backup(
            queue: plan.queue,
            store: plan.store,
            source: plan.source,
            others: try file.others()
        )
    }

    private static func file(_ config: String, restoring restored: URL?) throws -> StudyUpFile {
        guard let restored, !config.fileExists else {
            return try StudyUpFile(config)
        }
        let name = URL(filePath: config).lastPathComponent
        guard let data = try StudyBackup.configuration(in: restored, named: name) else {
            throw CommandFailure("\(config): there is no such file, and the backup has none")
        }
        return try StudyUpFile(data, path: config)
    }

    private static func backup(
        queue: StudyPlace,
        store: StudyPlace,
        source: String?,
        others: [StudyBackup.Other] = []
    ) throws -> StudyBackup {
        guard let warehouse = place(store) else {
            throw CommandFailure("--store is sqlite:FILE or postgresql://…")
        }
        if place(queue) == nil {
            StandardStreams.printError("warning: the queue is Amazon's, and not copied")
        }
        return StudyBackup(queue: place(queue), warehouse: warehouse, source: source, others: others)
    }

    private static func place(_ place: StudyPlace) -> StudyBackup.Place? {
        switch place {
        case .file(let url): .file(url)
        case .postgreSQL(let url): .postgreSQL(url)
        case .sqs: nil
        }
    }

    static func report(_ made: StudyBackup.Made, json: Bool) throws {
        let counts = made.counts.sorted { $0.key < $1.key }
        let path = made.folder.filePath
        let files = made.others.map { (name: $0.name, path: $0.url.filePath) }
        if json {
            let line: JSONValue = [
                "folder": JSONValue(path),
                "counts": JSONValue(
                    members: counts.map { JSONMember(name: $0.key, value: JSONValue($0.value)) }
                ),
                "files": JSONValue(
                    members: files.map { JSONMember(name: $0.name, value: JSONValue($0.path)) }
                ),
                "missing": JSONValue(made.missing.map { JSONValue($0.name) }),
            ]
            return try StandardStreams.say(line.text())
        }
        try StandardStreams.say(path)
        for (name, count) in counts { try StandardStreams.say("\(name): \(count)") }
        for (name, path) in files { try StandardStreams.say("\(name): \(path)") }
    }

    /// Tells of each file that a study needs and that is missing.
    static func check(_ made: StudyBackup.Made, _ reason: String) throws {
        for other in made.missing {
            let path = other.url.filePath
            StandardStreams.printError("warning: \(other.name): \(path): \(reason)")
        }
        let needed = made.missing.filter { !StudyUpFile.mayBeMissing($0) }.map(\.name)
        guard !needed.isEmpty else { return }
        throw CommandFailure(
            "the rest is done, without \(needed.joined(separator: ", "))",
            status: .nothingFound
        )
    }
}
