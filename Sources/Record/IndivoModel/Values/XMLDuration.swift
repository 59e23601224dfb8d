import Foundation
import IndivoBase
import IndivoXML

/// A span of time (xs:duration): `P1Y2M3DT4H5M6.7S`. Months and seconds are kept apart, since no month has a
/// fixed length.
public struct XMLDuration: Sendable, Hashable {
    /// Years and months together, in months; negative for a negative duration.
    public let months: Int
    /// Days, hours, minutes and seconds together, in seconds; negative for a negative duration.
    public let seconds: Double
    private let spelling: WrittenForm

    /// More are refused: of more seconds no `Double` would hold the fraction.
    private static let maximumCount = 1_000_000_000_000
}

extension XMLDuration: LexicalValue, CustomStringConvertible, XMLTextReadable {
    /// `nil` when months and seconds have different signs, which XML Schema does not allow, or are more than
    /// 10¹².
    public init?(months: Int = 0, seconds: Double = 0) {
        guard months.magnitude <= Self.maximumCount, seconds.magnitude <= Double(Self.maximumCount),
            !(months < 0 && seconds > 0), !(months > 0 && seconds < 0)
        else { return nil }
        self.init(months: months, seconds: seconds, spelling: WrittenForm())
    }

    /// The span as months, seconds and nanoseconds, to be added to a date by `Calendar`.
    public var dateComponents: DateComponents {
        let whole = seconds.rounded(.towardZero)
        return DateComponents(
            month: months,
            second: Int(whole),
            nanosecond: Int(((seconds - whole) * 1e9).rounded())
        )
    }

    public init(lexical text: String) throws(LexicalError) {
        let pattern = /(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?/
        func error(_ reason: String) -> LexicalError {
            LexicalError(expected: "a duration (PnYnMnDTnHnMnS)", reason: reason)
        }
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let match = text.trimmingXMLSpace.wholeMatch(of: pattern)
        else {
            throw error("“\(text)” is not one")
        }
        let (_, sign, years, months, days, time, hours, minutes, seconds) = match.output
        if time == "T" { throw error("“\(text)” names no amount after the T") }
        if [years, months, days, time].allSatisfy({ $0 == nil }) { throw error("“\(text)” names no amount") }
        func amount(_ digits: Substring?, times factor: Int) throws(LexicalError) -> Int {
            guard let number = Int(digits ?? "0"), number <= Self.maximumCount / factor else {
                throw error("in “\(text)” \(digits ?? "") is out of range")
            }
            return number * factor
        }
        let direction = sign.isEmpty ? 1 : -1
        let wholeMonths = try amount(years, times: 12) + amount(months, times: 1)
        let wholeSeconds =
            try amount(days, times: 86_400) + amount(hours, times: 3600) + amount(minutes, times: 60)
        let allSeconds = Double(wholeSeconds) + (seconds.flatMap { Double($0) } ?? 0)
        guard wholeMonths <= Self.maximumCount, allSeconds <= Double(Self.maximumCount) else {
            throw error("“\(text)” is out of range")
        }
        self.init(
            months: direction * wholeMonths,
            seconds: Double(direction) * allSeconds,
            spelling: WrittenForm()
        )
        if lexical != text {
            self.init(months: self.months, seconds: self.seconds, spelling: WrittenForm(text: text))
        }
    }

    public var lexical: String {
        if let text = spelling.text { return text }
        var text = (months < 0 || seconds < 0) ? "-P" : "P"
        func add(_ amount: Int, _ unit: String) { if amount > 0 { text += "\(amount)\(unit)" } }
        add(abs(months) / 12, "Y")
        add(abs(months) % 12, "M")
        // To the nanosecond.
        var whole = Int(abs(seconds).rounded(.down))
        var nanosecond = Int(((abs(seconds) - Double(whole)) * 1e9).rounded())
        if nanosecond == 1_000_000_000 {
            whole += 1
            nanosecond = 0
        }
        add(whole / 86_400, "D")
        if whole % 86_400 > 0 || nanosecond > 0 {
            text += "T"
            add(whole % 86_400 / 3600, "H")
            add(whole % 3600 / 60, "M")
            if nanosecond > 0 {
                var fraction = nanosecond.padded(9)
                while fraction.last == "0" { fraction.removeLast() }
                text += "\(whole % 60).\(fraction)S"
            } else {
                add(whole % 60, "S")
            }
        }
        return text.hasSuffix("P") ? "PT0S" : text
    }
}
