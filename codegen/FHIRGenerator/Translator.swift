import FHIRTables

/// Makes views of types: `Definitions` → `View`.
struct Translator {
    let definitions: Definitions
    /// The value sets that become enumerations.
    let valueSets: ValueSetTable
    /// Descriptions of elements and types by path, in our own words.
    let descriptions: [String: String]

    /// Elements that every element, backbone element or resource has are members of its protocol.
    private static let inherited: [View.Conformance: Set<String>] = [
        .element: ["id", "extension"],
        .backboneElement: ["id", "extension", "modifierExtension"],
        .resource: ["id", "meta", "implicitRules", "language"],
        .domainResource: [
            "id", "meta", "implicitRules", "language", "text", "contained", "extension", "modifierExtension",
        ],
    ]

    // MARK: Types

    func view(of type: DefinedType) -> View {
        let scope = Scope(type, in: definitions)
        return view(of: type, name: Names.type(type.name), scope: scope)
    }

    private func view(of type: DefinedType, name: String, scope: Scope) -> View {
        let conformance = conformance(of: type)
        var view = View(
            name: name,
            typeName: type.name,
            documentation: documentation(of: type),
            conformance: conformance
        )
        for element in type.elements where !Self.inherited[conformance, default: []].contains(element.name) {
            guard element.maximum != 0 else { continue }
            if element.isChoice {
                let name = isOpen(element) ? "AnyValue" : Names.nested(element.name)
                view.properties.append(property(element, type: name, shape: .choice))
                if !isOpen(element) { view.choices.append(choice(element, name: name, scope: scope)) }
                continue
            }
            let swiftType = swiftType(of: element.types[0], binding: element.binding, scope: scope)
            view.properties.append(property(element, type: swiftType, shape: element.isList ? .list : .one))
            let elementType = definitions.types[element.types[0].id]
            if elementType.kind == .nested, elementType.name == type.name + "." + element.name {
                view.nested.append(self.view(of: elementType, name: Names.nested(element.name), scope: scope))
            }
        }
        return view
    }

    private func conformance(of type: DefinedType) -> View.Conformance {
        var name: String? = type.name
        while let current = name {
            switch current {
            case "BackboneElement": return .backboneElement
            case "DomainResource": return .domainResource
            case "Resource": return .resource
            default: name = definitions.type(named: current)?.base
            }
        }
        return .element
    }

    private func property(_ element: DefinedElement, type: String, shape: ViewProperty.Shape) -> ViewProperty
    {
        ViewProperty(
            name: element.name,
            type: type,
            shape: shape,
            isRequired: element.minimum > 0,
            documentation: documentation(of: element)
        )
    }

    // MARK: Types of values

    private func swiftType(of type: ElementType, binding: Binding?, scope: Scope) -> String {
        if type.code == "code", let binding, binding.strength == .required,
            valueSets[binding.valueSet] != nil
        {
            return scope.qualified(Names.valueSet(binding.valueSet))
        }
        let definition = definitions.types[type.id]
        switch definition.kind {
        case .primitive: return Names.primitives[type.code] ?? "String"
        case .nested: return scope.nested(definition.name)
        case .resource: return "AnyResource"
        case .datatype, .profile:
            if type.code == "Reference" {
                return "\(scope.qualified("Reference"))<\(target(of: type, scope: scope))>"
            }
            return scope.qualified(Names.type(type.code))
        }
    }

    /// The view of the one resource that a reference may be to; of several any.
    private func target(of reference: ElementType, scope: Scope) -> String {
        guard reference.targets.count == 1, let target = definitions.type(named: reference.targets[0]),
            !target.isAbstract
        else { return "AnyResource" }
        return scope.qualified(Names.type(target.name))
    }

    // MARK: Choices

    private func isOpen(_ element: DefinedElement) -> Bool {
        let open = definitions.type(named: "Extension")?.element(named: "value")
        return open?.types.map(\.code) == element.types.map(\.code)
    }

    private func choice(_ element: DefinedElement, name: String, scope: Scope) -> ChoiceView {
        ChoiceView(
            name: name,
            element: element.name,
            documentation: "What `\(element.path)` may be.",
            cases: element.types.map { type in
                ChoiceView.Case(
                    name: Names.uncapitalized(type.suffix),
                    type: swiftType(of: type, binding: nil, scope: scope),
                    suffix: type.suffix
                )
            }
        )
    }

    /// The choice of any type, as in `Extension.value[x]`.
    func openChoice() -> ChoiceView? {
        guard let type = definitions.type(named: "Extension"), let element = type.element(named: "value")
        else { return nil }
        let choice = choice(element, name: "AnyValue", scope: Scope(type, in: definitions))
        return ChoiceView(
            name: choice.name,
            element: choice.element,
            documentation: "A value of any type: of an extension, a parameter, a task's input.",
            cases: choice.cases
        )
    }

    // MARK: Codes

    func codes() -> [CodeView] {
        valueSets.names.sorted().compactMap { valueSets[$0] }.map { set in
            var taken: Set<String> = []
            return CodeView(
                name: Names.valueSet(set.name),
                documentation: "The codes of the value set `\(set.name)`.",
                cases: set.codes.reduce(into: []) { cases, code in
                    guard !code.isAbstract, !cases.contains(where: { $0.code == code.code }) else { return }
                    var name = Names.enumCase(code.code, display: code.display)
                    while !taken.insert(name).inserted { name += "_" }
                    cases.append(CodeView.Case(name: name, code: code.code, display: code.display))
                }
            )
        }
    }

    // MARK: Documentation

    private func documentation(of type: DefinedType) -> String {
        if let description = descriptions[type.name] { return "\(description) (FHIR `\(type.name)`.)" }
        return type.kind == .nested
            ? "An element of `\(type.name)`." : "A view on FHIR's `\(type.name)`."
    }

    private func documentation(of element: DefinedElement) -> String {
        let cardinality = "\(element.minimum)..\(element.maximum.map(String.init) ?? "*")"
        let name = Names.prose(element.name)
        let text = descriptions[element.path.replacing("[x]", with: "")] ?? Names.capitalized(name) + "."
        return "\(text) `\(element.path)`, \(cardinality)."
    }
}

/// The names that mean a nested type inside a view, so that other types of the same name have to be qualified
/// with the module's name.
struct Scope {
    private let root: String
    private let swiftRoot: String
    private let nestedNames: Set<String>

    init(_ type: DefinedType, in definitions: Definitions) {
        root = type.name
        swiftRoot = Names.type(type.name)
        var names: Set<String> = []
        for other in definitions.types where other.name.hasPrefix(type.name + ".") || other.name == type.name
        {
            if other.name != type.name, let last = other.name.split(separator: ".").last {
                names.insert(Names.nested(String(last)))
            }
            for element in other.elements where element.isChoice { names.insert(Names.nested(element.name)) }
        }
        nestedNames = names
    }

    /// A type of the module.
    func qualified(_ name: String) -> String { nestedNames.contains(name) ? "FHIR.\(name)" : name }

    /// A nested type, from its path in FHIR.
    func nested(_ path: String) -> String {
        let parts = path.split(separator: ".").map(String.init)
        let head = parts[0] == root ? qualified(swiftRoot) : qualified(Names.type(parts[0]))
        return ([head] + parts.dropFirst().map(Names.nested)).joined(separator: ".")
    }
}
