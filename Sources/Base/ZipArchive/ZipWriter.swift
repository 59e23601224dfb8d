import Foundation
import IndivoBase

/// Writes an archive, entry by entry, in constant memory.
///
///     let archive = try ZipWriter(url: url)
///     try archive.add("notes.txt", data: notes)
///     try archive.add("samples.ndjson") { write in
///         for line in lines { try write(Array(line.utf8)) }
///     }
///     try archive.finish()
///
/// A file appears only with ``finish()``, complete, and readable by its owner only. What the writer makes,
/// ``ZipReader`` reads with the same ``ZipLimits``; more is an error when it is written. After an error
/// nothing more can be written.
public final class ZipWriter {
    private let limits: ZipLimits
    private let sink: (UnsafeRawBufferPointer) throws -> Void
    private let draft: Disk.Draft?
    private var offset: UInt64 = 0
    private var total: UInt64 = 0
    private var count = 0
    private var names: Set<String> = []
    private var directory: [UInt8] = []
    private var isClosed = false

    /// An archive that goes wherever `sink` puts it. Nothing is written twice, so that it can be encrypted on
    /// its way.
    public init(limits: ZipLimits = ZipLimits(), sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.limits = limits
        self.sink = sink
        draft = nil
    }

    /// An archive in a file, which replaces one that is there.
    /// - Throws: ``ZipError/system(reason:)``.
    public init(url: URL, limits: ZipLimits = ZipLimits()) throws(ZipError) {
        let draft = try ZipWriter.storing { try Disk().draft(url.path) }
        self.limits = limits
        self.draft = draft
        sink = { bytes in try ZipWriter.storing { try draft.append(bytes) } }
    }

    /// Adds a file of known bytes.
    /// - Throws: ``ZipError``, or what the sink throws.
    public func add(
        _ name: String,
        data: Data,
        method: ZipEntry.Method = .deflated,
        modified: ZipTime = ZipTime(year: 1980, month: 1, day: 1)
    ) throws {
        try add(name, method: method, modified: modified) { write in try write([UInt8](data)) }
    }

    /// Adds an empty folder. Folders of files need none.
    /// - Throws: ``ZipError``, or what the sink throws.
    public func addFolder(_ name: String, modified: ZipTime = ZipTime(year: 1980, month: 1, day: 1)) throws {
        try add(name.hasSuffix("/") ? name : name + "/", isFolder: true, method: .stored, modified: modified)
        { _ in }
    }

    /// Adds a file whose bytes `body` gives, in as many pieces as it likes.
    /// - Parameter modified: The time of the entry. The default is the earliest one, so that equal contents
    ///   give equal archives.
    /// - Throws: ``ZipError``, or what `body` or the sink throws.
    public func add(
        _ name: String,
        method: ZipEntry.Method = .deflated,
        modified: ZipTime = ZipTime(year: 1980, month: 1, day: 1),
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        try add(name, isFolder: false, method: method, modified: modified, body)
    }

    /// Writes the directory, and gives the file its name.
    /// - Throws: ``ZipError``, or what the sink throws.
    public func finish() throws {
        guard !isClosed else { throw ZipError.writerIsClosed }
        isClosed = true
        let start = offset
        let size = UInt64(directory.count)
        try put(directory)
        var end: [UInt8] = []
        if count >= 0xFFFF || size >= 0xFFFF_FFFF || start >= 0xFFFF_FFFF {
            let record = offset
            end.append32(ZipSignature.end64)
            end.append64(44)
            for version: UInt16 in [3 << 8 | 45, 45] { end.append16(version) }
            for disk: UInt32 in [0, 0] { end.append32(disk) }
            for number in [UInt64(count), UInt64(count), size, start] { end.append64(number) }
            end.append32(ZipSignature.locator64)
            end.append32(0)
            end.append64(record)
            end.append32(1)
        }
        end.append32(ZipSignature.end)
        for number: UInt16 in [0, 0, UInt16(clamping: count), UInt16(clamping: count)] {
            end.append16(number)
        }
        for number in [size, start] { end.append32(UInt32(clamping: number)) }
        end.append16(0)
        try put(end)
        try Self.storing {
            do { try draft?.commit() } catch let failure as DiskFailure where failure.isUnsupportedFolderSync
            {}
        }
    }

    /// Runs `body`, and converts a disk's failure.
    private static func storing<Value>(_ body: () throws -> Value) throws(ZipError) -> Value {
        do { return try body() } catch {
            throw .system(reason: "\(error)")
        }
    }

