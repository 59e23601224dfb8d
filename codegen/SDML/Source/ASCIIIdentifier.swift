import IndivoBase

extension String {
    /// Whether it is an identifier in the languages of servers and clients alike: ASCII letters, digits and
    /// `_`, no digit first.
    package var isASCIIIdentifier: Bool {
        guard let first = utf8.first, !first.isASCIIDigit else { return false }
        return utf8.allSatisfy(\.isASCIIWord)
    }
}

extension UInt8 {
    var isASCIIWord: Bool { isASCIILetterOrDigit || self == UInt8(ascii: "_") }
}
