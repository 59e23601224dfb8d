import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer

/// The files that a configuration of `indivo study up` names.
extension StudyUpFile {
    /// What may be missing: the back end makes it, or it is published later.
    private static let laterNames: Set = [
        "audit", "receiver.clients", "receiver.keyList", "receiver.contents",
    ]

    /// Whether a study runs without a file.
    static func mayBeMissing(_ other: StudyBackup.Other) -> Bool { laterNames.contains(other.name) }

    /// The folder of private keys.
    func keys() throws -> String? { try text("keys").map(file) }

    /// The configuration, and the files and folders that it names, but for private keys and the databases of
    /// queue and warehouse.
    func others() throws -> [StudyBackup.Other] {
        typealias Other = StudyBackup.Other
        func other(_ name: String, _ path: String, _ kind: Other.Kind = .plain) -> Other {
            Other(name, URL(filePath: file(path)), kind)
        }
        func list(_ prefix: String, in object: JSONValue) throws -> [Other] {
            try texts("questionnaires", in: object).enumerated().map {
                other("\(prefix)questionnaires.\($0)", $1)
            }
        }
        var others = [Other("config", URL(filePath: path), .configuration)]
        others += try list("", in: json)
        if let schedule = try text("schedule") { others.append(other("schedule", schedule)) }
        if let audit = try text("audit") { others.append(other("audit", audit, .auditLog)) }
        if let users = try text("users", in: json["pages"] ?? [:]) {
            others.append(other("pages.users", users))
        }
        let receiver = json["receiver"] ?? [:]
        for name in ["antispam", "codes", "appleRoot", "certificate", "keyList", "contents"] {
            guard let path = try text(name, in: receiver) else { continue }
            others.append(other("receiver.\(name)", path))
        }
        others += try list("receiver.", in: receiver)
        if let clients = try text("clients", in: receiver), !clients.hasPrefix("postgres") {
            others.append(other("receiver.clients", clients, .database))
        }
        let databases = Set(try databases().map(\.path))
        return others.filter { !databases.contains($0.url.filePath) }
    }

    /// Opens every file that the configuration names and ``plan()`` does not read.
    ///
    /// - Throws: ``CommandFailure`` with each that cannot be used, and why.
    func checkFiles() throws {
        var problems: [String] = []
        func check(_ name: String, _ path: String, _ body: () throws -> Void) {
            do { try body() } catch {
                let reason = (error as? CommandFailure)?.description ?? "\(error)"
                let text = reason.hasPrefix("error: ") ? String(reason.dropFirst(7)) : reason
                problems.append(
                    "\(self.path): error: “\(name)”: " + (text.contains(path) ? "" : "\(path): ") + text
                )
            }
        }
        for other in try others() {
            let path = other.url.filePath
            check(other.name, path) { try Self.check(other, path) }
        }
        for (name, path) in try databases() {
            let member = name == "queue" ? name : "store"
            check(member, path) { try Self.checkDatabase(path) }
        }
        guard problems.isEmpty else {
            throw CommandFailure(description: problems.joined(separator: "\n"), status: .wrongUse)
        }
    }

    /// The files of queue and warehouse. A configuration of several studies has none of its own.
    private func databases() throws -> [(name: String, path: String)] {
        isOfSeveral ? [] : try places().files
    }

    private static func check(_ other: StudyBackup.Other, _ path: String) throws {
        switch (other.kind, other.name) {
        case (.database, _): try checkDatabase(path)
        case (.auditLog, _): try checkWritable(path)
        case (_, "pages.users"): try StudyUserFile(other.url).check()
        case (_, "receiver.contents"):
            // Where nothing is published yet, there is a warning.
            let folder = StudyContentsFolder(other.url)
            if folder.isPublished { try folder.check() }
        case (_, "receiver.keyList"):
            guard path.fileExists else {
                StandardStreams.printError("warning: \(path): phones get no list of keys; publish one")
                return
            }
            _ = try InputFile(path: path).read()
        case (_, let name) where name.contains("questionnaires") || name == "schedule":
            // They have been read; each of them may be a folder.
            break
        default: _ = try InputFile(path: path).read()
        }
    }

    private static func checkDatabase(_ path: String) throws {
        try checkWritable(path)
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        defer { try? file.close() }
        let head = try file.read(upToCount: 16) ?? Data()
        guard head.isEmpty || head == Data("SQLite format 3\0".utf8) else {
            throw CommandFailure("\(path): this is no database of SQLite")
        }
    }

    /// A file that can be read and written, or made.
    private static func checkWritable(_ path: String) throws {
        let files = FileManager.default
        guard path.fileExists else {
            let folder = URL(filePath: path).deletingLastPathComponent().filePath
            guard folder.isFolder else {
                throw CommandFailure("\(path) cannot be made: there is no folder \(folder)")
            }
            guard files.isWritableFile(atPath: folder) else {
                throw CommandFailure("\(path) cannot be made: \(folder) cannot be written")
            }
            return
        }
        guard !path.isFolder else { throw CommandFailure("\(path): this is a folder, not a file") }
        guard StudyBackup.isRegularFile(path) else {
            throw CommandFailure("\(path): this is no regular file")
        }
        guard files.isReadableFile(atPath: path), files.isWritableFile(atPath: path) else {
            throw CommandFailure("\(path) cannot be read and written; look at its permissions with ls -l")
        }
    }
}
