import Foundation

extension UnsafeRawBufferPointer {
    /// Where a byte is first in a range of the bytes; nil where it is not. By `memchr`, which looks at many
    /// bytes at once in a debug build, too.
    @inlinable package func index(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // The range lies in the bytes, so that there is an address where the range is not empty.
        guard !range.isEmpty, let base = baseAddress,
            let found = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return base.distance(to: found)
    }

    /// Where a byte is first; nil where it is not.
    @inlinable package func index(of byte: UInt8) -> Int? { index(of: byte, in: 0..<count) }
}
