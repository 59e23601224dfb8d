import CZlib

/// Packs the bytes of one entry, and counts and sums them.
final class ZipPacker {
    private(set) var size: UInt64 = 0
    private var sum: UInt = 0
    private var deflater = z_stream()
    private let isDeflating: Bool

    var checksum: UInt32 { UInt32(truncatingIfNeeded: sum) }

    init(isDeflating: Bool) throws(ZipError) {
        self.isDeflating = isDeflating
        guard isDeflating else { return }
        // Raw deflate, without zlib's header, with the level and memory that zlib has by default.
        let code = deflateInit2_(
            &deflater,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            -MAX_WBITS,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else { throw .system(reason: "zlib has no memory") }
    }

    deinit { if isDeflating { deflateEnd(&deflater) } }

    func add(_ bytes: [UInt8], _ put: ([UInt8]) throws -> Void) throws {
        // zlib counts in 32 bits.
        var start = 0
        while start < bytes.count {
            let end = min(start + 1 << 20, bytes.count)
            sum = bytes[start..<end].withUnsafeBufferPointer { crc32(sum, $0.baseAddress, UInt32($0.count)) }
            if isDeflating {
                try deflate(bytes[start..<end], Z_NO_FLUSH, put)
            } else {
                try put(Array(bytes[start..<end]))
            }
            size += UInt64(end - start)
            start = end
        }
    }

    func finish(_ put: ([UInt8]) throws -> Void) throws {
        if isDeflating { try deflate([], Z_FINISH, put) }
    }

    private func deflate(_ bytes: ArraySlice<UInt8>, _ flush: Int32, _ put: ([UInt8]) throws -> Void) throws {
        var input = Array(bytes)
        var index = 0
        let room = 64 << 10
        while true {
            var code = Z_OK
            let packed = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                let given = input.count - index
                code = input.withUnsafeMutableBufferPointer { input in
                    // zlib does not write to its input, and keeps neither pointer: both are set anew at each
                    // call.
                    deflater.next_in = input.baseAddress.map { $0 + index }
                    deflater.avail_in = UInt32(given)
                    deflater.next_out = buffer.baseAddress
                    deflater.avail_out = UInt32(room)
                    return CZlib.deflate(&deflater, flush)
                }
                index += given - Int(deflater.avail_in)
                filled = room - Int(deflater.avail_out)
            }
            guard code >= Z_OK || code == Z_BUF_ERROR else {
                throw ZipError.system(reason: "zlib failed (\(code))")
            }
            if !packed.isEmpty { try put(packed) }
            // A full buffer may have left something behind; when it is not full, everything is out.
            if code == Z_STREAM_END || packed.count < room { return }
        }
    }
}
