import ArgumentParser
import Foundation
import OrderedJSON
import StudyDelivery
import StudyServer

struct StudyBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a study's queue and warehouse while they are in use.",
        discussion: """
            DIR gets a folder named after the time, with queue and warehouse as files of SQLite, or as dumps \
            of PostgreSQL (pg_dump, Debian's postgresql-client), each as one state, backup.json with counts \
            and digests, and with --config the configuration and the users. It is there whole or not at all.

            Private keys are not in it: keep a copy of them somewhere else, or what is encrypted is lost \
            with them. indivo study restore puts it back. A queue of SQS is Amazon's to keep. \
            \(ExitStatus.help)
            """
    )

    @Argument(
        help: ArgumentHelp("The folder of backups; made if need be.", valueName: "dir"),
        completion: .directory
    )
    var folder: String

    @OptionGroup var places: StudyBackupPlaces

    @ArgumentParser.Flag(help: "Print one line of JSON, for programs.")
    var json = false

    func run() async throws {
        do {
            try StudyAudit.record("backup", ["folder": folder])
            let made = try await places.backup().make(in: URL(filePath: folder, directoryHint: .isDirectory))
            try StudyBackupPlaces.report(made, json: json)
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
            counted. What phones delivered since the backup is lost, unless they still have it; to lose \
            less, PostgreSQL archives its log (the article Running of StudyServer). Put the keys back, too. \
            \(ExitStatus.help)
            """
    )

    @Argument(help: ArgumentHelp("The folder of the backup.", valueName: "backup"), completion: .directory)
    var folder: String

    @OptionGroup var places: StudyBackupPlaces

    @ArgumentParser.Flag(help: "Print one line of JSON, for programs.")
    var json = false

    func run() async throws {
        do {
            try StudyAudit.record("restore", ["backup": folder])
            let made = try await places.backup().restore(URL(filePath: folder, directoryHint: .isDirectory))
            try StudyBackupPlaces.report(made, json: json)
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
        completion: .file(extensions: ["json"])
    )
    var config: String?

    @OptionGroup var queue: StudyQueueURLOptions
    @OptionGroup var store: StudyStoreOptions

    func backup() throws -> StudyBackup {
        guard let config else {
            return try Self.backup(
                queue: try StudyPlace(queue.queue, option: "queue", takesSQS: true),
                store: store.place,
                source: store.source
            )
        }
        let plan = try StudyUpFile(config).plan(readsKeys: false)
        let users = plan.pages.map(\.users)
        let others = [URL(filePath: config)] + [users, plan.audit].compactMap { $0 }
        return try Self.backup(
            queue: plan.queue,
            store: plan.store,
            source: plan.source,
            others: others.filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
        )
    }

    private static func backup(queue: StudyPlace, store: StudyPlace, source: String, others: [URL] = [])
        throws
        -> StudyBackup
    {
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
        let path = made.folder.path(percentEncoded: false)
        if json {
            let members = counts.map { JSONMember(name: $0.key, value: JSONValue($0.value)) }
            let line: JSONValue = ["folder": JSONValue(path), "counts": JSONValue(members: members)]
            return try StandardStreams.say(line.text())
        }
        try StandardStreams.say(path)
        for (name, count) in counts { try StandardStreams.say("\(name): \(count)") }
    }
}
