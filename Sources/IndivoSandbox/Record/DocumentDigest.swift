import Foundation

/// The digests that the server tells of documents.
package enum DocumentDigest {
    /// Of text: SHA-256 in hexadecimal digits.
    package static func text(_ data: Data) -> String { SHA256.hex(data) }

    /// Of a binary document: SHA-1 in hexadecimal digits.
    package static func binary(_ data: Data) -> String { SHA1.hex(data) }
}
