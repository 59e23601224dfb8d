import ZipArchive

/// The bounds of archives. They are the same for writing and reading, so that no archive is written that
/// readers refuse.
public struct ArchiveLimits: Sendable, Hashable {
    /// The files of an archive, `info.json` left out.
    public var files = 1000
    /// The bytes of one file.
    public var fileSize = 16 << 30
    /// The bytes of all files.
    public var totalSize = 64 << 30
    /// The bytes of an archive in one of the forms packed by bzip2, unpacked: they were made in memory on a
    /// phone.
    public var bzip2Size = 256 << 20

    /// The bounds given above.
    public init() {}

    var zip: ZipLimits {
        var limits = ZipLimits()
        limits.entries = max(0, min(files, 1 << 20)) + 1
        limits.entrySize = UInt64(max(fileSize, ArchiveInfo.maximumLength))
        limits.totalSize = UInt64(max(0, totalSize)) + UInt64(ArchiveInfo.maximumLength)
        limits.nameLength = ArchiveNames.maximumLength
        return limits
    }

    func check(count: Int, sizes: some Sequence<Int>) throws(StudyError) {
        guard count <= files else { throw .tooLarge(what: "\(count) files in one archive", limit: files) }
        var total = 0
        for size in sizes {
            guard size <= fileSize else { throw .tooLarge(what: "a file of \(size) bytes", limit: fileSize) }
            total += size
            guard total <= totalSize else {
                throw .tooLarge(what: "files of more than \(total) bytes together", limit: totalSize)
            }
        }
    }
}
