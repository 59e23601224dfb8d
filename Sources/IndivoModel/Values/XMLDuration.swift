import IndivoXML

/// A span of time (xs:duration): `P1Y2M3DT4H5M6.7S`. Months and seconds are kept apart, since no month has a fixed
/// length.
public struct XMLDuration: Sendable, Hashable {
    /// Years and months together, in months; negative for a negative duration.
    public let months: Int
    /// Days, hours, minutes and seconds together, in seconds; negative for a negative duration.
    public let seconds: Double
    private let spelling: Spelling

    /// More are refused: of more seconds no `Double` would hold the fraction.
    private static let most = 1_000_000_000_000

    /// `nil` when months and seconds have different signs, which XML Schema does not allow, or are more than 10¹².
    public init?(months: Int = 0, seconds: Double = 0) {
        guard months.magnitude <= Self.most, seconds.magnitude <= Double(Self.most),
            !(months < 0 && seconds > 0), !(months > 0 && seconds < 0)
        else { return nil }
        self.init(months, seconds)
    }

    private init(_ months: Int, _ seconds: Double, spelling: Spelling = Spelling()) {
        self.months = months
        self.seconds = seconds
        self.spelling = spelling
    }
}

extension XMLDuration: LexicalValue {
    public init(lexical text: String) throws(LexicalError) {
        let expected = "a duration (PnYnMnDTnHnMnS)"
        let pattern = /(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?/
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let match = text.trimmingXMLSpace.wholeMatch(of: pattern) else {
            throw LexicalError(expected: expected, reason: "“\(text)” is not one")
        }
        let (_, sign, years, months, days, time, hours, minutes, seconds) = match.output
        guard [years, months, days, hours, minutes, seconds].contains(where: { $0 != nil }), time != "T" else {
            let place = time == "T" ? " after the T" : ""
            throw LexicalError(expected: expected, reason: "“\(text)” names no amount\(place)")
        }
        func amount(_ digits: Substring?, times factor: Int) throws(LexicalError) -> Int {
            guard let digits else { return 0 }
            guard let number = Int(digits), number <= Self.most / factor else {
                throw LexicalError(expected: expected, reason: "in “\(text)” \(digits) is out of range")
            }
            return number * factor
        }
        let direction = sign.isEmpty ? 1 : -1
        let wholeMonths = try amount(years, times: 12) + amount(months, times: 1)
        let wholeSeconds = try amount(days, times: 86_400) + amount(hours, times: 3600) + amount(minutes, times: 60)
        let allSeconds = Double(wholeSeconds) + (seconds.flatMap { Double($0) } ?? 0)
        guard wholeMonths <= Self.most, allSeconds <= Double(Self.most) else {
            throw LexicalError(expected: expected, reason: "“\(text)” is out of range")
        }
        let plain = XMLDuration(direction * wholeMonths, Double(direction) * allSeconds)
        self = plain.lexical == text ? plain : XMLDuration(plain.months, plain.seconds, spelling: Spelling(text: text))
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
        if nanosecond == 1_000_000_000 { (whole, nanosecond) = (whole + 1, 0) }
        add(whole / 86_400, "D")
        if whole % 86_400 > 0 || nanosecond > 0 {
            text += "T"
            add(whole % 86_400 / 3600, "H")
            add(whole % 3600 / 60, "M")
            if nanosecond > 0 {
                text += "\(whole % 60)" + DateWriter.text { $0.fraction(nanosecond) } + "S"
            } else {
                add(whole % 60, "S")
            }
        }
        return text.hasSuffix("P") ? "PT0S" : text
    }
}

extension XMLDuration: CustomStringConvertible, XMLTextReadable {}
