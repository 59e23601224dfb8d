/// Percent-escapes, decoded leniently, as the real server's framework does: what is no escape stays as it is.
enum PercentCoding {
    /// Decodes `%XX` once; nil when the bytes that come out are not UTF-8. An escape that is not one stays as it is.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        var pending: [UInt8] = []
        while let byte = pending.popLast() ?? rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let first = pending.popLast() ?? rest.next() else {
                bytes.append(byte)
                continue
            }
            guard let high = hexValue(first) else {
                bytes.append(byte)
                pending.append(first)
                continue
            }
            guard let second = pending.popLast() ?? rest.next() else {
                bytes += [byte, first]
                continue
            }
            guard let low = hexValue(second) else {
                bytes += [byte, first]
                pending.append(second)
                continue
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
