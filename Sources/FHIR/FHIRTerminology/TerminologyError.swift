/// Why a value set cannot be expanded, or a code not be checked.
public enum TerminologyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value set is not at hand.
    case unknownValueSet(String)
    /// The code system is not at hand, or only a part of it without the code.
    case unknownCodeSystem(String)
    /// Another version is at hand than the one that is asked for.
    case otherVersion(url: String, asked: String, found: String?)
    /// The codes of the code system have a form, and no list.
    case notEnumerable(String)
    /// A value set has itself as a part.
    case cycle(valueSet: String)
    /// A filter asks for what the code system does not say of its codes, or is not one of FHIR.
    case filter(system: String, property: String, reason: String)
    /// The code system has no such code.
    case unknownCode(system: String)
    /// There are more codes than the limit.
    case tooManyCodes(limit: Int)
    /// It takes more steps than the limit.
    case tooManySteps(limit: Int)
    /// A resource is no CodeSystem or ValueSet with a URL.
    case malformed(reason: String)

    public var description: String {
        switch self {
        case .unknownValueSet(let url): "the value set \(url) is not at hand"
        case .unknownCodeSystem(let url): "the code system \(url) is not at hand, or not whole"
        case .otherVersion(let url, let asked, let found):
            "of \(url) the version \(found ?? "without a number") is at hand, not \(asked)"
        case .notEnumerable(let url): "the codes of \(url) have a form and cannot be listed"
        case .cycle(let url): "the value set \(url) has itself as a part"
        case .filter(let system, let property, let reason):
            "the filter on “\(property)” of \(system): \(reason)"
        case .unknownCode(let system): "the code system \(system) has no such code"
        case .tooManyCodes(let limit): "there are more than \(limit) codes"
        case .tooManySteps(let limit): "it takes more than \(limit) steps"
        case .malformed(let reason): reason
        }
    }
}
