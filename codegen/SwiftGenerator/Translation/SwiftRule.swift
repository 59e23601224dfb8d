import SDML

/// A `FieldRule` of the generated code: what a server asks of a field's value.
enum SwiftRule {
    case required
    case maximumLength(Int)
    case unlimitedLength
    /// The system as an expression of Swift.
    case coded(system: String)
    case identifiers([String])
    case unit(String)
    /// Rules for a part of a compound, by its property.
    indirect case part(String, [SwiftRule])
}

extension SwiftRule {
    /// What the notes on a field come to.
    static func rules(of field: SDMLField) -> [SwiftRule] {
        guard case .value(let type) = field.type else { return field.notes.isRequired ? [.required] : [] }
        return rules(field.notes, type: type)
    }

    private static func rules(_ notes: FieldNotes, type: SDMLType?) -> [SwiftRule] {
        var rules: [SwiftRule] = []
        if notes.isRequired { rules.append(.required) }
        switch notes.maximumLength {
        case .standard: break
        case .limited(let length): rules.append(.maximumLength(length))
        case .unlimited: rules.append(.unlimitedLength)
        }
        if let system = notes.codeSystem { rules.append(.coded(system: expression(for: system))) }
        if !notes.valueSet.isEmpty { rules.append(.identifiers(notes.valueSet.map(\.identifier))) }
        // A number has no place for its unit, which is documentation then.
        if let unit = notes.unit, type != .number { rules.append(.unit(unit)) }
        for part in notes.parts {
            guard let type, let kind = type.parts.first(where: { $0.name == part.name })?.kind else { continue }
            let partType: SDMLType? = if case .type(let type) = kind { type } else { nil }
            let partRules = self.rules(part.notes, type: partType)
            if partRules.isEmpty { continue }
            rules.append(.part(SwiftValueTypes.property(ofPart: part.name, in: type), partRules))
        }
        return rules
    }

    /// A system that `CodeSystem` has a name for, or its URI.
    private static func expression(for system: SDMLCodeSystem) -> String {
        let names = [
            "SNOMED CT": ".snomed", "RxNorm": ".rxNorm", "NDF-RT": ".ndfrt", "UNII": ".unii", "LOINC": ".loinc",
            "CVX": ".cvx", "CDC vaccine groups": ".vaccineGroup",
        ]
        if let title = system.title {
            if let name = names[title] { return name }
            if title.hasPrefix("SMART ") { return ".smart(\(Renderer.literal(String(title.dropFirst(6)))))" }
        }
        return Renderer.literal(system.uri)
    }
}
