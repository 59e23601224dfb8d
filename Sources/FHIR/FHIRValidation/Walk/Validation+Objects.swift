import FHIR
import FHIRTables
import OrderedJSON

extension Validation {
    /// What a member of an object is.
    private enum MemberKind {
        case element(DefinedMember)
        /// `_name`: the id and extensions of a primitive.
        case sibling(DefinedMember)
        case resourceType, unknown
    }

    /// Validates an object: its members, the required ones among them, and the rules.
    ///
    /// - Parameters:
    ///   - use: What the element says in addition to the type; `nil` for a resource.
    ///   - hasValue: For the id and extensions of a primitive, whether the primitive has a value.
    mutating func object(
        _ json: ParsedNode,
        as type: TypePlan,
        use: ElementTypePlan? = nil,
        hasValue: Bool = false
    ) {
        guard json.kind == .object else {
            return report(
                .error,
                .structure,
                "a value of the type \(type.name) is an object in JSON",
                at: json
            )
        }
        owners.append(json)
        descend(at: json) { $0.members(of: json, as: type, use: use, hasValue: hasValue) }
        owners.removeLast()
    }

    private mutating func members(
        of json: ParsedNode,
        as type: TypePlan,
        use: ElementTypePlan?,
        hasValue: Bool
    ) {
        var present: TypePlan.Elements = 0
        var siblings: [(DefinedMember, ParsedMember)] = []
        var isEmpty = true
        var hasType = false
        var hasOthers = false
        for member in json.members {
            guard spend(at: json) else { return }
            isEmpty = false
            switch Self.kind(of: member, in: type) {
            case .element(let found):
                let bit: TypePlan.Elements = 1 << found.element
                type.withElement(found.element) { element in
                    if present & bit != 0 { repeated(element, member, in: json) }
                    values(member.value, of: element, type: found.type, in: json)
                }
                present |= bit
            case .sibling(let found):
                if siblings.contains(where: { $0.0 == found }) {
                    repeated(type.elements[found.element], member, in: json)
                }
                siblings.append((found, member))
            case .resourceType:
                if hasType {
                    report(
                        .error,
                        .structure,
                        "the member resourceType is there more than once",
                        at: member.nameValue
                    )
                }
                hasType = true
            case .unknown:
                hasOthers = true
                unknown(member, in: type)
            }
        }
        for (found, member) in siblings {
            let element = type.elements[found.element]
            if element.isChoice, present & 1 << found.element != 0,
                json.member(named: String(member.name.dropFirst())) == nil
            {
                repeated(element, member, in: json)
            }
            present |= sibling(member, found, of: type, in: json)
        }
        if isEmpty {
            return report(
                .error,
                .structure,
                "an empty object is not a value; leave the member out",
                at: json
            )
        }
        if isStopped { return }
        var missing = type.required & ~present
        while missing != 0 {
            let index = missing.trailingZeroBitCount
            missing &= missing - 1
            let element = type.elements[index]
            report(
                .error,
                .required,
                "\(type.name) needs \(element.name)\(element.isChoice ? "[x]" : ""), which is missing",
                at: json
            )
        }
        if present & ~type.id == 0, !hasOthers, !hasValue, !type.isResource {
            report(
                .error,
                .invariant,
                "an element has a value or children besides its id",
                rule: "ele-1",
                at: json
            )
        }
        // For profiles, a member `_name` counts as a value, even if its element is not primitive.
        lastObject = (json.identity, siblings.reduce(present) { $0 | 1 << $1.0.element })
        special(json, type, present)
        if !type.rules.isEmpty { apply(type.rules, to: json, of: type, having: present) }
        if let use {
            if case .concept(let valueSet) = use.codes { requiredConcept(json, valueSet) }
            if !use.rules.isEmpty { apply(use.rules, to: json, of: type, having: present) }
        }
    }

    private static func kind(of member: ParsedMember, in type: TypePlan) -> MemberKind {
        let kind = member.nameValue.withUTF8 { name -> MemberKind in
            if name.first == UInt8(ascii: "_") {
                return type.definition.member(UnsafeBufferPointer(rebasing: name.dropFirst())).map {
                    .sibling($0)
                }
                    ?? .unknown
            }
            if let found = type.definition.member(name) { return .element(found) }
            return type.isResource && name.elementsEqual("resourceType".utf8) ? .resourceType : .unknown
        }
        return kind ?? .unknown
    }

