import CZlib
import Foundation

/// Why a package is not unpacked.
enum ArchiveError: Error {
    case malformed(String)
    case tooLarge(String)
}

/// Data in the format gzip (RFC 1952).
enum Gzip {
    /// The bytes, unpacked.
    ///
    /// - Parameter limit: How many they may be.
    static func unpack(_ data: Data, limit: Int) throws(ArchiveError) -> [UInt8] {
        var stream = z_stream()
        // 16 more than the window's size: gzip, and nothing else.
        guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .malformed("zlib has no memory") }
        defer { inflateEnd(&stream) }
        var input = [UInt8](data)
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var status = Z_OK
        // The pointers are used only while the arrays are held.
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            repeat {
                let size = piece.count
                let produced = piece.withUnsafeMutableBufferPointer { piece in
                    stream.next_out = piece.baseAddress
                    stream.avail_out = UInt32(size)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return size - Int(stream.avail_out)
                }
                output += piece[..<produced]
            } while status == Z_OK && output.count <= limit
        }
        guard output.count <= limit else { throw .tooLarge("the package has more than \(limit) bytes") }
        guard status == Z_STREAM_END else { throw .malformed("its gzip is broken or cut off") }
        return output
    }
}

/// A plain file of a tar archive (POSIX.1-1988 `ustar`).
struct TarEntry {
    let name: String
    /// Where its bytes are in the archive.
    let range: Range<Int>

    static func entries(of tar: [UInt8], limit: Int) throws(ArchiveError) -> [TarEntry] {
        var entries: [TarEntry] = []
        var offset = 0
        var longName: String?
        while offset + 512 <= tar.count {
            let header = tar[offset..<offset + 512]
            if header.allSatisfy({ $0 == 0 }) { break }
            guard let size = octal(tar[offset + 124..<offset + 136]),
                let sum = octal(tar[offset + 148..<offset + 156]),
                checksum(header) == sum
            else { throw .malformed("its tar has no header at byte \(offset)") }
            let start = offset + 512
            guard size <= tar.count - start else { throw .malformed("its tar is cut off") }
            let range = start..<start + size
            switch tar[offset + 156] {
            // A long name of GNU's, and extended headers of POSIX, are for the entry that follows.
            case UInt8(ascii: "L"): longName = text(tar[range])
            case UInt8(ascii: "x"): longName = path(in: tar[range]) ?? longName
            case 0, UInt8(ascii: "0"):
                var name = text(tar[offset..<offset + 100])
                let prefix = text(tar[offset + 345..<offset + 500])
                if tar[offset + 257..<offset + 262].elementsEqual("ustar".utf8), !prefix.isEmpty {
                    name = "\(prefix)/\(name)"
                }
                name = longName ?? name
                longName = nil
                entries.append(
                    TarEntry(name: name.hasPrefix("./") ? String(name.dropFirst(2)) : name, range: range)
                )
                guard entries.count <= limit else {
                    throw .tooLarge("the package has more than \(limit) files")
                }
            default: longName = nil
            }
            offset = start + (size + 511) / 512 * 512
        }
        guard !entries.isEmpty else { throw .malformed("its tar has no files") }
        return entries
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func octal(_ bytes: ArraySlice<UInt8>) -> Int? {
        let digits = text(bytes).trimmingCharacters(in: .whitespaces)
        return digits.isEmpty ? 0 : Int(digits, radix: 8).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The sum of the header's bytes, with spaces where the sum stands.
    private static func checksum(_ header: ArraySlice<UInt8>) -> Int {
        header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    }

    /// `LENGTH path=NAME` of an extended header.
    private static func path(in bytes: ArraySlice<UInt8>) -> String? {
        for line in bytes.split(separator: 0x0A) {
            let words = line.split(separator: 0x20, maxSplits: 1)
            if words.count == 2, words[1].starts(with: "path=".utf8) {
                return String(decoding: words[1].dropFirst(5), as: UTF8.self)
            }
        }
        return nil
    }
}
