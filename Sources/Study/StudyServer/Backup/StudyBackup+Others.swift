import DurableQueue
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// The files and folders beside the databases.
extension StudyBackup {
    /// The most files of a folder.
    private static let maximumFiles = 10_000

    var present: [Other] { others.filter { $0.path.fileExists } }

    var missing: [Other] { others.filter { !$0.path.fileExists } }

    // MARK: Making

    /// Copies what is there, each file and folder once.
    ///
    /// - Returns: Their entries in the manifest.
    func copyOthers(to draft: URL) throws -> [JSONValue] {
        var entries: [JSONValue] = []
        var done: Set<String> = []
        for other in present {
            let path = other.url.standardizedFileURL.folderPath
            guard done.insert(path).inserted else { continue }
            let names = present.filter { $0.url.standardizedFileURL.folderPath == path }.map(\.name)
            let name = Self.freeName(other, in: draft)
            entries += try copy(other, as: name, to: draft).map { copied in
                var entry = copied
                entry["names"] = JSONValue(names.map { JSONValue($0) })
                return entry
            }
        }
        return entries
    }

    /// The file's own name, unless another has it.
    private static func freeName(_ other: Other, in draft: URL) -> String {
        let own = other.url.lastPathComponent
        let reserved = [manifestName, "queue.sqlite", "queue.dump", "warehouse.sqlite", "warehouse.dump"]
        let isFree = { (name: String) in
            !reserved.contains(name)
                && !draft.appending(path: name).folderPath.fileExists
        }
        guard !isFree(own) else { return own }
        // The names of a configuration's members are all different.
        let long = "\(other.name)-\(own)"
        return isFree(long) ? long : "\(other.name)-\(UUID().uuidString.lowercased())"
    }

