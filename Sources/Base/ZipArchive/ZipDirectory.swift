/// The central directory at an archive's end.
enum ZipDirectory {
    struct Extent {
        var offset: UInt64
        var size: UInt64
        var count: UInt64
    }

    /// Finds the directory by the end record, or by its form of 64 bits.
    static func find(in source: ZipSource, limits: ZipLimits) throws(ZipError) -> Extent {
        let tail = Int(min(source.size, 22 + 65_535 + 20))
        guard tail >= 22 else { throw .notAnArchive(reason: "it has only \(source.size) bytes") }
        let tailOffset = source.size - UInt64(tail)
        let bytes = try source.read(at: tailOffset, count: tail)
        // The comment after the record ends with the file; this distinguishes the record from a comment that
        // looks like one.
        let index = stride(from: tail - 22, through: max(0, tail - 22 - 65_535), by: -1).first {
            bytes[$0] == 0x50 && bytes.get32($0) == ZipSignature.end
                && bytes.get16($0 + 20).map(Int.init) == tail - 22 - $0
        }
        guard let index else { throw .notAnArchive(reason: "no end record in its last \(tail) bytes") }
        let endOffset = tailOffset + UInt64(index)
        guard let disk = bytes.get16(index + 4), let firstDisk = bytes.get16(index + 6),
            let onDisk = bytes.get16(index + 8),
            let count = bytes.get16(index + 10), let size = bytes.get32(index + 12),
            let offset = bytes.get32(index + 16)
        else { throw .malformed(offset: endOffset, reason: "the end record is cut off") }
        var extent = Extent(offset: UInt64(offset), size: UInt64(size), count: UInt64(count))
        var directoryEnd = endOffset
        if index >= 20, bytes.get32(index - 20) == ZipSignature.locator64, let at = bytes.get64(index - 12) {
            guard at <= endOffset - 20, endOffset - 20 - at >= 56 else {
                throw .malformed(offset: endOffset - 20, reason: "the locator points beyond itself")
            }
            let record = try source.read(at: at, count: 56)
            guard record.get32(0) == ZipSignature.end64, let disk = record.get32(16),
                let firstDisk = record.get32(20),
                let onDisk = record.get64(24), let count = record.get64(32), let size = record.get64(40),
                let offset = record.get64(48)
            else { throw .malformed(offset: at, reason: "no end record of 64 bits where the locator points") }
            guard disk == 0, firstDisk == 0, onDisk == count else {
                throw .malformed(offset: at, reason: "the archive has several parts, which are not read")
            }
            extent = Extent(offset: offset, size: size, count: count)
            directoryEnd = at
        } else if disk != 0 || firstDisk != 0 || onDisk != count {
            throw .malformed(offset: endOffset, reason: "the archive has several parts, which are not read")
        }
        if extent.count > UInt64(max(limits.entries, 0)) {
            throw .tooLarge(
                what: "the archive has \(extent.count) entries",
                limit: UInt64(max(limits.entries, 0))
            )
        }
        if extent.size > limits.directorySize {
            throw .tooLarge(
                what: "the central directory has \(extent.size) bytes",
                limit: limits.directorySize
            )
        }
        guard extent.size <= directoryEnd, extent.offset == directoryEnd - extent.size else {
            throw .malformed(
                offset: endOffset,
                reason:
                    "the directory should end at byte \(directoryEnd); the end record has it "
                    + "at \(extent.offset) with \(extent.size) bytes"
            )
        }
        return extent
    }

    /// The entries, checked: names, sizes, bounds, and that none overlaps another.
    static func entries(of extent: Extent, in source: ZipSource, limits: ZipLimits) throws(ZipError)
        -> [ZipEntry]
    {
        let bytes = try source.read(at: extent.offset, count: Int(extent.size))
        var entries: [ZipEntry] = []
        var names: Set<String> = []
        var total: UInt64 = 0
        var index = 0
        for _ in 0..<extent.count {
            let (entry, next) = try entry(at: index, of: bytes, extent: extent)
            try ZipName.check(entry.name, limits: limits)
            guard names.insert(ZipName.key(entry.name)).inserted else {
                throw .badName(name: entry.name, reason: "the archive has it twice")
            }
            guard entry.size <= limits.entrySize else {
                throw .tooLarge(
                    what: "the entry \(entry.name.debugDescription) has \(entry.size) bytes",
                    limit: limits.entrySize
                )
            }
            // Both are below 2^64 / 2 because of the limits, or the sum is reported as too large.
            let (sum, isOver) = total.addingReportingOverflow(entry.size)
            guard !isOver, sum <= limits.totalSize else {
                throw .tooLarge(
                    what: "the entries have together more bytes than allowed",
                    limit: limits.totalSize
                )
            }
            total = sum
            entries.append(entry)
            index = next
        }
        guard index == bytes.count else {
            throw .malformed(
                offset: extent.offset + UInt64(index),
                reason: "the directory is longer than its entries"
            )
        }
        try checkExtents(of: entries, before: extent.offset)
        return entries
    }

