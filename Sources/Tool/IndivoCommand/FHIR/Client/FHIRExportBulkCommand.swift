import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import IndivoBase
import RecordCommands

struct FHIRExportBulkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-bulk",
        abstract: "Export much of a FHIR server into files of NDJSON (Bulk Data Access 2).",
        discussion: """
            indivo fhir export-bulk --output export --type Patient --type Observation
            indivo fhir export-bulk --output export --group diabetes \\
              --since 2026-01-01T00:00:00Z

            The folder gets a file for each one of the server's, such as Patient.1.ndjson, readable by you \
            alone. When it is interrupted, the same command goes on: the folder's export.url has the address \
            of the export, and a file whose name ends in .part goes on where it ended. At the end the server \
            deletes its files, unless --keep is given.

            \(FHIRClientHelp.connection)
            """
    )

    @Option(help: "The folder for the files.", completion: .directory)
    var output: String

    @Flag(help: "Export what is about patients alone.")
    var patients = false

    @Option(help: "Export what is about the patients of a group, by its id.")
    var group: String?

    @Option(help: "A type of resources; again for others. All unless given.")
    var type: [String] = []

    @Option(help: "Only what changed since then, such as 2026-01-01T00:00:00Z.")
    var since: String?

    @Option(help: "A search that the resources match, such as Observation?category=laboratory.")
    var typeFilter: [String] = []

    @Option(help: "An element to export, such as Patient.name; again for others. All unless given.")
    var element: [String] = []

    @Flag(help: "Leave the export on the server.")
    var keep = false

    @OptionGroup var connection: FHIRConnectionOptions

    func validate() throws {
        if patients && group != nil { throw ValidationError("--patients and --group exclude each other.") }
    }

    func run() async throws {
        let folder = URL(filePath: output)
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure("the folder \(output) cannot be made: \(error.localizedDescription)")
        }
        let lock = try lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let client = try connection.client()
        do {
            let export = try await begun(client, folder)
            let manifest = try await export.manifest { progress in
                connection.console.note("The server works on it\(progress.map { ": \($0)" } ?? ".")".shown())
            }
            try await download(manifest.output, "", export, manifest, folder)
            try await download(manifest.deleted, "deleted.", export, manifest, folder)
            try await download(manifest.error, "error.", export, manifest, folder)
            // The server's are the only others: these have to outlive a failing machine before those go.
            try? Disk().syncFolder(folder.path)
            if !keep { try await export.delete() }
            try? FileManager.default.removeItem(at: Self.record(in: folder))
            let time = manifest.transactionTime?.description ?? "an unknown time"
            connection.console.note("\(manifest.output.count) files are in \(output), of data at \(time).")
            if !manifest.error.isEmpty { throw ExitCode.nothingFound }
        } catch let error as FHIRClientError {
            throw CommandFailure(error)
        }
    }

    /// Keeps others from exporting into the folder; nil on a disk that has no locks.
    private func lock(_ folder: URL) throws -> FileLock? {
        do {
            if let lock = try FileLock(ifFreeFolder: folder.filePath) { return lock }
        } catch {
            return nil
        }
        throw CommandFailure("another process exports into \(output); wait for it, or name another folder")
    }

    /// The export that the folder was begun with, or a new one.
    private func begun(_ client: FHIRClient, _ folder: URL) async throws -> BulkExport {
        let record = PrivateFile(Self.record(in: folder).path)
        do {
            if let kept = try record.read(), let url = URL(string: String(decoding: kept, as: UTF8.self)) {
                connection.console.note("Going on with the export that was begun.")
                return client.export(at: url)
            }
            // The files of another export would be taken for this one's.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            if let name = names.first(where: { $0.hasSuffix(".ndjson") || $0.hasSuffix(".ndjson.part") }) {
                throw CommandFailure(
                    "\(output) has \(name) of another export; name another folder, or remove its files"
                )
            }
            var request = BulkExportRequest(of: group.map { .group($0) } ?? (patients ? .patients : .system))
            request.types = type
            request.typeFilters = typeFilter
            request.elements = element
            if let since {
                guard let instant = FHIRInstant(text: since) else {
                    throw CommandFailure(
                        "“\(since)” is no instant; it looks like 2026-01-01T00:00:00Z".shown()
                    )
                }
                request.since = instant
            }
            let export = try await client.export(request)
            try record.replace(with: Data(export.statusURL.absoluteString.utf8))
            return export
        } catch let failure as PrivateFile.Failure {
            throw CommandFailure("\(record.path) cannot be used: \(failure)")
        }
    }

    private static func record(in folder: URL) -> URL { folder.appending(path: "export.url") }

    private func download(
        _ files: [BulkManifest.File],
        _ prefix: String,
        _ export: BulkExport,
        _ manifest: BulkManifest,
        _ folder: URL
    ) async throws {
        var numbers: [String: Int] = [:]
        for file in files {
            // A type that a server made up names no file elsewhere.
            let isName = !file.type.isEmpty && file.type.utf8.allSatisfy(\.isASCIILetter)
            let type = isName ? file.type : "Resource"
            numbers[type, default: 0] += 1
            let name = "\(prefix)\(type).\(numbers[type] ?? 0).ndjson"
            let target = folder.appending(path: name)
            guard !target.path.fileExists else { continue }
            try await download(file, to: target, export, manifest)
            connection.console.note("\(name)\(file.count.map { ": \($0) resources" } ?? "")")
        }
    }

    private func download(
        _ file: BulkManifest.File,
        to target: URL,
        _ export: BulkExport,
        _ manifest: BulkManifest
    ) async throws {
        let part = target.path + ".part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(part) cannot be written: \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let offset = Int(try handle.seekToEnd())
        for try await piece in export.pieces(of: file, of: manifest, from: offset) {
            try handle.write(contentsOf: piece)
        }
        try handle.synchronize()
        guard rename(part, target.path) == 0 else {
            throw CommandFailure("\(target.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
