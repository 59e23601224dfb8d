import CZlib
import Foundation

/// Raw deflate (RFC 1951) of short contents that have much in common, which zlib knows beforehand: its preset
/// dictionary.
enum DictionaryDeflate {
    /// The bytes, packed; `nil` where zlib has no memory.
    static func packed(_ content: Data, _ dictionary: [UInt8]) -> Data? {
        var stream = z_stream()
        let isReady = deflateInit2_(
            &stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            -MAX_WBITS,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard isReady == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        guard deflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) == Z_OK else { return nil }
        let room = Int(deflateBound(&stream, UInt(content.count)))
        return run(&stream, content, room: room) { deflate(&$0, Z_FINISH) }
    }

    /// The bytes that were packed.
    ///
    /// - Parameter count: How many there are; `nil` is returned where that is not so.
    static func unpacked(_ packed: Data, _ dictionary: [UInt8], count: Int) -> Data? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        guard inflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) == Z_OK else { return nil }
        let content = run(&stream, packed, room: count) { inflate(&$0, Z_FINISH) }
        return content?.count == count ? content : nil
    }

    /// What zlib makes of all of the bytes; `nil` where they do not end with its stream, or where that needs
    /// more room.
    private static func run(
        _ stream: inout z_stream,
        _ bytes: Data,
        room: Int,
        _ body: (inout z_stream) -> Int32
    ) -> Data? {
        // zlib counts in 32 bits.
        guard let given = UInt32(exactly: bytes.count), let free = UInt32(exactly: max(1, room)) else {
            return nil
        }
        var input = [UInt8](bytes)
        var output = [UInt8](repeating: 0, count: Int(free))
        // zlib does not write to its input, and the pointers are used only while the arrays are held.
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = given
                stream.next_out = output.baseAddress
                stream.avail_out = free
                return body(&stream)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { return nil }
        return Data(output.prefix(Int(free - stream.avail_out)))
    }
}
