import CZlib

/// The bytes of one entry, unpacked in pieces. The last piece is given only when length and checksum are
/// right.
public final class ZipEntryStream {
    private let entry: ZipEntry
    private let source: ZipSource
    private let pieceSize = 256 << 10
    /// The packed bytes that are not yet read.
    private var offset: UInt64
    private var remaining: UInt64
    private var packed: [UInt8] = []
    private var packedIndex = 0
    private var produced: UInt64 = 0
    private var checksum: UInt = 0
    private var inflater = z_stream()
    private var isInflating = false
    private var state = State.reading

    private enum State {
        case reading
        case ended
        case failed(ZipError)
    }

    init(_ entry: ZipEntry, of archive: ZipReader) throws(ZipError) {
        self.entry = entry
        source = archive.source
        if entry.isEncrypted { throw .unsupported(name: entry.name, reason: "it is encrypted") }
        if case .other(let code) = entry.method {
            throw .unsupported(name: entry.name, reason: "packed by method \(code)")
        }
        let header = try source.read(at: entry.offset, count: 30)
        guard header.get32(0) == ZipSignature.local, let method = header.get16(8),
            let nameLength = header.get16(26),
            let extraLength = header.get16(28)
        else {
            throw .malformed(
                offset: entry.offset,
                reason: "no local header of \(entry.name.debugDescription) here"
            )
        }
        let name = try source.read(at: entry.offset + 30, count: Int(nameLength))
        guard name == entry.nameBytes, method == entry.method.code else {
            throw .malformed(
                offset: entry.offset,
                reason: "the local header differs from the directory's \(entry.name.debugDescription)"
            )
        }
        offset = entry.offset + 30 + UInt64(nameLength) + UInt64(extraLength)
        remaining = entry.compressedSize
        guard offset <= archive.directoryOffset, remaining <= archive.directoryOffset - offset else {
            throw .malformed(
                offset: entry.offset,
                reason: "\(entry.name.debugDescription) does not end before the directory"
            )
        }
        if entry.method == .deflated {
            // Raw deflate, without zlib's header.
            guard
                inflateInit2_(&inflater, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else {
                throw .system(reason: "zlib has no memory")
            }
            isInflating = true
        }
    }

    deinit { if isInflating { inflateEnd(&inflater) } }

    /// The next piece, at most 256 kB; nil at the end.
    /// - Throws: ``ZipError``; after an error every further call throws the same one.
    public func next() throws(ZipError) -> [UInt8]? {
        switch state {
        case .ended: return nil
        case .failed(let error): throw error
        case .reading: break
        }
        do throws(ZipError) {
            let piece = entry.method == .stored ? try copied() : try inflated()
            produced += UInt64(piece.count)
            guard produced <= entry.size else {
                throw ZipError.corrupt(name: entry.name, reason: "more than its \(entry.size) bytes")
            }
            checksum = piece.withUnsafeBufferPointer { crc32(checksum, $0.baseAddress, UInt32($0.count)) }
            if produced == entry.size, !hasMore { try finish() }
            if piece.isEmpty {
                guard case .ended = state else {
                    throw ZipError.corrupt(name: entry.name, reason: "it ends after \(produced) bytes")
                }
                return nil
            }
            return piece
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private var hasMore: Bool { entry.method == .stored ? remaining > 0 : isInflating }

    private func finish() throws(ZipError) {
        guard remaining == 0, packedIndex == packed.count else {
            throw .corrupt(name: entry.name, reason: "packed bytes are left over")
        }
        guard UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
            throw .corrupt(name: entry.name, reason: "the checksum is wrong")
        }
        state = .ended
    }

    private func copied() throws(ZipError) -> [UInt8] {
        let count = Int(min(UInt64(pieceSize), remaining))
        let bytes = try source.read(at: offset, count: count)
        offset += UInt64(count)
        remaining -= UInt64(count)
        return bytes
    }

    /// Up to a piece of unpacked bytes; fewer at the end of the deflate stream.
    private func inflated() throws(ZipError) -> [UInt8] {
        var failure: ZipError?
        let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, filled in
            filled = 0
            while filled < pieceSize, isInflating {
                if packedIndex == packed.count, remaining > 0 {
                    let count = Int(min(64 << 10, remaining))
                    do throws(ZipError) { packed = try source.read(at: offset, count: count) } catch {
                        return failure = error
                    }
                    packedIndex = 0
                    offset += UInt64(count)
                    remaining -= UInt64(count)
                }
                let before = (given: packed.count - packedIndex, room: pieceSize - filled)
                let code = packed.withUnsafeMutableBufferPointer { input in
                    // zlib does not write to its input, and keeps neither pointer: both are set anew at each
                    // call.
                    inflater.next_in = input.baseAddress.map { $0 + packedIndex }
                    inflater.avail_in = UInt32(before.given)
                    inflater.next_out = buffer.baseAddress! + filled
                    inflater.avail_out = UInt32(before.room)
                    return inflate(&inflater, Z_NO_FLUSH)
                }
                packedIndex += before.given - Int(inflater.avail_in)
                filled += before.room - Int(inflater.avail_out)
                switch code {
                case Z_OK: break
                case Z_STREAM_END:
                    inflateEnd(&inflater)
                    isInflating = false
                case Z_BUF_ERROR where before.given == 0:
                    return failure = .corrupt(name: entry.name, reason: "the deflate stream is cut off")
                default:
                    return failure = .corrupt(
                        name: entry.name,
                        reason: "the deflate stream is invalid (\(code))"
                    )
                }
            }
        }
        if let failure { throw failure }
        return piece
    }
}
