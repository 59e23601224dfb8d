import Foundation
import IndivoBase

/// The text that a value was read from, if it is not the canonical one. Values are equal whatever their
/// spelling.
struct WrittenForm: Hashable, Sendable {
    var text: String?

    static func == (a: Self, b: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension CivilTimeScanner {
    /// Reads a whole text, with white space around it.
    ///
    /// - Returns: What `read` made of it, and the text itself if it is not in the canonical form.
    static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>,
        expecting expected: StaticString,
        _ read: (inout CivilTimeScanner) throws(CivilTimeError) -> CivilDateTime
    ) throws(LexicalError) -> (value: CivilDateTime, spelling: WrittenForm) {
        var value = try parse(bytes, expecting: expected, read)
        value.trimFraction()
        let isCanonical = value.isWritten(as: bytes)
        return (value, WrittenForm(text: isCanonical ? nil : String(decoding: bytes, as: UTF8.self)))
    }

    static func parse<Value>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        expecting expected: StaticString,
        _ read: (inout CivilTimeScanner) throws(CivilTimeError) -> Value
    ) throws(LexicalError) -> Value {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.endIndex
        var scanner = CivilTimeScanner(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        func failure(_ reason: String) -> LexicalError {
            let text = String(decoding: bytes, as: UTF8.self)
            return LexicalError(expected: "\(expected)", reason: "in “\(text)” \(reason)")
        }
        do throws(CivilTimeError) {
            let value = try read(&scanner)
            if scanner.isAtEnd { return value }
        } catch {
            throw failure(error.reason)
        }
        throw failure("“\(scanner.rest)” is left over")
    }
}

/// XML Schema's years (part 2, section 3.2.7): there is no year 0, and the one before 1 is -1.
enum XMLYear {
    /// Years that can be written and read back.
    static func isValid(_ year: Int) -> Bool { year != 0 && (-999_999_999...999_999_999).contains(year) }

    /// The year as ISO 8601 counts it, with a year 0.
    static func civil(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    static func xml(_ civil: Int) -> Int { civil > 0 ? civil : civil - 1 }
}

extension Date {
    /// Whole seconds since 1970, at most those of nine-digit years. Of what is not a number it is 0.
    var wholeSeconds: Int {
        let interval = timeIntervalSince1970
        return interval.isNaN ? 0 : Int(min(max(interval, -9e12), 9e12).rounded(.down))
    }
}

extension DateComponents {
    /// - Parameter year: As XML Schema counts it: there is no year 0, and the one before 1 is -1.
    init(xmlYear year: Int?, month: Int?, day: Int?, offset: Int?) {
        self.init(
            calendar: Calendar(identifier: .gregorian),
            timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            era: year.map { $0 > 0 ? 1 : 0 },
            year: year.map(abs),
            month: month,
            day: day
        )
    }

    /// Minutes east of UTC; `nil` where the components name no zone.
    var offset: Int? {
        timeZone.map { zone in zone.secondsFromGMT(for: date ?? Date(timeIntervalSince1970: 0)) / 60 }
    }

    var xmlYear: Int? { year.map { era == 0 ? -$0 : $0 } }
}
