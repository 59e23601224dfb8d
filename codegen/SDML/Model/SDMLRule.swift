/// What a server asks of a field's value.
package enum SDMLRule {
    case required
    case maximumLength(Int)
    case unlimitedLength
    case coded(SDMLCodeSystem)
    case identifiers([String])
    case unit(String)
    /// Rules for a part of a compound.
    indirect case part(String, of: SDMLType, [SDMLRule])
}

extension SDMLField {
    /// The rules that follow from the notes on the field.
    package var rules: [SDMLRule] {
        if case .value(let type) = type { notes.rules(of: type) } else { notes.rules(of: nil) }
    }
}

extension FieldNotes {
    fileprivate func rules(of type: SDMLType?) -> [SDMLRule] {
        var rules: [SDMLRule] = isRequired ? [.required] : []
        switch maximumLength {
        case .standard: break
        case .limited(let length): rules.append(.maximumLength(length))
        case .unlimited: rules.append(.unlimitedLength)
        }
        if let codeSystem { rules.append(.coded(codeSystem)) }
        if !valueSet.isEmpty { rules.append(.identifiers(valueSet.map(\.identifier))) }
        // A plain number has no place for its unit, which goes into the documentation.
        if let unit, type != .number { rules.append(.unit(unit)) }
        for part in parts {
            guard let type, let kind = type.parts.first(where: { $0.name == part.name })?.kind else {
                continue
            }
            let partType: SDMLType? = if case .type(let type) = kind { type } else { nil }
            let partRules = part.notes.rules(of: partType)
            if !partRules.isEmpty { rules.append(.part(part.name, of: type, partRules)) }
        }
        return rules
    }
}
