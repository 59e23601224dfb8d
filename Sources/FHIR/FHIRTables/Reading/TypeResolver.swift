/// Turns what tables say into types: nested types get a name of their own, bases their elements, names their
/// index.
struct TypeResolver {
    private typealias RawType = TypeTableReader.RawType
    private typealias RawElement = TypeTableReader.RawElement

    /// The types and their nested ones, under their names.
    private var raw: [TypeTableReader.RawType] = []
    private(set) var idsByName: [String: Int] = [:]

    init(_ types: [TypeTableReader.RawType]) {
        for type in types { add(type) }
    }

    private mutating func add(_ type: RawType) {
        idsByName[type.name] = raw.count
        raw.append(type)
        for element in type.elements where !element.elements.isEmpty {
            // The types of an element that has elements are `BackboneElement` or `Element`.
            add(
                RawType(
                    kind: .nested,
                    name: type.name + "." + element.name,
                    base: String(element.types),
                    isAbstract: false,
                    isPartial: type.isPartial,
                    rules: [],
                    elements: element.elements
                )
            )
        }
    }

    mutating func resolve() throws(TableError) -> [DefinedType] {
        var types: [DefinedType] = []
        for (id, type) in raw.enumerated() {
            let chain = try ancestors(of: type)
            var elements: [DefinedElement] = []
            for ancestor in chain {
                for element in ancestor.elements {
                    let resolved = try resolve(element, of: ancestor.name, in: type.name)
                    if let index = elements.firstIndex(where: { $0.name == resolved.name }) {
                        elements[index] = resolved
                    } else {
                        elements.append(resolved)
                    }
                }
            }
            types.append(
                DefinedType(
                    id: id,
                    name: type.name,
                    kind: type.kind,
                    base: type.base,
                    lineage: chain.reversed().compactMap { idsByName[$0.name] },
                    isAbstract: type.isAbstract,
                    isPartial: type.isPartial,
                    elements: elements,
                    rules: chain.flatMap(\.rules)
                )
            )
        }
        return types
    }

    /// The type and those that it specializes, the most general first.
    private func ancestors(of type: RawType) throws(TableError) -> [RawType] {
        var chain = [type]
        while let base = chain[0].base {
            guard let id = idsByName[base], chain.count < 8 else {
                throw TableError(line: type.name, reason: "an unknown base, or bases in a circle")
            }
            chain.insert(raw[id], at: 0)
        }
        return chain
    }

    /// - Parameters:
    ///   - owner: The type whose table has the element; nested types are named after it.
    ///   - type: The type that gets it.
    private func resolve(_ element: RawElement, of owner: String, in type: String) throws(TableError)
        -> DefinedElement
    {
        let isChoice = element.name.hasSuffix("[x]")
        let name = isChoice ? String(element.name.dropLast(3)) : element.name
        let types = try elementTypes(of: element, owner: owner)
        let bounds = element.facts["least"].flatMap { Int($0) }
        return DefinedElement(
            name: name,
            path: type + "." + element.name,
            isChoice: isChoice,
            minimum: element.cardinality.minimum,
            maximum: element.cardinality.maximum,
            types: types,
            isSummary: element.flags.contains("S"),
            isModifier: element.flags.contains("M"),
            isXMLAttribute: element.flags.contains("A"),
            isXHTML: element.flags.contains("H"),
            binding: Self.binding(element.facts),
            rules: Self.rules(of: element, name: name, types: types),
            pattern: element.pattern,
            maximumLength: element.facts["length"].flatMap { Int($0) },
            range: bounds.flatMap { least in element.facts["most"].flatMap { Int($0) }.map { least...$0 } }
        )
    }

    /// Every element has the rule `ele-1`, and extensions `ext-1`; only what is plain text in XML has not.
    private static func rules(of element: RawElement, name: String, types: [ElementType]) -> [String] {
        let own = element.facts["rules"]?.listed ?? []
        let isPlain =
            name == "id" || element.flags.contains("A") || element.flags.contains("H")
            || types.first?.code == "Resource"
        let implied = isPlain ? [] : types.first?.code == "Extension" ? ["ele-1", "ext-1"] : ["ele-1"]
        return implied + own
    }

    private static func binding(_ facts: [Substring: Substring]) -> Binding? {
        for strength in [Binding.Strength.required, .extensible, .preferred, .example] {
            guard let name = facts[Substring(strength.rawValue)] else { continue }
            return Binding(
                strength: strength,
                valueSet: String(name),
                maximumValueSet: facts["max"].map(String.init)
            )
        }
        return nil
    }

    private func elementTypes(of element: RawElement, owner: String) throws(TableError) -> [ElementType] {
        if !element.elements.isEmpty {
            return [try elementType(code: element.types, name: owner + "." + element.name)]
        }
        if element.types.hasPrefix("#") {
            let name = String(element.types.dropFirst())
            let code = idsByName[name].flatMap { raw[$0].base } ?? "BackboneElement"
            return [try elementType(code: Substring(code), name: name)]
        }
        var types: [ElementType] = []
        for text in element.types == "*" ? try openTypes : Self.split(element.types) {
            types.append(try elementType(code: text, name: nil))
        }
        return types
    }

    /// The types of a choice of any type: those of `Extension.value[x]`.
    private var openTypes: [Substring] {
        get throws(TableError) {
            guard let id = idsByName["Extension"],
                let value = raw[id].elements.first(where: { $0.name == "value[x]" }), value.types != "*"
            else {
                throw TableError(
                    line: "*",
                    reason: "Extension.value[x] does not list the types of open choices"
                )
            }
            return Self.split(value.types)
        }
    }

    private static func split(_ types: Substring) -> [Substring] {
        types.parts(separatedBy: UInt8(ascii: "|"))
    }

    /// - Parameters:
    ///   - code: `Quantity/SimpleQuantity` or `Reference(Patient,Group)`.
    ///   - name: The nested type's, where it is one.
    private func elementType(code text: Substring, name: String?) throws(TableError) -> ElementType {
        let code = text.prefix { $0 != "/" && $0 != "(" }
        let rest = text[code.endIndex...]
        guard let id = idsByName[name ?? String(code)] else {
            throw TableError(line: String(text), reason: "an unknown type")
        }
        return ElementType(
            code: String(code),
            id: id,
            targets: rest.hasPrefix("(") ? rest.dropFirst().dropLast().listed : [],
            profile: rest.hasPrefix("/") ? String(rest.dropFirst()) : nil,
            suffix: code.prefix(1).uppercased() + code.dropFirst()
        )
    }
}
