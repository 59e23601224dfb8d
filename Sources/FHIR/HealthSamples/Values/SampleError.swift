/// Why a sample is not read or converted. It names the member, unit or type, and a similar valid one.
public enum SampleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line is not JSON, or a tag not XML.
    case syntax(String)
    /// A required member is missing.
    case missing(String)
    /// A member that samples do not have.
    case unknownMember(String, hint: String)
    /// A member with a value of the wrong kind.
    case malformed(name: String, expected: String)
    /// A date without time and zone, or none at all.
    case date(name: String, text: String)
    /// A date before 1900, which an Indivo server stores and cannot report.
    case beforeIndivo(name: String, text: String)
    /// A date that a time zone moves out of the years 1 to 9999.
    case outOfRange(String)
    /// The end lies before the start.
    case order(start: String, end: String)
    /// Not a UUID.
    case uuid(String)
    /// Not a number, or beyond 38 digits or exponents of 127.
    case number(name: String, text: String)
    /// A unit of neither language.
    case unit(String, hint: String)
    /// A unit that does not measure what the type measures.
    case dimension(unit: String, target: String, type: String)
    /// A type without a mapping.
    case unmapped(String, hint: String)
    /// A value that the type's enumeration does not have.
    case value(String, type: String, hint: String)
    /// A member of a correlation is wrong.
    indirect case member(Int, SampleError)
    /// More than allowed.
    case tooLarge(String)

    public var description: String {
        switch self {
        case .syntax(let reason): reason
        case .missing(let name): "'\(name)' is missing"
        case .unknownMember(let name, let hint): "samples have no member '\(name)'.\(hint)"
        case .malformed(let name, let expected): "'\(name)' should be \(expected)"
        case .date(let name, let text): "'\(name)' is not a date with time and zone: '\(text.prefix(60))'"
        case .beforeIndivo(let name, let text):
            "'\(name)' is before 1900, which an Indivo server stores and cannot report: '\(text.prefix(60))'"
        case .outOfRange(let date): "\(date) lies outside the years 1 to 9999 in the time zone"
        case .order(let start, let end): "the end \(end) lies before the start \(start)"
        case .uuid(let text): "'\(text.prefix(60))' is not a UUID"
        case .number(let name, let text):
            "'\(name)' is not a number of at most 38 digits and exponents up to 127: '\(text.prefix(60))'"
        case .unit(let unit, let hint): "the unit '\(unit.prefix(60))' is unknown.\(hint)"
        case .dimension(let unit, let target, let type):
            "\(type): the unit '\(unit)' cannot be converted to '\(target)'"
        case .unmapped(let type, let hint): "the type '\(type.prefix(120))' has no mapping.\(hint)"
        case .value(let text, let type, let hint): "\(type) has no value '\(text.prefix(120))'.\(hint)"
        case .member(let index, let error): "member \(index): \(error)"
        case .tooLarge(let what): what
        }
    }
}
