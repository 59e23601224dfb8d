import Foundation

/// The digests that a server reports for documents, by the number of their hexadecimal digits.
package enum DocumentDigest: Int {
    /// SHA-256, of texts.
    case sha256 = 64
    /// SHA-1, of binary documents.
    case sha1 = 40

    /// The kind of a digest in hexadecimal digits, by its length; `nil` when it is neither.
    package init?(matchingFormOf digest: String) { self.init(rawValue: digest.utf8.count) }

    /// The digest in lower-case hexadecimal digits.
    package func hex(of data: Data) -> String { self == .sha256 ? SHA256.hex(data) : SHA1.hex(data) }
}