    // MARK: Names

    private mutating func unknown(_ member: ParsedMember, in type: TypePlan) {
        let name = member.name
        // An unknown member may have any name: only one that looks like a name is shown.
        let isShown =
            name.utf8.count <= 64
            && name.utf8.allSatisfy { TextScan.isIDCharacter($0) || $0 == UInt8(ascii: "_") }
        var text =
            isShown ? "\(type.name) has no element \(name)" : "\(type.name) has no element of this name"
        if type.elements.contains(where: { $0.isChoice && $0.name == name }) {
            text += "; the name of the type belongs to it, as in \(name)String"
        }
        report(.error, .structure, text, at: member.nameValue)
    }

    /// A name that was there before: as itself, or as a choice's other type.
    private mutating func repeated(_ element: ElementPlan, _ member: ParsedMember, in json: ParsedNode) {
        let text =
            json.repeats(member)
            ? "the member \(member.name) is there more than once"
            : "\(element.name)[x] has more than one type"
        report(.error, .structure, text, at: member.nameValue)
    }

    // MARK: Values

    /// Validates the value of a member: one, or those of an array.
    ///
    /// - Parameter json: The object, for the siblings of primitives; `nil` where there are none.
    mutating func values(_ value: ParsedNode, of element: ElementPlan, type: Int, in json: ParsedNode?) {
        element.withType(type) { use in
            guard use.isObject else { return checkValues(value, of: element, type, use, in: json) }
            once(value, by: use) {
                $0.checkValues(value, of: element, type, use, in: json)
                return true
            }
        }
    }

    private mutating func checkValues(
        _ value: ParsedNode,
        of element: ElementPlan,
        _ type: Int,
        _ use: ElementTypePlan,
        in json: ParsedNode?
    ) {
        guard let items = value.elements else {
            path.push(element, type: type, index: nil)
            if element.isList { report(.error, .structure, "\(element.name) is an array in JSON", at: value) }
            self.value(value, use, containedIndex: element.isContained ? 0 : nil)
            path.pop()
            return
        }
        guard element.isList else {
            path.push(element, type: type, index: nil)
            report(.error, .structure, "\(element.name) is one value, not an array", at: value)
            path.pop()
            return
        }
        var index = 0
        var hasValue = false
        var hasNull = false
        for item in items {
            guard spend(at: item) else { return }
            if item.isNull, use.isPrimitive {
                hasNull = true
            } else {
                hasValue = true
                path.push(element, type: type, index: index)
                self.value(item, use, containedIndex: element.isContained ? index : nil)
                path.pop()
            }
            index += 1
        }
        if index == 0 {
            path.push(element, type: type, index: nil)
            report(.error, .structure, "an empty array is not a value; leave the member out", at: value)
            path.pop()
        } else if hasNull {
            // A null stands for a primitive that has only extensions: those are in the array beside it.
            let name = element.isChoice ? element.name + use.suffix : element.name
            if json?.sibling(named: name) == nil || !hasValue {
                path.push(element, type: type, index: nil)
                report(
                    .error,
                    .structure,
                    hasValue
                        ? "null stands for a value with extensions, and there are none in _\(name)"
                        : "leave out an array of nothing but null",
                    at: value
                )
                path.pop()
            }
        }
    }

    private mutating func value(_ value: ParsedNode, _ use: ElementTypePlan, containedIndex: Int?) {
        if value.isNull {
            return report(.error, .structure, "null is not a value; leave the member out", at: value)
        }
        switch use.content {
        case .primitive(let format): primitive(value, format, use)
        case .object(let id): object(value, as: plan.type(id: id), use: use)
        case .resource: nestedResource(value, containedIndex: containedIndex)
        }
    }