    private func add(
        _ name: String,
        isFolder: Bool,
        method: ZipEntry.Method,
        modified: ZipTime,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard !isClosed else { throw ZipError.writerIsClosed }
        // Until the entry is whole, the archive is not one.
        isClosed = true
        try check(name, isFolder: isFolder, method: method)
        let nameBytes = Array(name.utf8)
        let start = offset
        // What comes is not known: the sizes follow in a descriptor, which has 64 bits because the header has
        // that field.
        let flags: UInt16 = 1 << 11 | (isFolder ? 0 : 1 << 3)
        var header: [UInt8] = []
        header.append32(ZipSignature.local)
        for number: UInt16 in [isFolder ? 20 : 45, flags, method.code] { header.append16(number) }
        header.append32(modified.bits)
        header.append32(0)
        for _ in 0..<2 { header.append32(isFolder ? 0 : .max) }
        header.append16(UInt16(nameBytes.count))
        header.append16(isFolder ? 0 : 20)
        header += nameBytes
        if !isFolder {
            for number: UInt16 in [1, 16] { header.append16(number) }
            for _ in 0..<2 { header.append64(0) }
        }
        try put(header)
        let packer = try ZipPacker(isDeflating: method == .deflated)
        let dataStart = offset
        try body { bytes in
            let (size, isOver) = packer.size.addingReportingOverflow(UInt64(bytes.count))
            guard !isOver, size <= limits.entrySize else {
                throw ZipError.tooLarge(
                    what: "the entry \(name.debugDescription) has more bytes than allowed",
                    limit: limits.entrySize
                )
            }
            guard total <= limits.totalSize, size <= limits.totalSize - total else {
                throw ZipError.tooLarge(
                    what: "the entries have together more bytes than allowed",
                    limit: limits.totalSize
                )
            }
            try packer.add(bytes) { try put($0) }
        }
        try packer.finish { try put($0) }
        let compressed = offset - dataStart
        if !isFolder {
            var descriptor: [UInt8] = []
            descriptor.append32(ZipSignature.descriptor)
            descriptor.append32(packer.checksum)
            for number in [compressed, packer.size] { descriptor.append64(number) }
            try put(descriptor)
        }
        total += packer.size
        count += 1
        list(
            nameBytes,
            flags: flags,
            method: method,
            modified: modified,
            checksum: packer.checksum,
            sizes: [
                packer.size,
                compressed, start,
            ]
        )
        guard UInt64(directory.count) <= limits.directorySize else {
            throw ZipError.tooLarge(
                what: "the central directory has more bytes than allowed",
                limit: limits.directorySize
            )
        }
        isClosed = false
    }

    private func check(_ name: String, isFolder: Bool, method: ZipEntry.Method) throws(ZipError) {
        if case .other(let code) = method {
            throw .unsupported(name: name, reason: "the writer knows no method \(code)")
        }
        try ZipName.check(name, limits: limits)
        guard name.utf8.count <= 0xFFFF else {
            throw .badName(name: String(name.prefix(200)), reason: "it is too long")
        }
        guard isFolder || !name.hasSuffix("/") else { throw .badName(name: name, reason: "it is a folder's") }
        guard names.insert(ZipName.key(name)).inserted else {
            throw .badName(name: name, reason: "the archive has it twice")
        }
        guard count < limits.entries else {
            throw .tooLarge(
                what: "the archive has more entries than allowed",
                limit: UInt64(max(limits.entries, 0))
            )
        }
    }

    /// Adds a record to the directory. `sizes` are the entry's, packed, and where its header is.
    private func list(
        _ name: [UInt8],
        flags: UInt16,
        method: ZipEntry.Method,
        modified: ZipTime,
        checksum: UInt32,
        sizes: [UInt64]
    ) {
        let wide = sizes.filter { $0 >= 0xFFFF_FFFF }
        directory.append32(ZipSignature.directory)
        for number: UInt16 in [3 << 8 | 45, 45, flags, method.code] { directory.append16(number) }
        directory.append32(modified.bits)
        directory.append32(checksum)
        directory.append32(UInt32(clamping: sizes[1]))
        directory.append32(UInt32(clamping: sizes[0]))
        for number in [UInt16(name.count), UInt16(wide.isEmpty ? 0 : 4 + 8 * wide.count), 0, 0, 0] {
            directory.append16(number)
        }
        // Unix's mode of a file or folder of its owner.
        directory.append32(name.last == UInt8(ascii: "/") ? 0o040700 << 16 | 16 : 0o100600 << 16)
        directory.append32(UInt32(clamping: sizes[2]))
        directory += name
        if !wide.isEmpty {
            directory.append16(1)
            directory.append16(UInt16(8 * wide.count))
            for number in wide { directory.append64(number) }
        }
    }

    private func put(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try sink($0) }
        offset += UInt64(bytes.count)
    }
}
