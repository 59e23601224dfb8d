import FHIR
import FHIRTables
import OrderedJSON

extension Validation {
    /// The datatypes whose values have codes (FHIR R4, "Binding": types that can be bound).
    private static let codedTypes: Set<String> = [
        "Coding", "CodeableConcept", "Quantity", "Age", "Count", "Distance", "Duration", "SimpleQuantity",
        "MoneyQuantity",
    ]

    /// Checks the codes of an element that a profile binds to a value set.
    mutating func binding(
        _ binding: ProfileBinding,
        _ focus: ProfileFocus,
        _ node: ProfileNode,
        at anchor: ParsedNode
    ) {
        guard let json = focus.json, binding.strength == .required || binding.maximum != nil else { return }
        // A guide may bind the extension, and not its value, which has no code of its own.
        guard focus.type.kind == .primitive || Self.codedTypes.contains(focus.type.name) else { return }
        if binding.strength == .required {
            self.binding(json, focus, binding.valueSet, "required", node, at: anchor)
        }
        if let maximum = binding.maximum, maximum != binding.valueSet {
            self.binding(json, focus, maximum, "the most that is allowed", node, at: anchor)
        }
    }

    private mutating func binding(
        _ json: ParsedNode,
        _ focus: ProfileFocus,
        _ valueSet: String,
        _ strength: String,
        _ node: ProfileNode,
        at anchor: ParsedNode
    ) {
        switch isMember(json, focus, of: valueSet) {
        case true?: break
        case false?:
            let isExtended = RuleErrata.extendedValueSets.contains(String(valueSet.prefix { $0 != "|" }))
            report(
                isExtended ? .warning : .error,
                .codeInvalid,
                "no code is in the value set \(valueSet), which is \(strength) (\(node.source))",
                at: anchor
            )
        case nil:
            if silent != nil { externalDependencyCount += 1 }
            guard silent == nil, uncheckedValueSets.insert(valueSet).inserted else { return }
            let text = "codes of the value set\(LogicalURL.shown(valueSet)) are not checked: it is not here"
            report(.information, .notSupported, text, at: anchor)
        }
    }

    /// Whether one of the codes of a value is in a value set; nil where that is not known.
    mutating func isMember(_ json: ParsedNode, _ focus: ProfileFocus, of valueSet: String) -> Bool? {
        var codes: [(system: String?, code: String)] = []
        switch focus.type.name {
        case "CodeableConcept":
            for coding in json.member("coding")?.list ?? [] {
                if let code = coding.member("code")?.string {
                    codes.append((coding.member("system")?.string, code))
                }
            }
        default:
            if let code = json.string ?? json.member("code")?.string {
                codes.append((json.member("system")?.string, code))
            }
        }
        var isUnknown = false
        for (system, code) in codes {
            switch membership(of: code, system: system, in: valueSet) {
            case true?: return true
            case false?: break
            case nil: isUnknown = true
            }
        }
        return isUnknown ? nil : false
    }

    private mutating func membership(of code: String, system: String?, in valueSet: String) -> Bool? {
        let key = Membership(valueSet: valueSet, system: system, code: code)
        if let known = memberships[key] { return known }
        let result: Bool? =
            switch options.membership(of: code, system: system, in: valueSet) {
            case .valid: true
            case .invalid: false
            case .notChecked: nil
            }
        if memberships.count < 10_000 { memberships[key] = .some(result) }
        return result
    }
}

/// A question whether a code is in a value set.
struct Membership: Hashable {
    let valueSet: String
    let system: String?
    let code: String
}

extension ValidationOptions {
    /// Asks ``validateCode``, or looks in the lists of codes that are here.
    func membership(of code: String, system: String?, in valueSet: String) -> CodeValidation {
        if let validateCode {
            let result = validateCode(code, system, valueSet)
            guard case .notChecked = result else { return result }
        }
        return ListedCodes(definitions: definitions).membership(of: code, system: system, in: valueSet)
    }
}

/// The codes of value sets that only list codes, or have all of a code system that is here.
private struct ListedCodes {
    let definitions: FHIRDefinitions
    var depth = 0
    private static let absent = CodeValidation.invalid(reason: "the code is not in the value set")

    func membership(of code: String, system: String?, in valueSet: String) -> CodeValidation {
        let prefix = "http://hl7.org/fhir/ValueSet/"
        let url = String(valueSet.prefix { $0 != "|" })
        if url.hasPrefix(prefix), let known = ValueSetTable.r4[String(url.dropFirst(prefix.count))] {
            let isIn = system.map { known.contains(system: $0, code: code) } ?? known.contains(code: code)
            return isIn ? .valid(display: nil) : Self.absent
        }
        guard depth < 8, let json = definitions.json(canonical: valueSet), json.resourceType == "ValueSet"
        else {
            return .notChecked(reason: "the value set \(valueSet) is not here")
        }
        guard let compose = json.member("compose") else {
            return .notChecked(reason: "the value set \(valueSet) does not say what it includes")
        }
        guard compose.member("exclude") == nil else {
            return .notChecked(reason: "the value set leaves out codes")
        }
        var unknown: CodeValidation?
        for include in compose.elements(of: "include") {
            switch self.membership(of: code, system: system, include) {
            case .valid(let display): return .valid(display: display)
            case .invalid: break
            case .notChecked(let reason): unknown = .notChecked(reason: reason)
            }
        }
        return unknown ?? Self.absent
    }

    private func membership(of code: String, system: String?, _ include: JSONValue) -> CodeValidation {
        var inner = self
        inner.depth += 1
        for url in include.elements(of: "valueSet") {
            let result = inner.membership(of: code, system: system, in: url.string ?? "")
            guard case .valid = result else { return result }
        }
        guard let own = include.member("system")?.string else { return .valid(display: nil) }
        if let system, system != own { return Self.absent }
        if let concepts = include.member("concept")?.elements {
            return concepts.contains { $0.member("code")?.isString(equalTo: code) == true }
                ? .valid(display: nil) : Self.absent
        }
        guard include.member("filter") == nil, let codes = definitions.json(canonical: own),
            codes.member("content")?.isString("complete") == true
        else { return .notChecked(reason: "the code system \(own) is not here") }
        let concepts = codes.member("concept")
        if Self.has(code, concepts, depth: 0) { return .valid(display: nil) }
        let ignoresCase = codes.member("caseSensitive")?.boolean == false
        return ignoresCase && Self.has(code.lowercased(), concepts, ignoresCase: true, depth: 0)
            ? .valid(display: nil) : Self.absent
    }

    /// Whether concepts have a code, which is in lower case where case does not count.
    private static func has(
        _ code: String,
        _ concepts: JSONValue?,
        ignoresCase: Bool = false,
        depth: Int
    ) -> Bool {
        guard depth < 64 else { return false }
        return (concepts?.elements ?? []).contains { concept in
            let own = concept.member("code")
            let isSame =
                ignoresCase ? own?.string?.lowercased() == code : own?.isString(equalTo: code) == true
            return isSame
                || has(code, concept.member("concept"), ignoresCase: ignoresCase, depth: depth + 1)
        }
    }
}
