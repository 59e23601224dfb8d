import SDML

/// Code that may stand on one line, or be broken into several where it is too long.
indirect enum CodeLayout {
    enum Breaking {
        /// An item a line, a comma after the last too: elements.
        case elements
        /// An item a line, the closing bracket right after the last: arguments.
        case arguments
        /// As many items as a line takes: many short ones.
        case filled
    }

    case text(String)
    case list(open: String, items: [CodeLayout], close: String, breaking: Breaking)

    var flat: String {
        switch self {
        case .text(let text): text
        case .list(let open, let items, let close, _):
            open + items.map(\.flat).joined(separator: ", ") + close
        }
    }

    /// The code in lines that are short enough, starting after `indent` blanks; `reserve` characters stay
    /// free behind.
    func broken(indent: Int, reserve: Int = 0) -> String {
        guard case .list(let open, let items, let close, let breaking) = self,
            indent + flat.count + reserve > Renderer.lineLength, !items.isEmpty
        else { return flat }
        let inner = indent + 4
        let blanks = String(repeating: " ", count: inner)
        let end = "\n" + String(repeating: " ", count: indent) + close
        let lines = items.map { blanks + $0.broken(indent: inner, reserve: 1) }.joined(separator: ",\n")
        switch breaking {
        case .elements: return "\(open)\n\(lines),\(end)"
        case .arguments: return "\(open)\n\(lines)\(close)"
        case .filled:
            let lines = DocComment.lines(of: items.map { "\($0.flat)," }, width: Renderer.lineLength - inner)
            return "\(open)\n\(lines.map { blanks + $0 }.joined(separator: "\n"))\(end)"
        }
    }
}

/// Writes `@Field(…)` with what a property has beyond its type.
enum FieldAttribute {
    static func layout(of field: SDMLField, property name: String) -> CodeLayout {
        var arguments: [CodeLayout] = field.name == name ? [] : [.text(SwiftLiteral.string(field.name))]
        if !field.notes.formerly.isEmpty {
            arguments.append(
                .text("formerly: \(field.notes.formerly.map(SwiftLiteral.string).joined(separator: ", "))")
            )
        }
        let rules = field.rules.map(layout)
        if rules.isEmpty, arguments.isEmpty { return .text("@Field") }
        if arguments.isEmpty {
            return .list(open: "@Field(rules: [", items: rules, close: "])", breaking: .elements)
        }
        if !rules.isEmpty {
            arguments.append(.list(open: "rules: [", items: rules, close: "]", breaking: .elements))
        }
        return .list(open: "@Field(", items: arguments, close: ")", breaking: .arguments)
    }

    private static func layout(of rule: SDMLRule) -> CodeLayout {
        switch rule {
        case .required: .text(".required")
        case .maximumLength(let length): .text(".maximumLength(\(length))")
        case .unlimitedLength: .text(".unlimitedLength")
        case .coded(let system): .text(".coded(in: \(expression(for: system)))")
        case .identifiers(let identifiers):
            .list(
                open: ".identifiers([",
                items: identifiers.map { .text(SwiftLiteral.string($0)) },
                close: "])",
                breaking: .filled
            )
        case .unit(let unit): .text(".unit(\(SwiftLiteral.string(unit)))")
        case .part(let part, let type, let rules):
            .list(
                open: ".part(\(SwiftLiteral.string(SwiftValueTypes.property(ofPart: part, in: type))), [",
                items: rules.map(layout),
                close: "])",
                breaking: .elements
            )
        }
    }

    /// A system that `CodeSystem` has a name for, or its URI.
    private static func expression(for system: SDMLCodeSystem) -> String {
        let names = [
            "SNOMED CT": ".snomed", "RxNorm": ".rxNorm", "NDF-RT": ".ndfrt", "UNII": ".unii",
            "LOINC": ".loinc",
            "CVX": ".cvx", "CDC vaccine groups": ".vaccineGroup",
        ]
        guard let title = system.title else { return SwiftLiteral.string(system.uri) }
        if title.hasPrefix("SMART ") { return ".smart(\(SwiftLiteral.string(String(title.dropFirst(6)))))" }
        return names[title] ?? SwiftLiteral.string(system.uri)
    }
}
