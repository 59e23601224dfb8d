/// Why a code is not a unit, or why a value does not convert.
public enum UCUMError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code is not a UCUM expression: what is wrong, and at which offset in UTF-8 bytes.
    case malformed(code: String, reason: String, offset: Int)
    /// The code names a unit that UCUM does not have.
    case unknownUnit(code: String, name: String, offset: Int)
    /// The units measure different things.
    case incommensurable(String, String)
    /// The value has no counterpart in the other unit, such as the logarithm of a negative number.
    case outOfRange(String)

    public var description: String {
        switch self {
        case .malformed(let code, let reason, let offset):
            "“\(code)” is not a UCUM unit: \(reason) at offset \(offset)."
        case .unknownUnit(let code, let name, let offset):
            """
            “\(code)” is not a UCUM unit: there is no unit “\(name)” (offset \(offset)). \
            Codes are case-sensitive.
            """
        case .incommensurable(let left, let right): "“\(left)” and “\(right)” do not measure the same."
        case .outOfRange(let reason): reason
        }
    }
}
