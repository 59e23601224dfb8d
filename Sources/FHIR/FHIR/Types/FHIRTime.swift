import IndivoBase
import OrderedJSON

/// A time of day, with the fraction of a second that it was written with. (FHIR `time`.)
public struct FHIRTime: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    /// 0 to 23.
    public let hour: Int
    /// 0 to 59.
    public let minute: Int
    /// 0 to 59, and 60 in a leap second.
    public let second: Int
    /// The digits after the decimal point; empty without one.
    public let fraction: String

    /// A time as FHIR writes it: `08:30:00` or `08:30:00.25`; `nil` for other texts.
    public init?(text: String) {
        guard let time = TimeScanner.scan(text, { FHIRTime(&$0) }) else { return nil }
        self = time
    }

    init?(_ scanner: inout TimeScanner) {
        guard let hour = scanner.number(2, 0...23), scanner.take(":"), let minute = scanner.number(2, 0...59),
            scanner.take(":"), let second = scanner.number(2, 0...60), let fraction = scanner.fraction()
        else { return nil }
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = fraction
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

    /// The text, as it was written.
    public var description: String {
        let text = [hour, minute, second].map { CivilTime.padded($0, 2) }.joined(separator: ":")
        return fraction.isEmpty ? text : text + "." + fraction
    }
}
