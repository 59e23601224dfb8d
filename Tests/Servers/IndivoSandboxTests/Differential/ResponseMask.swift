import Foundation
import TestSupport

/// Takes out of a response what differs from one server to the other whatever is asked: times of the days of
/// the recording, and ids.
struct ResponseMask {
    /// Where the recorded server was, for bodies that name it.
    let base: String
    /// The days on which something was recorded: `2026-11-21`.
    private let days: Set<[UInt8]>

    init(_ recording: Recording) {
        base = recording.base
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "yyyy-MM-dd"
        var days = Set(
            recording.exchanges.compactMap { $0.answeredAt.map { Array(format.string(from: $0).utf8) } }
        )
        days.formUnion(RecordedDocument.all(in: recording).map { Array($0.createdAtText.utf8.prefix(10)) })
        self.days = days
    }

    /// The text with `NOW` for every time of a day of the recording.
    func withoutTimes(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let length = timeLength(bytes[index...]) {
                result += Array("NOW".utf8)
                index += length
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// How long the time is with which the bytes begin; nil when they begin with none of those days.
    private func timeLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes.first == UInt8(ascii: "2"), bytes.count >= 20, bytes[start + 10] == UInt8(ascii: "T"),
            days.contains(Array(bytes.prefix(10)))
        else { return nil }
        let rest = bytes.dropFirst(11)
        let digits = Set("0123456789:.".utf8)
        let length = rest.prefix { digits.contains($0) }.count
        guard length >= 8, rest.dropFirst(length).first == UInt8(ascii: "Z") else { return nil }
        return 12 + length
    }

    /// The text with `ID` for every id, and the ids in their order.
    static func withoutIds(_ text: String) -> (text: String, ids: [String]) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 36, bytes.contains(dash) else { return (text, []) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var ids: [String] = []
        var index = 0
        while index < bytes.count {
            if index + 36 <= bytes.count, bytes[index + 8] == dash, isId(bytes[index..<index + 36]) {
                ids.append(String(decoding: bytes[index..<index + 36], as: UTF8.self))
                result += Array("ID".utf8)
                index += 36
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return (String(decoding: result, as: UTF8.self), ids)
    }

    private static func isId(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        guard bytes.count == 36, bytes[start + 8] == UInt8(ascii: "-") else { return false }
        return bytes.enumerated().allSatisfy { offset, byte in
            switch offset {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default:
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        }
    }
}
