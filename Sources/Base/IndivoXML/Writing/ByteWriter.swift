/// The bytes of a document that is being written.
struct ByteWriter {
    private(set) var bytes = Column<UInt8>()
    /// Whether references are those of Canonical XML 1.0, section 2.3.
    var isCanonical = false

    @inline(__always)
    mutating func write(_ text: StaticString) {
        bytes.append(contentsOf: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func write(_ text: UTF8Bytes) { bytes.append(contentsOf: text) }

    @inline(__always)
    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(_ text: String) { text.withBytes { bytes.append(contentsOf: $0) } }

    mutating func indent(_ level: Int) {
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<level * 2 { bytes.append(0x20) }
    }

    /// Writes character data with the signs that XML reserves escaped.
    /// - Returns: The first character that XML cannot carry, if there is one.
    @inline(__always)
    mutating func writeEscaped(_ text: UTF8Bytes, _ place: Escaping) -> Unicode.Scalar? {
        guard let start = text.baseAddress else { return nil }
        var from = 0
        for index in 0..<text.count {
            let byte = start[index]
            // The table knows the bytes that need a second look; most need none.
            if !place.isSpecial(byte) { continue }
            let replacement: StaticString
            switch byte {
            case UInt8(ascii: "&"): replacement = "&amp;"
            case UInt8(ascii: "<"): replacement = "&lt;"
            case UInt8(ascii: ">"): replacement = "&gt;"
            case UInt8(ascii: "\""): replacement = "&quot;"
            case 0x09: replacement = isCanonical ? "&#x9;" : "&#9;"
            case 0x0A: replacement = isCanonical ? "&#xA;" : "&#10;"
            case 0x0D: replacement = isCanonical ? "&#xD;" : "&#13;"
            case 0xEF:
                // U+FFFE and U+FFFF, which are not characters.
                if index + 2 < text.count, start[index + 1] == 0xBF, start[index + 2] >= 0xBE {
                    return Unicode.Scalar(start[index + 2] == 0xBE ? 0xFFFE : 0xFFFF)
                }
                continue
            default: return Unicode.Scalar(byte)
            }
            bytes.append(contentsOf: start + from, count: index - from)
            write(replacement)
            from = index + 1
        }
        bytes.append(contentsOf: start + from, count: text.count - from)
        return nil
    }

    mutating func deallocate() { bytes.deallocate() }
}

/// Where character data stands, which decides what must be escaped.
enum Escaping {
    case text, attribute

    @inline(__always)
    func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), 0xEF: true
        case UInt8(ascii: ">"): self == .text
        case UInt8(ascii: "\""): self == .attribute
        case 0x09, 0x0A: self == .attribute
        default: byte < 0x20
        }
    }
}
