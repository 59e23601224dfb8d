/// Texts of attributes: entities replaced, characters checked.
enum ExportText {
    /// - Throws: ``SampleError/syntax(_:)`` for characters that XML does not have, and entities that are
    ///   unknown.
    static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ name: some CustomStringConvertible
    ) throws(SampleError) -> String {
        guard let plain = String(validating: bytes, as: UTF8.self) else {
            throw .syntax("'\(name)' is not UTF-8")
        }
        var hasEntity = false
        for byte in bytes {
            if byte == UInt8(ascii: "&") { hasEntity = true }
            if byte < 32, byte != 9, byte != 10, byte != 13 {
                throw .syntax("'\(name)' has the control character \(byte)")
            }
        }
        guard hasEntity else { return plain }
        var text = ""
        var rest = plain[...]
        while let start = rest.firstIndex(of: "&") {
            text += rest[..<start]
            guard let end = rest[start...].prefix(12).firstIndex(of: ";") else {
                throw .syntax("'\(name)' has an & without entity")
            }
            text.unicodeScalars.append(try scalar(of: rest[rest.index(after: start)..<end], name))
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func scalar(
        of entity: Substring,
        _ name: some CustomStringConvertible
    ) throws(SampleError) -> Unicode.Scalar {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                entity.hasPrefix("#x")
                ? UInt32(entity.dropFirst(2), radix: 16)
                : entity.hasPrefix("#") ? UInt32(entity.dropFirst()) : nil
            guard let number, let scalar = Unicode.Scalar(number) else {
                throw .syntax("'\(name)' has the unknown entity '&\(entity);'")
            }
            guard number >= 32 || [9, 10, 13].contains(number) else {
                throw .syntax("'\(name)' has the control character \(number)")
            }
            return scalar
        }
    }
}
