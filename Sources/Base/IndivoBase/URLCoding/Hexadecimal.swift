/// Bytes as hexadecimal digits, in lower case: digests, fingerprints and names made from them.
package enum Hexadecimal {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// Whether a text is such digits of so many bytes.
    package static func isEncoded(_ text: String, bytes: Int) -> Bool {
        text.utf8.count == 2 * bytes
            && text.utf8.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
    }
}
