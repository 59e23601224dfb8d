/// Bytes as hexadecimal digits, in lower case: digests, fingerprints and names made from them.
package enum Hexadecimal {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = ""
        for byte in bytes {
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
        }
        return text
    }
}
