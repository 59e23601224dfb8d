import OrderedJSON

/// How much an evaluation may take. An untrusted expression that would take more ends in an error.
public struct FHIRPathLimits: Sendable, Hashable {
    /// Operations and items, counted together.
    public var steps = 20_000_000
    /// The longest collection.
    public var items = 2_000_000
    /// The longest string, in UTF-8 bytes.
    public var stringLength = 10_000_000

    /// The default limits.
    public init() {}
}

/// What an expression can ask for besides the resource that it is evaluated on.
public struct FHIRPathContext: Sendable {
    /// `%resource`: the resource that contains what the expression is evaluated on. By default that itself.
    public var resource: JSONValue?
    /// `%rootResource`: the outermost one, which differs for a contained resource. By default ``resource``.
    public var rootResource: JSONValue?
    /// Variables by name, without `%`.
    public var variables: [String: [FHIRPathItem]] = [:]
    /// What `now()`, `today()` and `timeOfDay()` give: a date and time with its zone, such as `2026-11-22T09:30:00+01:00`.
    public var now: String
    /// Finds resources that `resolve()` asks for and that are neither contained nor in the Bundle, by their reference.
    public var resolver: (@Sendable (String) -> JSONValue?)?
    /// Takes what `trace(name, …)` reports. Items are patient data.
    public var trace: (@Sendable (String, [FHIRPathItem]) -> Void)?
    /// Says whether a code is in a value set, for `memberOf`: the value set's URL, system and code.
    public var memberOf: (@Sendable (_ valueSet: String, _ system: String?, _ code: String) -> Bool?)?
    /// Whether a member that the type of its element does not have is an error. Without it, it is empty.
    public var isStrict = false
    /// Whether `as` lets the items of the type through, as `ofType` does, where it is an error on several. The search
    /// parameters of R4 are written so.
    package var castsEachItem = false
    /// How much the evaluation may take.
    public var limits = FHIRPathLimits()

    /// - Parameter now: a FHIR dateTime with a zone. By default the time of the machine, in UTC.
    public init(now: String? = nil) {
        self.now = now ?? PartialDateTime.currentInUTC.description
    }
}
