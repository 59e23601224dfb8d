/// What a server asks of one leaf of a data model, beyond its type: by the rules of its field and by its own.
package struct LeafRules: Sendable {
    /// What a text must be.
    package enum Allowed: Sendable {
        /// The URI of a code system.
        case system(String)
        /// One of these codes.
        case identifiers([String])
        case unit(String)

        package var texts: [String] {
            switch self {
            case .system(let text), .unit(let text): [text]
            case .identifiers(let texts): texts
            }
        }
    }

    /// Whether there must be a value. Of a compound value other than a coded one any of the leaves will do.
    package let isRequired: Bool
    /// Whether there must be a value where there is one of what the leaf is a part of.
    private(set) var isRequiredPart = false
    /// Whether there must be an element, if an empty one, where there is one of what the leaf is a part of.
    private(set) var mustBePresent = false
    /// In Unicode scalars; `nil` for any length.
    package private(set) var maximumLength: Int?
    package private(set) var isEmail = false
    package private(set) var allowed: Allowed?

    /// - Parameter usualLength: Where no rule gives another.
    init(_ leaf: SchemaLeaf, in field: FieldSchema, usualLength: Int? = 255) {
        isRequired = field.rules.contains(.required) && !field.needsAnyLeaf
        maximumLength = usualLength
        apply(leaf.rules, at: leaf.property, to: leaf)
        apply(field.rules, at: field.property, to: leaf)
    }

    private mutating func apply(_ rules: [FieldRule], at path: String, to leaf: SchemaLeaf) {
        /// Of a coded value its own leaf; of a vital sign that of its name.
        func isPart(_ part: String) -> Bool {
            leaf.property == "\(path).\(part)" || leaf.property == "\(path).name.\(part)"
        }
        let isLeaf = leaf.property == path
        for rule in rules {
            switch rule {
            case .required where isLeaf: isRequiredPart = true
            case .present where isLeaf: mustBePresent = true
            case .maximumLength(let length) where isLeaf: maximumLength = length
            case .unlimitedLength where isLeaf: maximumLength = nil
            case .email where isLeaf: isEmail = true
            case .coded(let system) where isPart("system"): allowed = .system(system.uri)
            case .identifiers(let codes) where isLeaf || isPart("identifier"): allowed = .identifiers(codes)
            case .unit(let unit) where leaf.property == path + ".unit": allowed = .unit(unit)
            case .part(let name, let rules): apply(rules, at: "\(path).\(name)", to: leaf)
            case .required, .present, .maximumLength, .unlimitedLength, .email, .coded, .identifiers, .unit:
                break
            }
        }
    }
}
