import Foundation
import IndivoBase
import IndivoXML

/// A time of day (xs:time), with a zone only where one was given.
public struct XMLTime: Sendable, Hashable {
    let civil: CivilDateTime
    private let spelling: WrittenForm

    /// 0 to 23; the text `24:00:00` is 00:00:00.
    public var hour: Int { civil.hour }
    /// 0 to 59.
    public var minute: Int { civil.minute }
    /// 0 to 59: XML Schema has no leap seconds.
    public var second: Int { civil.second }
    /// 0 to 999,999,999. Digits beyond the ninth are kept in the text, not here.
    public var nanosecond: Int { civil.nanosecond }
    /// Minutes east of UTC; `nil` when the text named no zone.
    public var offset: Int? { civil.offset }
}

extension XMLTime: LexicalValue, CustomStringConvertible, XMLTextReadable {
    /// A time, or `nil` when there is no such time.
    public init?(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0, offset: Int? = nil) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999_999_999).contains(nanosecond), CivilTimeScanner.offsets.contains(offset ?? 0)
        else { return nil }
        var civil = CivilDateTime(kind: .time, precision: .second)
        civil.hour = hour
        civil.minute = minute
        civil.second = second
        civil.nanosecond = nanosecond
        civil.trimFraction()
        civil.offset = offset
        self.civil = civil
        spelling = WrittenForm()
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
        (civil, spelling) = try text.withBytes { (bytes) throws(LexicalError) in
            try CivilTimeScanner.scan(bytes, expecting: "a time (HH:MM:SS)") {
                (scanner) throws(CivilTimeError) in
                var value = CivilDateTime(kind: .time, precision: .second)
                try scanner.time(of: &value, .xmlSchema)
                value.offset = try scanner.offset()
                return value
            }
        }
    }

    public var lexical: String { spelling.text ?? civil.description }
}
