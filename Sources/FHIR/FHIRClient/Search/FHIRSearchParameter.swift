/// One parameter of a search: a condition, or how the result is given.
///
/// ```swift
/// // Either of two codes:
/// .parameter("code", .token(system: .loinc, "29463-7"), .token(system: .loinc, "3141-9"))
/// .parameter("family", modifier: .exact, .string("O'Brien, Jr"))
/// // Chained, and reverse chained:
/// .parameter("patient.identifier", .token(system: system, "12"))
/// .has("Observation", "patient", "code", .token("1234-5"))
/// .include("Observation:patient")
/// .sort("-date")
/// ```
public struct FHIRSearchParameter: Sendable, Hashable {
    /// The name, with its modifier.
    public let name: String
    /// The value, escaped for FHIR, before percent-encoding.
    public let value: String

    /// The modifier after a name (R4, section 3.1.1.4.0.3).
    public enum Modifier: Sendable, Hashable {
        /// The element is missing, or not: with `.boolean`.
        case missing
        /// The whole text, with the same upper and lower case.
        case exact
        /// A part of the text.
        case contains
        /// The text of a code.
        case text
        /// Another code.
        case not
        /// Codes of a value set.
        case `in`
        /// Codes that are not of a value set.
        case notIn
        /// A code or what is below it.
        case below
        /// A code or what is above it.
        case above
        /// An identifier of a type.
        case ofType
        /// A reference by identifier.
        case identifier
        /// A reference to a type.
        case type(String)

        var text: String {
            switch self {
            case .missing: "missing"
            case .exact: "exact"
            case .contains: "contains"
            case .text: "text"
            case .not: "not"
            case .in: "in"
            case .notIn: "not-in"
            case .below: "below"
            case .above: "above"
            case .ofType: "of-type"
            case .identifier: "identifier"
            case .type(let name): name
            }
        }
    }

    private init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A condition that matches when one of the values does. Two conditions on the same name must both match.
    public static func parameter(_ name: String, modifier: Modifier? = nil, _ values: FHIRSearchValue...)
        -> Self
    {
        Self(name + (modifier.map { ":" + $0.text } ?? ""), values.map(\.description).joined(separator: ","))
    }

    /// The logical id is one of these.
    public static func id(_ ids: String...) -> Self {
        Self("_id", ids.map { FHIRSearchValue.token($0).description }.joined(separator: ","))
    }

    /// Another resource refers to the resource, and matches a condition.
    public static func has(_ type: String, _ reference: String, _ name: String, _ values: FHIRSearchValue...)
        -> Self
    {
        Self("_has:\(type):\(reference):\(name)", values.map(\.description).joined(separator: ","))
    }

    /// Also the resources that are referred to, as in `Observation:patient` or `Observation:subject:Patient`.
    public static func include(_ path: String, iterate: Bool = false) -> Self {
        Self(iterate ? "_include:iterate" : "_include", path)
    }

    /// Also what refers to it, as in `Provenance:target`.
    public static func reverseInclude(_ path: String, iterate: Bool = false) -> Self {
        Self(iterate ? "_revinclude:iterate" : "_revinclude", path)
    }

    /// The order: names of parameters, a `-` before those that descend.
    public static func sort(_ names: String...) -> Self { Self("_sort", names.joined(separator: ",")) }

    /// How many a page has at most.
    public static func count(_ count: Int) -> Self { Self("_count", String(max(0, count))) }

    /// Only these elements.
    public static func elements(_ names: String...) -> Self {
        Self("_elements", names.joined(separator: ","))
    }

    /// How much of each resource.
    public enum Summary: String, Sendable, Hashable {
        /// The elements that the specification marks.
        case `true`
        /// Text, id, meta and what is required.
        case text
        /// All but the text.
        case data
        /// Only how many there are.
        case count
        case `false`
    }

    /// How much of each resource.
    public static func summary(_ summary: Summary) -> Self { Self("_summary", summary.rawValue) }

    /// How exactly the server counts.
    public enum Total: String, Sendable, Hashable {
        /// Not at all.
        case none
        /// About.
        case estimate
        /// Exactly.
        case accurate
    }

    /// Whether the server says how many there are in all.
    public static func total(_ total: Total) -> Self { Self("_total", total.rawValue) }

    /// A parameter as it is, its value escaped for FHIR already.
    public static func raw(_ name: String, _ value: String) -> Self { Self(name, value) }
}
