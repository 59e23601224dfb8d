import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5), as in tokens.
package enum Base64URL {
    package static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `nil` for anything but what ``encode(_:)`` gives: a character of another alphabet, padding, bits that stand for nothing.
    package static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy(isLetter), text.utf8.count % 4 != 1 else { return nil }
        let padded = String(text).replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), encode(data) == text else { return nil }
        return data
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39, UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
