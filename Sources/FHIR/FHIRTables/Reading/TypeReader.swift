/// Makes a type from its lines: bases give it their elements, names become the indices of types.
struct TypeReader {
    let definitions: Definitions

    /// An element as its line defines it.
    private struct Line {
        let name: String
        let cardinality: (minimum: Int, maximum: Int?)
        let types: Substring
        let flags: Substring
        let facts: [Substring: Substring]
        let pattern: String?

        var rules: [String] { facts["rules"]?.listed ?? [] }
    }

    /// - Throws: ``TableError``, with the line.
    func type(_ id: Int) throws(TableError) -> DefinedType {
        let entry = definitions.entries[id]
        let head = definitions.text(entry.head, of: entry)
        let words = head.words
        var kind = DefinedType.Kind.nested
        var baseName: String? = nil
        if entry.indent == 0 {
            guard let own = DefinedType.Kind(rawValue: String(words[0])) else {
                throw TableError(line: String(head), reason: "not a type")
            }
            kind = own
            baseName = words[2] == "-" ? nil : String(words[2])
        } else {
            // The types of an element that has elements are `BackboneElement` or `Element`.
            baseName = String(try line(head).types)
        }
        let base = try self.base(baseName, of: entry)
        var elements = base?.elements.map { $0.inherited(by: entry.name) } ?? []
        for text in lines(of: entry) {
            let element = try element(try line(text), of: entry)
            if let index = elements.firstIndex(where: { $0.name == element.name }) {
                elements[index] = element
            } else {
                elements.append(element)
            }
        }
        let rules = entry.indent == 0 ? words.last.flatMap(Self.rules) ?? [] : []
        return DefinedType(
            id: id,
            name: entry.name,
            kind: kind,
            base: baseName,
            lineage: [id] + (base?.lineage ?? []),
            isAbstract: entry.indent == 0 && words.dropFirst(3).contains("abstract"),
            elements: elements,
            rules: (base?.rules ?? []) + rules
        )
    }

    private func base(_ name: String?, of entry: TypeIndex.Entry) throws(TableError) -> DefinedType? {
        guard let name else { return nil }
        var chain = [entry.name]
        var next: String? = name
        while let base = next {
            guard let id = definitions.id(ofTypeNamed: base), chain.count < 8 else {
                throw TableError(line: entry.name, reason: "an unknown base, or bases in a circle")
            }
            chain.append(base)
            let words = definitions.text(definitions.entries[id].head, of: definitions.entries[id]).words
            next = words[2] == "-" ? nil : String(words[2])
        }
        return try definitions.id(ofTypeNamed: name).map { (id) throws(TableError) in try definitions.load(id)
        }
    }

    /// The lines of the elements of a type, without those of their elements.
    private func lines(of entry: TypeIndex.Entry) -> [Substring] {
        definitions.text(entry.body, of: entry).parts(separatedBy: UInt8(ascii: "\n")).filter {
            $0.indent == entry.indent + 1
        }
    }

    private static func rules(_ word: Substring) -> [String]? {
        word.hasPrefix("rules=") ? word.dropFirst(6).listed : nil
    }

    // MARK: Elements

