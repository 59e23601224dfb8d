import Foundation
import HTTPCalls
import OrderedJSON
import ZipArchive

/// An archive that was opened: its information, and its files, which are not read yet.
public struct ArchiveContents: Sendable {
    /// What the archive says.
    public let info: ArchiveInfo
    /// The same as it is in the archive, JSON.
    public let infoData: Data
    /// The files in their order.
    public let files: [File]

    /// A file of an archive.
    public struct File: Sendable {
        /// Name, type and time.
        public let info: ArchiveInfo.File
        private let reader: @Sendable (_ write: (Data) throws -> Void) throws -> Void

        init(
            _ info: ArchiveInfo.File,
            read: @escaping @Sendable (_ write: (Data) throws -> Void) throws -> Void
        ) {
            self.info = info
            reader = read
        }

        /// Gives the file's bytes, piece by piece. That they are whole is known when this returns.
        public func read(_ body: (Data) throws -> Void) throws { try reader(body) }
    }

    /// - Throws: ``StudyError/badName(name:reason:)`` for a name that no file should have.
    init(info: ArchiveInfo, infoData: Data, files: [File]) throws(StudyError) {
        var names = ArchiveNames()
        for file in files { try names.add(file.info.name) }
        self.info = info
        self.infoData = infoData
        self.files = files
    }

    /// Opens an archive in zip form.
    ///
    /// - Parameter path: By which this process can open the file.
    init(zip path: String, limits: ArchiveLimits) throws {
        do {
            let zip = try ZipReader(url: URL(filePath: path), limits: limits.zip)
            guard let entry = zip[ArchiveInfo.fileName] else {
                throw StudyError.malformed(
                    format: "archive",
                    reason: "it has no \(ArchiveInfo.fileName)"
                )
            }
            let data = try zip.data(of: entry, limit: ArchiveInfo.maximumLength)
            let info = try ArchiveInfo(parsing: data)
            let listed = Dictionary(firstOf: info.files.map { ($0.name, $0) })
            let files = try zip.entries.filter { $0.name != ArchiveInfo.fileName }.map { entry in
                guard let file = listed[entry.name] else {
                    throw StudyError.badName(name: entry.name, reason: "info.json does not list it")
                }
                return File(file) { write in
                    do {
                        try zip.read(entry) { try write(Data($0)) }
                    } catch let error as ZipError {
                        throw StudyError(error)
                    }
                }
            }
            let present = Set(files.map(\.info.name))
            if let missing = info.files.first(where: { !present.contains($0.name) }) {
                throw StudyError.malformed(
                    format: "archive",
                    reason: "info.json lists \(missing.name.debugDescription), which is not there"
                )
            }
            try self.init(info: info, infoData: data, files: files)
        } catch let error as ZipError {
            throw StudyError(error)
        }
    }

    /// One FHIR resource as an archive of one file.
    init(resource: Data, _ json: JSONValue) throws {
        let name = [json["resourceType"]?.string, json["id"]?.string].compactMap { $0 }.joined(separator: "-")
        let isPlain =
            (1...100).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic
                        || $0.properties.numericType != nil || $0 == "-" || $0 == ".")
            }
        let file = ArchiveInfo.File(
            name: (isPlain ? name : "resource") + ".json",
            contentType: "application/fhir+json"
        )
        var info = ArchiveInfo(study: "", item: "", files: [file])
        info.study = nil
        info.item = nil
        info.timestamp = nil
        try self.init(
            info: info,
            infoData: Data(info.json.utf8(.pretty)),
            files: [File(file) { try $0(resource) }]
        )
    }

    /// The same of a message that nothing authenticates, see ``StudyError/unauthenticated``.
    var unauthenticated: ArchiveContents {
        get throws {
            try ArchiveContents(
                info: info,
                infoData: infoData,
                files: files.map { file in
                    File(file.info) { write in
                        do { try file.read(write) } catch let error as StudyError {
                            throw error.unauthenticated
                        }
                    }
                }
            )
        }
    }

    /// Writes the files and `info.json` into a new folder, which is there whole or not at all.
    ///
    /// - Parameter folder: A new folder in one that exists; it is made with access for its owner only.
    /// - Throws: ``StudyError``.
    public func write(to folder: URL) throws { try NewFolder(folder).write(self) }
}

extension StudyError {
    init(_ error: ZipError) {
        switch error {
        case .notAnArchive(let reason): self = .malformed(format: "archive", reason: reason)
        case .malformed(let offset, let reason):
            self = .malformed(format: "archive", offset: Int(clamping: offset), reason: reason)
        case .badName(let name, let reason): self = .badName(name: name, reason: reason)
        case .tooLarge(let what, let limit): self = .tooLarge(what: what, limit: Int(clamping: limit))
        case .unsupported, .corrupt, .notFound, .writerIsClosed:
            self = .malformed(format: "archive", reason: "\(error)")
        case .system(let reason): self = .storage(reason: reason)
        }
    }
}
