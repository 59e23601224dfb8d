/// Why a pattern is not a regular expression, or why matching it was stopped.
public enum BoundedRegexError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The pattern is malformed, or uses what is not supported: the reason and the offset in Unicode scalars.
    case malformed(reason: String, offset: Int)
    /// The pattern would take more instructions than ``BoundedRegex/maximumInstructions``.
    case tooLarge
    /// Matching would take more than ``BoundedRegex/maximumSteps`` steps.
    case tooManySteps
    /// The result of a replacement would be longer than this, in Unicode scalars.
    case tooLong(limit: Int)

    public var description: String {
        switch self {
        case .malformed(let reason, let offset):
            "The pattern is not a regular expression: \(reason) at offset \(offset)."
        case .tooLarge:
            "The pattern has more than \(BoundedRegex.maximumInstructions) parts, repetitions written out."
        case .tooLong(let limit): "The result of the replacement is longer than \(limit) characters."
        case .tooManySteps: "Matching the pattern takes more than \(BoundedRegex.maximumSteps) steps."
        }
    }
}
