import Foundation
import IndivoBase

/// A file that is to be made, for its owner only: it is there whole, or not at all.
package struct NewFile {
    private let url: URL

    /// - Throws: ``StudyError/storage(reason:)`` when there is one of the name already: nothing is
    ///   overwritten.
    package init(_ url: URL) throws(StudyError) {
        guard !url.filePath.fileExists else {
            throw Self.exists(url)
        }
        self.url = url
    }

    /// Writes the file.
    /// - Throws: What `body` throws; ``StudyError/storage(reason:)``.
    package func write(_ body: (_ write: @escaping (Data) throws -> Void) throws -> Void) throws {
        do {
            try Disk().writeAtomically(
                to: url.lastPathComponent,
                in: url.deletingLastPathComponent().folderPath,
                replacing: false
            ) { draft in
                try body { try draft.append($0) }
            }
        } catch let failure as DiskFailure where failure.code == EEXIST {
            throw Self.exists(url)
        } catch let failure as DiskFailure where failure.isUnsupportedFolderSync {
            // The file has its name, and is whole.
        } catch let failure as DiskFailure {
            // It got its name before the folder could not be stored.
            if failure.step == .syncFolder { unlink(url.path(percentEncoded: false)) }
            throw StudyError.storage(reason: "\(failure)")
        }
    }

    /// Writes files into a folder, which is made if need be: all of them, or none.
    /// - Throws: ``StudyError/storage(reason:)`` when one of the names is there already.
    package static func write(_ files: [(name: String, content: Data)], in folder: URL) throws {
        let new = try files.map {
            (
                url: folder.appending(path: $0.name), file: try NewFile(folder.appending(path: $0.name)),
                $0.content
            )
        }
        try PrivateFolder.make(folder)
        var written: [URL] = []
        do {
            for (url, file, content) in new {
                try file.write { try $0(content) }
                written.append(url)
            }
        } catch {
            for url in written { try? FileManager.default.removeItem(at: url) }
            throw error
        }
    }

    private static func exists(_ url: URL) -> StudyError {
        .storage(
            reason:
                """
                \(url.filePath) is there already, and is not overwritten; \
                remove it or choose another name
                """
        )
    }
}

/// Folders that only their owner can enter.
package enum PrivateFolder {
    /// Makes a folder, with those it is in, unless it is there.
    package static func make(_ folder: URL) throws(StudyError) {
        var path = folder.filePath
        if path.count > 1, path.hasSuffix("/") { path.removeLast() }
        do {
            try Disk().makeFolder(path)
        } catch {
            throw .storage(reason: "\(error)")
        }
    }
}