    private func line(_ text: Substring) throws(TableError) -> Line {
        var pattern: String?
        var line = text
        // A regular expression may have spaces; it is the last fact.
        if let range = line.utf8.firstRange(of: " regex=".utf8) {
            pattern = String(line[range.upperBound...])
            line = line[..<range.lowerBound]
        }
        let words = line.words
        guard words.count >= 3, let cardinality = Self.cardinality(words[1]) else {
            throw TableError(line: String(text), reason: "not an element")
        }
        var facts: [Substring: Substring] = [:]
        var flags: Substring = ""
        for word in words.dropFirst(3) {
            if let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
                facts[word[..<equals]] = word[word.index(after: equals)...]
            } else {
                flags = word
            }
        }
        return Line(
            name: String(words[0]),
            cardinality: cardinality,
            types: words[2],
            flags: flags,
            facts: facts,
            pattern: pattern
        )
    }

    private static func cardinality(_ word: Substring) -> (minimum: Int, maximum: Int?)? {
        let bounds = word.parts(separatedBy: UInt8(ascii: "."))
        guard bounds.count == 2, let minimum = Int(bounds[0]) else { return nil }
        let maximum = bounds[1]
        if maximum == "*" { return (minimum, nil) }
        return Int(maximum).map { (minimum, $0) }
    }

    private func element(_ line: Line, of owner: TypeIndex.Entry) throws(TableError) -> DefinedElement {
        let isChoice = line.name.hasSuffix("[x]")
        let name = isChoice ? String(line.name.dropLast(3)) : line.name
        let types = try elementTypes(of: line, owner: owner.name)
        let bounds = line.facts["least"].flatMap { Int($0) }
        return DefinedElement(
            name: name,
            path: owner.name + "." + line.name,
            isChoice: isChoice,
            minimum: line.cardinality.minimum,
            maximum: line.cardinality.maximum,
            types: types,
            isSummary: line.flags.contains("S"),
            isModifier: line.flags.contains("M"),
            isXMLAttribute: line.flags.contains("A"),
            isXHTML: line.flags.contains("H"),
            binding: Self.binding(line.facts),
            rules: try rules(of: line, name: name, types: types),
            pattern: line.pattern,
            maximumLength: line.facts["length"].flatMap { Int($0) },
            range: bounds.flatMap { least in line.facts["most"].flatMap { Int($0) }.map { least...$0 } }
        )
    }

    /// Every element has the rule `ele-1`, and extensions `ext-1`; only what is plain text in XML has not.
    /// An element whose definition is that of another has its rules (ElementDefinition.contentReference).
    private func rules(of line: Line, name: String, types: [ElementType]) throws(TableError) -> [String] {
        var own = line.rules
        if line.types.hasPrefix("#"), let id = definitions.id(ofTypeNamed: String(line.types.dropFirst())) {
            let entry = definitions.entries[id]
            if entry.indent > 0 {
                let referred = try self.line(definitions.text(entry.head, of: entry)).rules
                own += referred.filter { !own.contains($0) }
            }
        }
        let isPlain =
            name == "id" || line.flags.contains("A") || line.flags.contains("H")
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

    private func elementTypes(of line: Line, owner: String) throws(TableError) -> [ElementType] {
        let nested = owner + "." + line.name
        if definitions.id(ofTypeNamed: nested) != nil {
            return [try elementType(code: line.types, name: nested)]
        }
        if line.types.hasPrefix("#") {
            let name = String(line.types.dropFirst())
            let entry = definitions.id(ofTypeNamed: name).map { definitions.entries[$0] }
            let head = try entry.map { (entry) throws(TableError) -> Substring in
                let text = definitions.text(entry.head, of: entry)
                return entry.indent == 0 ? text.words[2] : try self.line(text).types
            }
            return [try elementType(code: head ?? "BackboneElement", name: name)]
        }
        var types: [ElementType] = []
        for text in line.types == "*" ? try openTypes : Self.split(line.types) {
            types.append(try elementType(code: text, name: nil))
        }
        return types
    }

    /// The types of a choice of any type: those of `Extension.value[x]`.
    private var openTypes: [Substring] {
        get throws(TableError) {
            guard let id = definitions.id(ofTypeNamed: "Extension"),
                let text = lines(of: definitions.entries[id]).first(where: { $0.hasPrefix(" value[x] ") })
            else { throw TableError(line: "*", reason: "Extension.value[x] does not list its types") }
            let types = try line(text).types
            guard types != "*" else {
                throw TableError(line: "*", reason: "Extension.value[x] does not list its types")
            }
            return Self.split(types)
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
        guard let id = definitions.id(ofTypeNamed: name ?? String(code)) else {
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
