/// Why an expression is not FHIRPath, or why it has no result.
public struct FHIRPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// When it went wrong: when the expression was read, or when it was evaluated.
    public enum Kind: String, Sendable, Hashable {
        /// The text is not an expression.
        case syntax
        /// The expression names a function, type or variable that does not exist, or gives a function what it
        /// cannot take.
        case semantic
        /// The evaluation met values that an operation is not defined for, such as several where one is
        /// needed.
        case execution
        /// The evaluation needs more steps, depth or items than ``FHIRPathLimits`` allow.
        case limit
    }

    /// When it went wrong.
    public let kind: Kind
    /// What is wrong, as a sentence without the position.
    public let reason: String
    /// Where in the expression, as an offset in UTF-8 bytes.
    public let offset: Int

    /// An error with a sentence and an offset in UTF-8 bytes.
    public init(_ kind: Kind, _ reason: String, at offset: Int) {
        self.kind = kind
        self.reason = reason
        self.offset = offset
    }

    public var description: String { "\(reason) (at offset \(offset) of the expression)" }
}
