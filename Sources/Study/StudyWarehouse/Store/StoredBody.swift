import Foundation
import OrderedJSON

/// The content of a message as `study_message` has it: an envelope is JSON with most of its bytes in base64,
/// which takes a third more than they do. Those are kept as they are, and what comes back is the same byte
/// for byte.
enum StoredBody {
    /// What is packed begins so; no JSON and no package does.
    private static let mark = Data([0x00]) + Data("b64".utf8)
    /// The shortest text of base64 that is worth it.
    private static let shortest = 64

    /// How a piece of the content is kept.
    private enum Piece: UInt8 {
        case plain = 0
        case base64 = 1
    }

    /// The bytes that are kept.
    static func packed(_ content: Data) -> Data {
        let spans = spans(of: content)
        // What happens to begin with the mark is packed, too, so that it comes back.
        guard !spans.isEmpty || content.starts(with: mark) else { return content }
        var packed = mark
        packed.reserveCapacity(content.count)
        var position = content.startIndex
        for (range, bytes) in spans {
            append(content[position..<range.lowerBound], .plain, to: &packed)
            append(bytes, .base64, to: &packed)
            position = range.upperBound
        }
        append(content[position...], .plain, to: &packed)
        return packed
    }

    /// The texts that the JSON's members have in base64 in its one canonical form, with what they stand for.
    private static func spans(of content: Data) -> [(Range<Data.Index>, Data)] {
        guard content.first == UInt8(ascii: "{"), let json = try? JSONValue(parsing: content) else {
            return []
        }
        return (json.members ?? []).compactMap { member in
            guard member.value.kind == .string, let quoted = member.value.sourceRange,
                quoted.count >= shortest + 2
            else { return nil }
            let start = content.startIndex + quoted.lowerBound + 1
            let text = content[start..<start + quoted.count - 2]
            guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
            return (start..<start + quoted.count - 2, bytes)
        }
    }

    private static func append(_ bytes: Data, _ piece: Piece, to packed: inout Data) {
        packed.append(piece.rawValue)
        withUnsafeBytes(of: UInt32(clamping: bytes.count).bigEndian) { packed.append(contentsOf: $0) }
        packed.append(bytes)
    }

    /// The content. What an earlier version kept was not packed.
    static func content(_ packed: Data) -> Data {
        guard packed.starts(with: mark) else { return packed }
        var content = Data(capacity: packed.count + packed.count / 2)
        var rest = packed.dropFirst(mark.count)
        while !rest.isEmpty {
            guard let piece = rest.first.flatMap(Piece.init), rest.count >= 5 else { return packed }
            let count = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(5)
            guard rest.count >= count else { return packed }
            switch piece {
            case .plain: content += rest.prefix(count)
            case .base64: content += rest.prefix(count).base64EncodedData()
            }
            rest = rest.dropFirst(count)
        }
        return content
    }
}
