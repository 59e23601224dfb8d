/// What is validated, and the limits of validation.
public struct ValidationOptions: Sendable, Hashable {
    /// Whether rules that are recommendations are applied: that a resource should have a narrative (`dom-6`),
    /// and that a problem should have a clinical status (`con-3`).
    public var includesBestPractice = false
    /// How many errors are collected before validation stops with a `fatal` issue. As many warnings and
    /// remarks are kept; those beyond are counted in one last remark.
    public var maximumIssues = 10_000
    /// How deep elements may be nested.
    public var maximumDepth = 256
    /// How many values are visited and how many steps rules take, counted together, before validation stops
    /// with a `fatal` issue.
    public var maximumSteps = 20_000_000

    /// The default options.
    public init() {}
}
