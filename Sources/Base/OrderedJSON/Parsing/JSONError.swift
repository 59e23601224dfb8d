/// Why a text is not JSON that can be read, and where.
///
/// An error names no content of the text: it may be somebody's health record.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// There is nothing but white space.
        case empty
        /// The text ends inside a value.
        case unexpectedEnd
        /// A value was expected.
        case expectedValue
        /// The name of a member, in quotation marks, was expected.
        case expectedName
        /// A colon was expected after the name of a member.
        case expectedColon
        /// A comma or the end of the array or object was expected.
        case expectedCommaOrEnd
        /// A number is not written as JSON has it.
        case invalidNumber
        /// A backslash is not followed by one of JSON's escapes.
        case invalidEscape
        /// A `\u` escape is half of a surrogate pair.
        case loneSurrogate
        /// A string has no end; the location is that of its beginning.
        case unterminatedString
        /// A control character stands in a string without an escape.
        case controlCharacter
        /// The bytes are not UTF-8.
        case invalidUTF8
        /// Something follows the value.
        case trailingText
        /// Arrays and objects are nested deeper than ``JSONLimits/depth``.
        case tooDeep(limit: Int)
        /// There are more bytes than ``JSONLimits/bytes``.
        case tooLong(limit: Int)
        /// There are more values and names than ``JSONLimits/nodes``.
        case tooManyNodes(limit: Int)
        /// A number is longer than ``JSONLimits/numberLength``.
        case numberTooLong(limit: Int)

        public var description: String {
            switch self {
            case .empty: "expected a value, but the text is empty"
            case .unexpectedEnd: "the text ends inside a value"
            case .expectedValue: "expected a value"
            case .expectedName: "expected a member's name in quotation marks"
            case .expectedColon: "expected a colon after the member's name"
            case .expectedCommaOrEnd: "expected a comma or the end of the array or object"
            case .invalidNumber: "invalid number"
            case .invalidEscape: "invalid escape after a backslash"
            case .loneSurrogate: "a surrogate escape (\\uD800 to \\uDFFF) without its other half"
            case .unterminatedString: "a string that has no end"
            case .controlCharacter: "a control character in a string must be escaped"
            case .invalidUTF8: "invalid UTF-8"
            case .trailingText: "unexpected text after the end of the value"
            case .tooDeep(let limit): "nested deeper than the limit of \(limit)"
            case .tooLong(let limit): "longer than the limit of \(limit) bytes"
            case .tooManyNodes(let limit): "more values and names than the limit of \(limit)"
            case .numberTooLong(let limit): "a number longer than the limit of \(limit) characters"
            }
        }
    }

    /// What is wrong.
    public let reason: Reason
    /// Where.
    public let location: JSONLocation

    /// The line and column with the reason, as in `3:14: expected a value`.
    public var description: String { "\(location): \(reason)" }
}

/// How much of everything a text may have before parsing it stops with an error that names the limit.
public struct JSONLimits: Sendable, Hashable {
    /// Arrays and objects inside each other. 512 unless set.
    public var depth = 512
    /// Bytes of the text. 256 MiB unless set; never more than 512 MiB.
    public var bytes = 256 * 1_024 * 1_024
    /// Values and names of members together. 32 Mi unless set; each takes 8 bytes of memory.
    public var nodes = 32 * 1_024 * 1_024
    /// Characters of one number. 1,024 unless set.
    public var numberLength = 1_024
    /// Whether `NaN`, `Infinity` and `-Infinity` stand for numbers, as Python writes them and JSON does not.
    package var takesNonFiniteNumbers = false

    /// The default limits.
    public init() {}
}
