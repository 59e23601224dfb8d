/// What a notes file says about a model.
public struct ModelNotes: Sendable, Hashable {
    /// What the model is.
    public var documentation: String?
    /// The name its class should have instead of the one made from the model's.
    public var swiftName: String?

    /// Nothing said.
    public init(documentation: String? = nil, swiftName: String? = nil) {
        self.documentation = documentation
        self.swiftName = swiftName
    }
}
