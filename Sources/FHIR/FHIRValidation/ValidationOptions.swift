import FHIR

/// What is validated, and the limits of validation.
public struct ValidationOptions: Sendable {
    /// What an extension is whose definition is not known.
    public enum UnknownExtensions: Sendable, Hashable {
        /// Nothing wrong: FHIR allows it. A modifier, and a URL of HL7's own, get a warning.
        case remark
        /// An error, as for who knows all definitions that may be used.
        case error
    }

    /// The profiles, extensions and value sets that are known; without others those of R4.
    public var definitions = FHIRDefinitions.r4
    /// The canonical URLs of profiles that the resource must conform to, besides those that it claims itself
    /// in `meta.profile`. One that is not known is an error.
    public var profiles: [String] = []
    /// Whether the profiles that a resource claims, those of vital signs, and the definitions of extensions
    /// are applied. Without them a resource is checked by R4's types alone, and by ``profiles``: for who
    /// takes what others send, and refuses only what is no FHIR.
    public var appliesProfiles = true
    /// What an extension is whose definition is not known.
    public var unknownExtensions = UnknownExtensions.remark
    /// The beginnings of the URLs of extensions that are not known and are no error all the same.
    public var knownExtensionPrefixes: [String] = []
    /// Says whether a code of a system is in a value set, by the value set's canonical URL; the system is nil
    /// where an element has only a code. Where it does not know, and without it, value sets that list their
    /// codes are used, and others are not checked. With FHIRTerminology:
    ///
    /// ```swift
    /// options.validateCode = { Terminology.r4.validate($0, system: $1, in: $2) }
    /// ```
    public var validateCode:
        (@Sendable (_ code: String, _ system: String?, _ valueSet: String) -> CodeValidation)?
    /// Checks a QuestionnaireResponse against its questionnaire; `checkResponses()` of the module `Surveys`
    /// sets it.
    public var checkResponse:
        (@Sendable (_ response: AnyResource, _ questionnaire: AnyResource) -> [ValidationIssue])?
    /// Whether rules are applied that are recommendations: that a resource should have a narrative (`dom-6`),
    /// and that a problem should have a clinical status (`con-3`).
    public var includesBestPractice = false
    /// Whether a text that has HTML in it is an error; otherwise it is nothing.
    public var refusesHTML = false
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

extension FHIRDefinitions {
    /// Nothing but what R4 defines.
    public static let r4 = FHIRDefinitions()
}
