// Whoever signs has the forms, the escapes and the secrets with it.
@_exported import SecretText
@_exported import URLCoding

extension Secret {
    /// The secret's UTF-8, percent-encoded: one half of a signing key (RFC 5849, section 3.4.2).
    var percentEncoded: [UInt8] { withBytes { PercentEncoding.encodedBytes($0) } }
}
