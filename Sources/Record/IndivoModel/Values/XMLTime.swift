import Foundation
import IndivoXML

/// A time of day (xs:time), with a zone only where one was given.
public struct XMLTime: Sendable, Hashable {
    /// 0 to 23; the text `24:00:00` is 00:00:00.
    public let hour: Int
    /// 0 to 59.
    public let minute: Int
    /// 0 to 59: XML Schema has no leap seconds.
    public let second: Int
    /// 0 to 999,999,999. Digits beyond the ninth are kept in the text, not here.
    public let nanosecond: Int
    /// Minutes east of UTC; `nil` when the text named no zone.
    public let offset: Int?
    private let spelling: WrittenForm
}

extension XMLTime: LexicalValue, CustomStringConvertible, XMLTextReadable {
    /// A time, or `nil` when there is no such time.
    public init?(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0, offset: Int? = nil) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999_999_999).contains(nanosecond), DateScanner.offsets.contains(offset ?? 0)
        else { return nil }
        self.init(
            hour: hour,
            minute: minute,
            second: second,
            nanosecond: nanosecond,
            offset: offset,
            spelling: WrittenForm()
        )
    }

    /// The time of day that components name; `nil` when the hour is missing or there is no such time.
    public init?(_ components: DateComponents) {
        guard let hour = components.hour else { return nil }
        self.init(
            hour: hour,
            minute: components.minute ?? 0,
            second: components.second ?? 0,
            nanosecond: components.nanosecond ?? 0,
            offset: components.offset
        )
    }

    /// The time's parts, for `Calendar`.
    public var dateComponents: DateComponents {
        DateComponents(
            timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            hour: hour,
            minute: minute,
            second: second,
            nanosecond: nanosecond
        )
    }

    /// Reads xs:time: `15:34:23`, a fraction and `Z` or `±hh:mm` where given.
    public init(lexical text: String) throws(LexicalError) {
        let (parts, spelling) = try text.withBytes { (bytes) throws(LexicalError) in
            try DateScanner.scan(bytes, expecting: "a time (HH:MM:SS)") { (scanner) throws(LexicalError) in
                (time: try scanner.time(), offset: try scanner.offset())
            }
        }
        self.init(
            hour: parts.time.hour % 24,
            minute: parts.time.minute,
            second: parts.time.second,
            nanosecond: parts.time.nanosecond,
            offset: parts.offset,
            spelling: spelling
        )
    }

    public var lexical: String {
        DateWriter.text(spelling) {
            $0.time(hour, minute, second, nanosecond)
            $0.offset(offset)
        }
    }
}
