/// Writes `@Field(…)` with what a property has beyond its type.
enum FieldAttribute {
    static func layout(of property: SwiftProperty) -> CodeLayout {
        var arguments: [CodeLayout] = []
        if property.fieldName != property.name { arguments.append(.text(Renderer.literal(property.fieldName))) }
        if !property.formerNames.isEmpty {
            let names = property.formerNames.map(Renderer.literal).joined(separator: ", ")
            arguments.append(.text("formerly: \(names)"))
        }
        if arguments.isEmpty && !property.rules.isEmpty {
            return .list(
                open: "@Field(rules: [", items: property.rules.map(layout), close: "])", breaking: .elements)
        }
        if !property.rules.isEmpty {
            arguments.append(
                .list(open: "rules: [", items: property.rules.map(layout), close: "]", breaking: .elements))
        }
        return arguments.isEmpty
            ? .text("@Field") : .list(open: "@Field(", items: arguments, close: ")", breaking: .arguments)
    }

    private static func layout(of rule: SwiftRule) -> CodeLayout {
        switch rule {
        case .required: .text(".required")
        case .maximumLength(let length): .text(".maximumLength(\(length))")
        case .unlimitedLength: .text(".unlimitedLength")
        case .coded(let system): .text(".coded(in: \(system))")
        case .identifiers(let identifiers):
            .list(
                open: ".identifiers([", items: identifiers.map { .text(Renderer.literal($0)) }, close: "])",
                breaking: .filled)
        case .unit(let unit): .text(".unit(\(Renderer.literal(unit)))")
        case .part(let name, let rules):
            .list(
                open: ".part(\(Renderer.literal(name)), [", items: rules.map(layout), close: "])", breaking: .elements)
        }
    }
}
