import Foundation
import IndivoBase
import OrderedJSON

/// The content of a message as `study_message` has it: an envelope is JSON, most of it texts in base64, which
/// take a third more space than the bytes that they encode. Those bytes are stored decoded, and the JSON
/// around them is compressed; reading gives the same content byte for byte.
///
/// After the mark follow, as numbers of variable length: the count of such texts; for each, the length of the
/// JSON before it and its own length; the length of the JSON, and its compressed length, or 0 if it is not
/// compressed. Then comes the JSON, then the bytes of the texts.
enum StoredBody {
    /// The first bytes of packed content; neither JSON nor a package begins with them.
    private static let mark = Data([0x00, 0x02])
    /// The shortest text of base64 that is stored decoded.
    private static let shortest = 64
    /// The longest JSON around such texts that is compressed.
    private static let maximumJSON = 4096

    /// The preset dictionary of the compression: the JSON around the texts, as C3-PRO's apps write it. Stored
    /// content cannot be read without it, so it never changes.
    static let dictionary = Array(
        (#"{"version": "4.0.1", "message": "", "symmetric_key": "", "key_id": ""}"#
            + #"{"key_id": "key-1", "symmetric_key": "", "message": "", "version": "4.0.1"}"#
            + #"{"message":"","symmetric_key":"","key_id":"","version":"4.0.1"}"#
            + #"{"key_id":"key-1","symmetric_key":"","message":"","version":"4.0.1"}"#).utf8
    )

    /// The bytes that are kept.
    static func packed(_ content: Data) -> Data {
        let spans = spans(of: content)
        // What happens to begin with a mark is packed, too, so that it comes back.
        let isMarked = content.starts(with: mark) || content.starts(with: PiecewiseBody.mark)
        guard !spans.isEmpty || isMarked else { return content }
        var packed = mark
        packed.reserveCapacity(content.count)
        append(spans.count, to: &packed)
        var json = Data()
        var position = content.startIndex
        for (range, bytes) in spans {
            json += content[position..<range.lowerBound]
            append(range.lowerBound - position, to: &packed)
            append(bytes.count, to: &packed)
            position = range.upperBound
        }
        json += content[position...]
        let short = json.count > maximumJSON ? nil : DictionaryDeflate.packed(json, dictionary)
        append(json.count, to: &packed)
        append(short?.count ?? 0, to: &packed)
        packed += short ?? json
        for (_, bytes) in spans { packed += bytes }
        return packed
    }

    /// The content. What is damaged is given as it is, and so is what an earlier version did not pack.
    static func content(_ packed: Data) -> Data {
        guard packed.starts(with: mark) else { return PiecewiseBody.content(packed) }
        return unpacked(packed.dropFirst(mark.count)) ?? packed
    }

    private static func unpacked(_ packed: Data) -> Data? {
        var rest = packed
        guard let count = number(&rest), count <= rest.count else { return nil }
        var spans: [(before: Int, bytes: Int)] = []
        for _ in 0..<count {
            guard let before = number(&rest), let bytes = number(&rest) else { return nil }
            spans.append((before, bytes))
        }
        guard let length = number(&rest), let short = number(&rest),
            short == 0 || length <= maximumJSON, (short == 0 ? length : short) <= rest.count
        else { return nil }
        let stored = rest.prefix(short == 0 ? length : short)
        guard
            var json = short == 0 ? stored : DictionaryDeflate.unpacked(stored, dictionary, count: length)
        else { return nil }
        rest = rest.dropFirst(stored.count)
        var content = Data(capacity: length + rest.count + rest.count / 2)
        for (before, bytes) in spans {
            guard before <= json.count, bytes <= rest.count else { return nil }
            content += json.prefix(before)
            content += rest.prefix(bytes).base64EncodedData()
            json = json.dropFirst(before)
            rest = rest.dropFirst(bytes)
        }
        return rest.isEmpty ? content + json : nil
    }

    // MARK: Numbers

    /// Seven bits a byte, the lowest first; all bytes but the last have the highest bit.
    private static func append(_ number: Int, to packed: inout Data) {
        var rest = number
        while rest > 0x7F {
            packed.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        packed.append(UInt8(rest))
    }

    private static func number(_ rest: inout Data) -> Int? {
        var number = 0
        // Contents are far shorter than 2^35 bytes.
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        return nil
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
            guard let bytes = Data(base64Encoded: text), isCanonical(text, of: bytes) else { return nil }
            return (start..<start + quoted.count - 2, bytes)
        }
    }

    /// Whether base64 is written as an encoder writes it. Four characters stand for three bytes in one way
    /// alone, so that only the end can be written in another.
    private static func isCanonical(_ text: Data, of bytes: Data) -> Bool {
        let isPaddedWithin = text.dropLast(2).withUnsafeBytes { $0.index(of: UInt8(ascii: "=")) != nil }
        guard !bytes.isEmpty, text.count == (bytes.count + 2) / 3 * 4, !isPaddedWithin else { return false }
        let last = bytes.suffix((bytes.count - 1) % 3 + 1)
        return last.base64EncodedData() == text.suffix(4)
    }
}

/// A content as an earlier version kept it: its pieces, each with a byte for its kind and its length in four.
enum PiecewiseBody {
    static let mark = Data([0x00]) + Data("b64".utf8)

    private enum Piece: UInt8 {
        case plain = 0
        case base64 = 1
    }

    /// The content; what is not packed, or is damaged, is given as it is.
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
