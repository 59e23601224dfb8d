import CBZip2
import Foundation
import HTTPCalls

/// Unpacks what bzip2 packed.
enum BZip2 {
    /// Unpacks one stream or several after each other.
    ///
    /// - Parameter limit: The most bytes that may come out.
    /// - Returns: What came out, in a file without a name.
    static func unpack(_ source: BodySource, limit: Int) throws -> ScratchFile {
        let scratch = try ScratchFile()
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
        defer { output.deallocate() }
        // libbz2 keeps a pointer back to the stream it was opened with: it must stay at one address.
        let stream = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)
        stream.initialize(to: bz_stream())
        defer { stream.deallocate() }
        var isOpen = false
        defer { if isOpen { BZ2_bzDecompressEnd(stream) } }
        var total = 0

        for offset in stride(from: 0, to: source.size, by: 1 << 18) {
            var input = [UInt8](try source.read(at: offset, count: 1 << 18))
            let count = input.count
            try input.withUnsafeMutableBufferPointer { input in
                var used = 0
                // Output may be held back although all input is taken; then a round without input brings it.
                var mayHaveMore = true
                while used < count || mayHaveMore {
                    if !isOpen {
                        guard used < count else { return }
                        stream.pointee = bz_stream()
                        guard BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
                            throw StudyError.storage(reason: "bzip2 has no memory")
                        }
                        isOpen = true
                    }
                    // The buffer lives until the end of this closure, and libbz2 keeps no pointer to it
                    // between calls.
                    stream.pointee.next_in = UnsafeMutableRawPointer(input.baseAddress! + used)
                        .assumingMemoryBound(to: CChar.self)
                    stream.pointee.avail_in = UInt32(count - used)
                    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
                    stream.pointee.avail_out = UInt32(output.count)
                    let code = BZ2_bzDecompress(stream)
                    used = count - Int(stream.pointee.avail_in)
                    let made = output.count - Int(stream.pointee.avail_out)
                    mayHaveMore = made == output.count
                    total += made
                    guard total <= limit else {
                        throw StudyError.tooLarge(
                            what: "a package unpacks to more than \(limit) bytes",
                            limit: limit
                        )
                    }
                    try scratch.append(Data(output.prefix(made)))
                    switch code {
                    case BZ_OK: break
                    case BZ_STREAM_END:
                        BZ2_bzDecompressEnd(stream)
                        isOpen = false
                        mayHaveMore = false
                    default:
                        throw StudyError.malformed(
                            format: "bzip2 file",
                            offset: offset + used,
                            reason: "its blocks are damaged (\(code))"
                        )
                    }
                }
            }
        }
        guard !isOpen else {
            throw StudyError.malformed(format: "bzip2 file", offset: source.size, reason: "it is cut off")
        }
        return scratch
    }
}
