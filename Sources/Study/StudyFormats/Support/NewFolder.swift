import Foundation
import IndivoBase

/// A folder that is to be made, for its owner only: it is there whole, or not at all.
struct NewFolder {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// Writes an archive's files. While it does, no other process writes into the same parent; drafts that
    /// dead processes left there are removed.
    func write(_ contents: ArchiveContents) throws {
        var parent = url.deletingLastPathComponent().filePath
        if parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
        let path = url.filePath
        let disk = Disk()
        let files = FileManager.default
        let isNew = access(parent, F_OK) != 0
        // Nothing is left of what is refused, neither the folder around it; one with something in it stays.
        defer { if isNew { rmdir(parent) } }
        do {
            try disk.makeFolder(parent)
            let lock = try FileLock(waitingForFolder: parent.isEmpty ? "." : parent)
            defer { withExtendedLifetime(lock) {} }
            // What a person named `.unpacking-…` stays.
            for name in (try? files.contentsOfDirectory(atPath: parent)) ?? []
            where name.hasPrefix(Self.prefix)
                && UUID(uuidString: String(name.dropFirst(Self.prefix.count))) != nil
            {
                try? files.removeItem(atPath: parent + "/" + name)
            }
            guard !path.fileExists else {
                throw StudyError.storage(
                    reason:
                        "\(path) is there already, and is not overwritten; remove it or choose another folder"
                )
            }
            let draft = parent + "/" + Self.prefix + UUID().uuidString.lowercased()
            do {
                try disk.makeFolder(draft)
                func write(_ name: String, _ content: (Disk.Draft) throws -> Void) throws {
                    do {
                        try disk.writeAtomically(to: name, in: draft, content)
                    } catch let failure as DiskFailure where failure.isUnsupportedFolderSync {}
                }
                try write(ArchiveInfo.fileName) { try $0.append(contents.infoData) }
                for file in contents.files {
                    try write(file.info.name) { draft in try file.read { try draft.append($0) } }
                    if let time = file.info.timestamp {
                        // A disk that knows no such time keeps its own.
                        try? files.setAttributes(
                            [.modificationDate: time.date],
                            ofItemAtPath: draft + "/" + file.info.name
                        )
                    }
                }
                guard rename(draft, path) == 0 else {
                    throw StudyError.storage(
                        reason: "\(path) cannot be made: \(String(cString: strerror(errno)))"
                    )
                }
                do {
                    try disk.syncFolder(parent)
                } catch let failure as DiskFailure where failure.isUnsupportedFolderSync {}
            } catch {
                try? files.removeItem(atPath: draft)
                throw error
            }
        } catch let failure as DiskFailure {
            throw StudyError.storage(reason: "\(failure)")
        }
    }

    /// Begins otherwise than the drafts of files, which a queue in the same folder may have.
    private static let prefix = ".unpacking-"
}