    private func copy(_ other: Other, as name: String, to draft: URL) throws -> [JSONValue] {
        let target = draft.appending(path: name)
        switch other.kind {
        case .database:
            try Self.copy(other.url, to: target)
            for end in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: target.folderPath + end)
            }
            return [try Self.entry(of: target, name, original: other.url, path: nil)]
        case .auditLog:
            // No half of an entry.
            try AuditLog(other.url).withLock { try Self.copyFile(other.url, to: target) }
            return [try Self.entry(of: target, name, original: other.url, path: nil)]
        case .plain, .configuration:
            guard other.url.folderPath.isFolder else {
                try Self.copyFile(other.url, to: target)
                return [try Self.entry(of: target, name, original: other.url, path: nil)]
            }
            return try copyFolder(other.url, as: name, to: target)
        }
    }

    /// Copies a folder in one state: what somebody publishes meanwhile would be half old and half new.
    private func copyFolder(_ named: URL, as name: String, to target: URL) throws -> [JSONValue] {
        let folder = named.resolvingSymlinksInPath()
        for _ in 0..<3 {
            let before = try Self.state(of: folder)
            do {
                let entries = try before.keys.sorted().map { path in
                    let file = target.appending(path: path)
                    try PrivateFolder.make(file.deletingLastPathComponent())
                    try Self.copyFile(folder.appending(path: path), to: file)
                    return try Self.entry(
                        of: file,
                        "\(name)/\(path)",
                        original: folder.appending(path: path),
                        path: path
                    )
                }
                if try Self.state(of: folder) == before { return entries }
            } catch {
                // Where it did not change, it fails again.
                if try Self.state(of: folder) == before { throw error }
            }
            try? FileManager.default.removeItem(at: target)
        }
        throw StudyOperationsError.failed("\(folder.folderPath) is being changed; make the backup again")
    }

    private struct FileState: Equatable {
        let size: Int
        let changed: Date?
        let number: Int?
    }

    /// The files of a folder by their paths in it. Hidden ones are drafts and locks.
    private static func state(of folder: URL) throws -> [String: FileState] {
        guard let paths = FileManager.default.enumerator(atPath: folder.folderPath) else {
            throw StudyOperationsError.failed("\(folder.folderPath) cannot be read")
        }
        var states: [String: FileState] = [:]
        for case let path as String in paths {
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
            let file = folder.appending(path: path).folderPath
            let real = URL(filePath: file).resolvingSymlinksInPath().folderPath
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: real) else {
                throw StudyOperationsError.failed("\(file) cannot be read")
            }
            switch attributes[.type] as? FileAttributeType {
            case .typeRegular: break
            case .typeDirectory where !URL(filePath: file).isLink: continue
            default: throw StudyOperationsError.failed("\(file) is no file that a backup can have")
            }
            guard states.count < maximumFiles else {
                throw StudyOperationsError.failed("\(folder.folderPath) has more than \(maximumFiles) files")
            }
            states[path] = FileState(
                size: attributes[.size] as? Int ?? 0,
                changed: attributes[.modificationDate] as? Date,
                number: attributes[.systemFileNumber] as? Int
            )
        }
        return states
    }

    private static func copyFile(_ file: URL, to target: URL) throws {
        guard isRegularFile(file.folderPath), let source = try? FileHandle(forReadingFrom: file) else {
            throw StudyOperationsError.failed("\(file.folderPath) cannot be read")
        }
        defer { try? source.close() }
        try NewFile(target).write { write in
            while let data = try source.read(upToCount: 1 << 20), !data.isEmpty { try write(data) }
        }
    }

    private static func entry(of copy: URL, _ name: String, original: URL, path: String?) throws -> JSONValue
    {
        let (digest, bytes) = try digest(of: copy)
        let attributes = try? FileManager.default.attributesOfItem(atPath: original.folderPath)
        return [
            "part": "other", "name": JSONValue(name), "bytes": JSONValue(bytes), "sha256": JSONValue(digest),
            "path": JSONValue(path), "mode": JSONValue(attributes?[.posixPermissions] as? Int ?? 0o600),
        ]
    }

    // MARK: Restoring

    /// A file of a backup that is no database of the study.
    struct KeptFile {
        let url: URL
        /// What named it; none in backups of earlier builds.
        let names: [String]
        /// Its path in the folder that was named.
        let path: String?
        let mode: Int
        let digest: String?

        init(_ json: JSONValue, at url: URL) {
            self.url = url
            names = json["names"]?.elements?.compactMap(\.string) ?? []
            path = json["path"]?.string
            // Nothing that is kept is a program, or others' to write.
            mode = (json["mode"]?.integer ?? 0o600) & 0o644
            digest = json["sha256"]?.string
        }

        func isOf(_ other: Other) -> Bool {
            names.isEmpty ? url.lastPathComponent == other.url.lastPathComponent : names.contains(other.name)
        }
    }

    /// A file that is put back.
    struct ReturningFile {
        let kept: KeptFile
        let target: URL
        let kind: Other.Kind

        func write() throws {
            guard kind != .database else { return try StudyBackup.restore(kept.url, to: target) }
            let folder = target.deletingLastPathComponent()
            if !folder.folderPath.fileExists {
                // Who may read a published file may enter its folder.
                let readers = kept.mode & 0o444
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700 | readers | readers >> 2]
                )
            }
            try StudyBackup.copyFile(kept.url, to: target)
            try FileManager.default.setAttributes(
                [.posixPermissions: kept.mode],
                ofItemAtPath: target.folderPath
            )
        }
    }

    /// Which files are put back where. What is there with the same content stays.
    ///
    /// - Throws: ``StudyOperationsError`` for one that is in the way.
    func returning(_ kept: [KeptFile]) throws -> (files: [ReturningFile], present: [Other], missing: [Other])
    {
        var files: [String: ReturningFile] = [:]
        var present: [Other] = []
        for other in others {
            let own = kept.filter { $0.isOf(other) }
            if !own.isEmpty { present.append(other) }
            for file in own {
                if let path = file.path, !Self.isSafe(path) {
                    throw StudyOperationsError.failed(
                        "\(Self.manifestName) has a path that leaves its folder"
                    )
                }
                let target = file.path.map { other.url.appending(path: $0) } ?? other.url
                let path = target.folderPath
                if path.fileExists {
                    let isSame = (try? Self.digest(of: target))?.digest == file.digest
                    if isSame || other.kind == .auditLog || other.kind == .configuration { continue }
                    try Self.checkIsFree(path)
                }
                if other.kind == .database { try Self.checkIsFree(path) }
                files[path] = ReturningFile(kept: file, target: target, kind: other.kind)
            }
        }
        let missing = others.filter { other in !present.contains { $0.name == other.name } }
        return (files.sorted { $0.key < $1.key }.map(\.value), present, missing)
    }

    /// Whether a path stays in its folder.
    static func isSafe(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return !parts.isEmpty && parts.allSatisfy { !["", ".", ".."].contains($0) }
    }

    /// The configuration that a backup has; `nil` where it has none.
    ///
    /// - Parameter name: What its file is called, for backups of earlier builds.
    /// - Throws: ``StudyOperationsError`` for what is not a backup, or damaged.
    public static func configuration(in folder: URL, named name: String) throws -> Data? {
        let other = Other("config", URL(filePath: name), .configuration)
        for file in try manifest(of: folder)["files"]?.elements ?? [] {
            guard file["part"]?.string == "other", let stored = file["name"]?.string, isSafe(stored) else {
                continue
            }
            let kept = KeptFile(file, at: folder.appending(path: stored))
            guard kept.path == nil, kept.isOf(other) else { continue }
            guard let found = try? digest(of: kept.url), found.digest == kept.digest, found.bytes < 1 << 20
            else {
                throw StudyOperationsError.failed("\(stored) is damaged or missing: it has another digest")
            }
            return try Data(contentsOf: kept.url)
        }
        return nil
    }
}

extension URL {
    fileprivate var isLink: Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folderPath)) != nil
    }
}
