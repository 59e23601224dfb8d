extension UInt8 {
    /// Whether the byte is a digit in ASCII.
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }

    /// Whether the byte is a letter in ASCII.
    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// Whether the byte is a letter or a digit in ASCII.
    @inlinable package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}

extension StringProtocol {
    /// Whether there are digits in ASCII, and nothing else.
    @inlinable package var isASCIIDigits: Bool { !isEmpty && utf8.allSatisfy(\.isASCIIDigit) }
}
