import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5), as in tokens.
package enum Base64URL {
    package static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=",
            with: ""
        )
    }

    /// `nil` for anything but what ``encode(_:)`` gives: a character of another alphabet, padding, bits that
    /// stand for nothing.
    package static func decode(_ text: some StringProtocol) -> Data? {
        let padded =
            String(text).replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        // What else the decoder takes comes back as another text.
        guard let data = Data(base64Encoded: padded), encode(data).utf8.elementsEqual(text.utf8) else {
            return nil
        }
        return data
    }
}
