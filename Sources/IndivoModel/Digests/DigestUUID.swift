import URLCoding

/// UUIDs that a digest determines (RFC 9562).
package enum DigestUUID {
    /// The first 16 bytes of a digest as a UUID in lower case.
    ///
    /// - Parameters:
    ///   - digest: At least 16 bytes.
    ///   - version: 5 for a name in a namespace (SHA-1), 8 for anything else.
    package static func text(_ digest: some Sequence<UInt8>, version: UInt8) -> String {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.encode(bytes[$0]) }.joined(separator: "-")
    }
}
