import Crypto
import Foundation
import HTTPCalls
import ZipArchive

/// An archive to write: its information and its files. The files are read when it is written.
///
/// ```swift
/// var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary", taskRun: run))
/// try archive.add("answers.json", response)
/// try archive.add(contentsOf: recording)
/// ```
public struct StudyArchive: Sendable {
    /// The archive's information; the files are added by ``add(_:_:contentType:timestamp:)``.
    public private(set) var info: ArchiveInfo
    private var sources: [BodySource] = []
    private var names = ArchiveNames()
    private let limits: ArchiveLimits

    /// - Throws: ``StudyError/badInput(reason:)`` for an invalid study or item.
    public init(_ info: ArchiveInfo, limits: ArchiveLimits = ArchiveLimits()) throws(StudyError) {
        for (what, text) in [("study", info.study), ("item", info.item)] {
            guard let text, !text.isEmpty, text.utf8.count <= 255,
                !text.unicodeScalars.contains(where: {
                    $0.value < 0x20
                        || $0.value == 0x7F
                })
            else {
                throw .badInput(
                    reason: "the \(what) of an archive has 1 to 255 bytes, as in org.example.sleep"
                )
            }
        }
        self.info = info
        self.info.files = []
        self.limits = limits
    }

    /// Adds a file from memory.
    public mutating func add(
        _ name: String,
        _ data: Data,
        contentType: String? = nil,
        timestamp: StudyTime? = nil
    ) throws(StudyError) {
        try add(name, .data(data), contentType: contentType, timestamp: timestamp)
    }

    /// Adds a file from the disk under its own name, with the time when it was last changed.
    public mutating func add(contentsOf file: URL, contentType: String? = nil) throws(StudyError) {
        let (source, modified) = try BodySource.fileAndTime(file)
        try add(file.lastPathComponent, source, contentType: contentType, timestamp: modified)
    }

    mutating func add(_ name: String, _ source: BodySource, contentType: String?, timestamp: StudyTime?)
        throws(StudyError)
    {
        try names.add(name)
        try limits.check(count: sources.count + 1, sizes: (sources + [source]).map(\.size))
        sources.append(source)
        info.files.append(
            ArchiveInfo.File(
                name: name,
                contentType: contentType ?? ArchiveInfo.contentType(of: name),
                timestamp: timestamp ?? info.timestamp
            )
        )
    }

    /// The bytes of its files together.
    public var size: Int { sources.reduce(0) { $0 + $1.size } }

    /// Writes the archive, a zip, from its first byte to its last.
    ///
    /// - Returns: The id of what is in it: a UUID made of SHA-256 of the files and of what they are, whatever
    ///   the time.
    @discardableResult
    package func write(for subject: String = "", to sink: @escaping (Data) throws -> Void) throws -> UUID {
        guard !sources.isEmpty else { throw StudyError.badInput(reason: "an archive without files") }
        var digest = SHA256()
        func add(_ text: String) {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { digest.update(bufferPointer: $0) }
            digest.update(data: Data(text.utf8))
        }
        for text in ["study delivery 1", subject, info.study ?? "", info.item ?? "", info.taskRun ?? ""] {
            add(text)
        }
        let zip = ZipWriter(limits: limits.zip) { try sink(Data($0)) }
        let time = info.timestamp.map { ZipTime($0.date) } ?? ZipTime(year: 1980, month: 1, day: 1)
        try zip.add(ArchiveInfo.fileName, data: Data(info.json.utf8(.pretty)), modified: time)
        for (file, source) in Swift.zip(info.files, sources) {
            add(file.name)
            add(file.contentType ?? "")
            withUnsafeBytes(of: UInt64(source.size).bigEndian) { digest.update(bufferPointer: $0) }
            try zip.add(file.name, modified: file.timestamp.map { ZipTime($0.date) } ?? time) { write in
                try source.forEachPiece { piece in
                    digest.update(data: piece)
                    try write([UInt8](piece))
                }
            }
        }
        try zip.finish()
        return UUID(of: digest.finalize())
    }

    /// Writes the archive into a new file.
    ///
    /// - Parameter encryption: The encryption; without it everybody can read the archive.
    /// - Throws: ``StudyError``; then there is no file.
    public func write(to file: URL, encryption: CMSEncryption? = nil) throws {
        try NewFile(file).write { write in
            guard let encryption else {
                try self.write(to: write)
                return
            }
            try encryption.encrypt(in: file.deletingLastPathComponent()) { try self.write(to: $0) }
                .forEachPiece(write)
        }
    }
}

extension UUID {
    /// The first half of a digest, marked as a UUID of version 8 (RFC 9562, 5.8).
    package init(of digest: SHA256.Digest) {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
