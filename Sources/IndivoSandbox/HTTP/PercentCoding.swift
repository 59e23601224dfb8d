import URLCoding

/// Percent-escapes, decoded leniently, as the real server's framework does: what is no escape stays as it is.
enum PercentCoding {
    /// Decodes `%XX` once; nil when the bytes that come out are not UTF-8.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        PercentEncoding.decodeLeniently(text, plusIsSpace: plusIsSpace)
    }
}