    private mutating func primitive(_ value: ParsedNode, _ format: PrimitiveFormat, _ use: ElementTypePlan) {
        if let problem = format.problem(in: value) {
            report(problem.severity, problem.code, problem.text, rule: problem.rule, at: value)
            if problem.severity == .error { return }
        }
        if case .codes(let codes, let valueSet) = use.codes, value.withUTF8(codes.contains) == false {
            report(
                .error,
                .codeInvalid,
                "the code is not in the value set \(valueSet), which is required",
                at: value
            )
        }
        // Ids of elements are unique in their resource; a definition has its elements twice, as snapshot and
        // as differential.
        if format.kind == .elementID || format.kind == .xhtml { externalDependencyCount += 1 }
        if format.kind == .elementID, scope.containedIndex == nil, scope.name != "StructureDefinition",
            let id = value.string, !scope.local.elementIDs.insert(id).inserted
        {
            report(.error, .invalid, "another element of the resource has this id", at: value)
        }
        if format.kind == .xhtml { useLinks(in: value) }
        if options.refusesHTML, format.kind == .string, value.withUTF8(TextScan.hasTag) == true {
            report(.error, .security, "the text has what looks like a tag of HTML", at: value)
        }
        if format.kind == .uri || format.kind == .canonical, let first = value.withUTF8({ $0.first }) ?? nil,
            first == UInt8(ascii: "#"), let text = value.string
        {
            useLocal(text)
        }
        if !use.rules.isEmpty { apply(use.rules, toPrimitive: value, typeNamed: format.typeName) }
    }

    // MARK: Siblings of primitives

    /// Validates `_name`: the id and extensions of a primitive, or of each value of an array.
    ///
    /// - Returns: The element's bit, if the sibling stands for the element.
    private mutating func sibling(
        _ member: ParsedMember,
        _ found: DefinedMember,
        of type: TypePlan,
        in json: ParsedNode
    ) -> TypePlan.Elements {
        let element = type.elements[found.element]
        let use = element.types[found.type]
        // The id of an element, and the URL of an extension, are attributes in XML, and have no extensions.
        guard use.isPrimitive, !type.definition.elements[found.element].isXMLAttribute else {
            unknown(member, in: type)
            return 0
        }
        let value = json.member(named: String(member.name.dropFirst()))
        let bit: TypePlan.Elements = 1 << found.element
        if !element.isList {
            path.push(element, type: found.type, index: nil)
            primitiveParts(member.value, hasValue: value != nil)
            path.pop()
            return bit
        }
        guard let parts = member.value.elements else {
            path.push(element, type: found.type, index: nil)
            report(
                .error,
                .structure,
                "_\(element.name) is an array in JSON, as \(element.name) is",
                at: member.value
            )
            path.pop()
            return bit
        }
        let values = value?.list
        var index = 0
        var hasParts = false
        for part in parts {
            guard spend(at: part) else { return bit }
            let own = values.flatMap { index < $0.count ? $0[index] : nil }
            path.push(element, type: found.type, index: index)
            if !part.isNull {
                hasParts = true
                primitiveParts(part, hasValue: own?.isNull == false)
            } else if own?.isNull ?? true {
                report(
                    .error,
                    .structure,
                    "null stands in both arrays, \(element.name) and _\(element.name)",
                    at: part
                )
            }
            path.pop()
            index += 1
        }
        path.push(element, type: found.type, index: nil)
        if !hasParts {
            report(.error, .structure, "leave out an array without values", at: member.value)
        }
        path.pop()
        return bit
    }

    private mutating func primitiveParts(_ json: ParsedNode, hasValue: Bool) {
        guard json.kind == .object, let type = plan.type(named: "Element") else {
            return report(
                .error,
                .structure,
                "the id and extensions of a primitive are an object in JSON",
                at: json
            )
        }
        object(json, as: type, hasValue: hasValue)
    }
}

extension ParsedNode {
    /// Whether two members have the name of the given one. The search stops at the second: there may be a
    /// million.
    fileprivate func repeats(_ member: ParsedMember) -> Bool {
        let name = member.name
        return members.lazy.filter { $0.name.utf8.elementsEqual(name.utf8) }.prefix(2).reduce(0) { count, _ in
            count + 1
        } == 2
    }
}
