/// Whether a code is in a value set.
public struct CodeQuestion: Sendable, Hashable, Codable {
    /// The value set's canonical URL; nil for whether the code system has the code.
    public let valueSet: String?
    /// The code system; nil for a code without one.
    public let system: String?
    public let code: String

    /// A question.
    public init(_ code: String, system: String?, in valueSet: String?) {
        self.code = code
        self.system = system
        self.valueSet = valueSet
    }
}
