import Foundation
import IndivoBase

/// A JSON Web Signature in compact form (RFC 7515, section 7.1), which JSON Web Tokens have, too.
///
/// Whoever has the key signs or verifies ``signingInput``, and reads the header's JSON.
package struct JWS: Sendable {
    /// The JOSE header: JSON with `alg`.
    package let header: Data
    /// What the signature is for.
    package let payload: Data
    /// Empty until it is signed.
    package var signature = Data()

    package init(header: Data, payload: Data) {
        self.header = header
        self.payload = payload
    }

    /// `nil` for anything but three parts in base64url.
    package init?(_ compact: String) {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// The bytes that are signed (RFC 7515, section 5.1).
    package var signingInput: Data {
        Data("\(Base64URL.encode(header)).\(Base64URL.encode(payload))".utf8)
    }

    /// The parts in base64url, with dots between them.
    package var compact: String { [header, payload, signature].map(Base64URL.encode).joined(separator: ".") }
}
