/// Numbers of the format: little-endian, of 2, 4 and 8 bytes.
extension Array where Element == UInt8 {
    mutating func append16(_ value: UInt16) {
        for shift in [0, 8] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func append32(_ value: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    mutating func append64(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// The number of `count` bytes at an index; nil when the array ends before.
    private func number(at index: Int, count: Int) -> UInt64? {
        guard index >= 0, index <= self.count - count else { return nil }
        return (0..<count).reduce(0) { $0 | UInt64(self[index + $1]) << UInt64(8 * $1) }
    }

    func get16(_ index: Int) -> UInt16? { number(at: index, count: 2).map { UInt16($0) } }
    func get32(_ index: Int) -> UInt32? { number(at: index, count: 4).map { UInt32($0) } }
    func get64(_ index: Int) -> UInt64? { number(at: index, count: 8) }
}

/// The signatures of the format's records.
enum ZipSignature {
    static let local: UInt32 = 0x0403_4B50
    static let descriptor: UInt32 = 0x0807_4B50
    static let directory: UInt32 = 0x0201_4B50
    static let end: UInt32 = 0x0605_4B50
    static let end64: UInt32 = 0x0606_4B50
    static let locator64: UInt32 = 0x0706_4B50
}
