import IndivoBase
import OrderedJSON

/// A time of day, with the fraction of a second that it was written with. (FHIR `time`.)
public struct FHIRTime: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    private let civil: CivilDateTime
    /// The text, as it was written.
    public let description: String

    /// 0 to 23.
    public var hour: Int { civil.hour }
    /// 0 to 59.
    public var minute: Int { civil.minute }
    /// 0 to 59, and 60 in a leap second.
    public var second: Int { civil.second }
    /// The digits after the decimal point; empty without one.
    public var fraction: String { String(description.dropFirst(9)) }

    /// A time as FHIR writes it: `08:30:00` or `08:30:00.25`; `nil` for other texts.
    public init?(text: String) {
        var text = text
        guard let civil = text.withUTF8({ CivilDateTime(timeOfDay: $0) }), civil.precision == .second else {
            return nil
        }
        self.civil = civil
        description = text
    }

    /// The time of day of a dateTime that has one.
    init(of dateTime: FHIRDateTime) {
        civil = dateTime.civil.timeOfDay
        let text = dateTime.description.utf8.dropFirst(11)
        description = String(text.dropLast(text.last == UInt8(ascii: "Z") ? 1 : 6)) ?? ""
    }

    /// A literal that is not a time stops the program.
    public init(stringLiteral text: String) {
        guard let time = FHIRTime(text: text) else { preconditionFailure("not a time of FHIR: \(text)") }
        self = time
    }

    public init?(tree: JSONValue) {
        guard let text = tree.string else { return nil }
        self.init(text: text)
    }

    public var tree: JSONValue { JSONValue(description) }
}