    /// Overlapping entries are how a small archive pretends to be a huge one.
    private static func checkExtents(of entries: [ZipEntry], before end: UInt64) throws(ZipError) {
        var free: UInt64 = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            let header = 30 + UInt64(entry.nameBytes.count)
            guard entry.offset >= free else {
                throw .malformed(
                    offset: entry.offset,
                    reason: "the entry \(entry.name.debugDescription) overlaps another"
                )
            }
            guard entry.offset <= end, end - entry.offset >= header,
                entry.compressedSize <= end - entry.offset - header
            else {
                throw .malformed(
                    offset: entry.offset,
                    reason: "the entry \(entry.name.debugDescription) does not end before the directory"
                )
            }
            free = entry.offset + header + entry.compressedSize
        }
    }

    private static func entry(at index: Int, of bytes: [UInt8], extent: Extent) throws(ZipError) -> (
        ZipEntry, next: Int
    ) {
        let offset = extent.offset + UInt64(index)
        guard bytes.get32(index) == ZipSignature.directory, let flags = bytes.get16(index + 8),
            let method = bytes.get16(index + 10),
            let time = bytes.get32(index + 12), let checksum = bytes.get32(index + 16),
            let compressed = bytes.get32(index + 20),
            let size = bytes.get32(index + 24), let nameLength = bytes.get16(index + 28).map(Int.init),
            let extraLength = bytes.get16(index + 30).map(Int.init),
            let commentLength = bytes.get16(index + 32).map(Int.init),
            let header = bytes.get32(index + 42)
        else { throw .malformed(offset: offset, reason: "no directory record here") }
        let next = index + 46 + nameLength + extraLength + commentLength
        guard next <= bytes.count else {
            throw .malformed(offset: offset, reason: "the directory record is cut off")
        }
        let nameBytes = Array(bytes[index + 46..<index + 46 + nameLength])
        guard let name = ZipName.decode(nameBytes, isUTF8: flags & 1 << 11 != 0) else {
            throw .malformed(offset: offset, reason: "the entry's name is not UTF-8")
        }
        var wide = try WideFields(bytes, from: index + 46 + nameLength, count: extraLength, offset: offset)
        let sizes = (
            size: try wide.value(of: size, offset), compressed: try wide.value(of: compressed, offset),
            header: try wide.value(of: header, offset)
        )
        let kind = ZipEntry.Method(code: method)
        switch kind {
        case .stored where sizes.size != sizes.compressed && flags & 1 == 0:
            throw .malformed(
                offset: offset,
                reason: "the entry \(name.debugDescription) is stored with two different sizes"
            )
        case .deflated where sizes.size / ZipLimits.deflateRatio > sizes.compressed:
            throw .malformed(
                offset: offset,
                reason:
                    """
                    the entry \(name.debugDescription) cannot be \(sizes.size) bytes: \
                    deflate stored \(sizes.compressed)
                    """
            )
        default: break
        }
        let entry = ZipEntry(
            name: name,
            size: sizes.size,
            compressedSize: sizes.compressed,
            modified: ZipTime(bits: time),
            method: kind,
            checksum: checksum,
            isEncrypted: flags & 1 != 0,
            nameBytes: nameBytes,
            offset: sizes.header
        )
        return (entry, next)
    }

    /// The extra field with numbers of 64 bits: in order, those that did not fit into 32 bits.
    private struct WideFields {
        private let bytes: [UInt8]
        private var index = 0
        private var end = 0

        init(_ bytes: [UInt8], from start: Int, count: Int, offset: UInt64) throws(ZipError) {
            self.bytes = bytes
            var at = start
            while at + 4 <= start + count, let id = bytes.get16(at),
                let length = bytes.get16(at + 2).map(Int.init)
            {
                guard at + 4 + length <= start + count else {
                    throw .malformed(offset: offset, reason: "an extra field is longer than its record")
                }
                if id == 1 {
                    index = at + 4
                    end = at + 4 + length
                    return
                }
                at += 4 + length
            }
        }

        mutating func value(of narrow: UInt32, _ offset: UInt64) throws(ZipError) -> UInt64 {
            guard narrow == .max else { return UInt64(narrow) }
            guard index + 8 <= end, let wide = bytes.get64(index) else {
                // 4,294,967,295 stands for itself only if there is no such field at all.
                if end == 0 { return UInt64(narrow) }
                throw .malformed(offset: offset, reason: "the extra field of 64 bits is too short")
            }
            index += 8
            return wide
        }
    }
}
