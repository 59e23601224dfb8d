import IndivoBase
import OrderedJSON

/// The limits of an evaluation. An untrusted expression that exceeds one ends in an error.
public struct FHIRPathLimits: Sendable, Hashable {
    /// Operations and items, counted together.
    public var steps = 20_000_000
    /// The longest collection.
    public var items = 2_000_000
    /// The longest string, in UTF-8 bytes.
    public var stringLength = 10_000_000
    /// The bytes of all texts that an evaluation makes, and of other values that it makes and collects,
    /// counted together. What is only found in the resource does not count.
    public var madeBytes = 64_000_000

    /// The default limits.
    public init() {}
}

/// What an expression can refer to besides the resource that it is evaluated on.
public struct FHIRPathContext: Sendable {
    /// `%resource`: the resource that contains the input of the expression. By default the input itself.
    public var resource: JSONValue?
    /// What `%resource.repeat(item).where(linkId = …)` gives, by link ids: for who knows it without going
    /// through the response. With the link ids that an expression asks for it needs no ``resource``.
    package var rows: [String: [FHIRPathItem]] = [:]
    /// `%rootResource`: the outermost one, which differs for a contained resource. By default ``resource``.
    public var rootResource: JSONValue?
    /// Variables by name, without `%`.
    public var variables: [String: [FHIRPathItem]] = [:]
    /// What `now()`, `today()` and `timeOfDay()` give: a date and time with its zone, such as
    /// `2026-11-22T09:30:00+01:00`.
    public var now: String {
        get {
            switch clock {
            case .given(let text): text
            case .machine(let time): time.description
            }
        }
        set { clock = .given(newValue) }
    }
    private var clock: Clock
    /// Finds resources that `resolve()` asks for and that are neither contained nor in the Bundle, by their
    /// reference.
    public var resolver: (@Sendable (String) -> JSONValue?)?
    /// Takes what `trace(name, …)` reports. Items are patient data.
    public var trace: (@Sendable (String, [FHIRPathItem]) -> Void)?
    /// Says whether a code is in a value set, for `memberOf`: the value set's URL, system and code.
    public var memberOf: (@Sendable (_ valueSet: String, _ system: String?, _ code: String) -> Bool?)?
    /// Says whether an element conforms to a profile that is not a type of R4, for `conformsTo`; nil where it
    /// does not know.
    public var conformsTo: (@Sendable (_ profile: String, _ element: JSONValue) -> Bool?)?
    /// Whether a member that the type of its element does not have is an error. Without it, it is empty.
    public var isStrict = false
    /// Whether `as` on several items keeps those of the type, as `ofType` does, instead of being an error.
    /// The search parameters of R4 expect it.
    package var castsEachItem = false
    /// The limits of the evaluation.
    public var limits = FHIRPathLimits()

    /// - Parameter now: a FHIR dateTime with a zone. By default the time of the machine, in UTC.
    public init(now: String? = nil) {
        clock = now.map { .given($0) } ?? .machine(.currentInUTC)
    }

    /// A time that was given, or the machine's, which most expressions do not ask for: it is not written.
    private enum Clock: Sendable {
        case given(String)
        case machine(CivilDateTime)
    }

    /// The time of `now()`.
    var time: CivilDateTime {
        switch clock {
        case .given(let text): CivilDateTime(text: text) ?? .currentInUTC
        case .machine(let time): time
        }
    }
}
