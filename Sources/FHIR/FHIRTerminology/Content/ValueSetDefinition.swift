import FHIR

/// Which codes a value set has (FHIR `ValueSet.compose`).
public struct ValueSetDefinition: Sendable {
    /// What is included or excluded: codes of one system, of other value sets, or those in both.
    public struct Part: Sendable {
        /// The code system.
        public var system: String?
        /// The version of the code system.
        public var version: String?
        /// The codes that are listed; without codes and filters, all of the system.
        public var concepts: [Listed] = []
        /// What all codes must fulfil.
        public var filters: [Filter] = []
        /// The value sets that all codes must be in.
        public var valueSets: [String] = []
    }

    /// A code that is listed.
    public struct Listed: Sendable {
        public let code: String
        /// What people read; nil for the code system's own.
        public let display: String?
    }

    /// A condition on the concepts of a code system.
    public struct Filter: Sendable {
        /// The property, or one of the names that all code systems have: `concept`, `code`, `display`.
        public let property: String
        /// How the property is compared.
        public let operation: FilterOperator
        public let value: String
    }

    /// The canonical URL; empty for one that is asked about directly.
    public var url: String
    public var version: String?
    /// The name for programs.
    public var name: String?
    /// Whether codes that are no longer used belong to it; nil where it does not say.
    public var hasInactive: Bool?
    /// What belongs to it, all together.
    public var included: [Part] = []
    /// What does not, although it is included.
    public var excluded: [Part] = []
    /// The supplements that it needs (extension `valueset-supplement`).
    public var supplements: [String] = []
    /// The codes of a value set that is given as its expansion alone.
    public var expansion: [ExpandedCode]?
}

/// A code of an expansion (FHIR `ValueSet.expansion.contains`).
public struct ExpandedCode: Sendable, Hashable {
    public let value: SystemCode
    /// The version of the code system.
    public var version: String?
    /// What people read.
    public var display: String?
    /// Whether it only groups others and is not a value itself.
    public var isAbstract = false
    /// Whether it is no longer used.
    public var isInactive = false
    /// The same in other languages, and for other uses; empty unless asked for.
    public var designations: [CodeSystemContent.Designation] = []
}
