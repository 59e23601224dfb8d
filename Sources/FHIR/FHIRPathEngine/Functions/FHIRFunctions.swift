import FHIR
import FHIRXML
import OrderedJSON

/// The functions that FHIR adds (FHIR R4, “Additional functions”), and SDC's scores.
extension FHIRPathEvaluation {
    mutating func fhir(_ call: Call) throws(FHIRPathError) -> Items {
        switch call.function {
        case .extension:
            guard let url = try stringArgument(0, of: call) else { return [] }
            return call.input.flatMap { Self.extensions(of: $0, url: url) }
        case .hasValue:
            return [FHIRPathItem(call.input.count == 1 && call.input[0].primitive != nil)]
        case .getValue:
            guard call.input.count == 1, let value = call.input[0].primitive else { return [] }
            return [FHIRPathItem(value)]
        case .resolve:
            var result: Items = []
            for item in call.input {
                if let resource = try resolved(item, at: call.node) { result.append(FHIRPathItem(resource)) }
            }
            return result
        case .memberOf: return try memberOf(call)
        case .conformsTo: return try conformsTo(call)
        case .checkModifiers: return call.input
        case .htmlChecks:
            return [FHIRPathItem(call.input.allSatisfy { $0.string.map(NarrativeMarkup.isAllowed) ?? true })]
        default: return try scores(call)
        }
    }

    static func extensions(of item: FHIRPathItem, url: String) -> Items {
        guard case .node(let node) = item.storage else { return [] }
        let object = node.json?.kind == .object ? node.json : node.sibling
        return (object?.elements(of: "extension") ?? []).compactMap { element in
            guard element.member("url")?.string.map({ $0.utf8.elementsEqual(url.utf8) }) == true else {
                return nil
            }
            return FHIRPathItem(element, type: "Extension")
        }
    }

    // MARK: References

    /// The resource of a reference, of a canonical or of a URL (FHIR, `resolve`).
    private mutating func resolved(
        _ item: FHIRPathItem,
        at position: Node
    ) throws(FHIRPathError) -> JSONValue? {
        try spend(at: position)
        var reference = item.string
        if case .node(let node) = item.storage, node.json?.kind == .object {
            reference = node.json?.member("reference")?.string
        }
        guard let reference else { return nil }
        if reference.utf8.first == UInt8(ascii: "#") {
            let id = reference.dropFirst()
            if id.isEmpty { return rootResource }
            for container in [resource, rootResource] {
                for contained in container?.elements(of: "contained") ?? [] {
                    try spend(at: position)
                    if contained.member("id")?.string.map({ $0.utf8.elementsEqual(id.utf8) }) == true {
                        return contained
                    }
                }
            }
            return nil
        }
        if bundleIndex == nil {
            bundleIndex = Self.index(rootResource)
            try spend(bundleIndex?.count ?? 0, at: position)
        }
        let unversioned = Self.withoutVersion(reference)
        return bundleIndex?[unversioned] ?? context.resolver?(reference)
    }

    private static func index(_ root: JSONValue?) -> [String: JSONValue] {
        var index: [String: JSONValue] = [:]
        guard let root, root.resourceType == "Bundle" else { return index }
        for entry in root.elements(of: "entry") {
            guard let resource = entry.member("resource") else { continue }
            if let url = entry.member("fullUrl")?.string { index[url] = resource }
            if let type = resource.resourceType, let id = resource.member("id")?.string {
                let key = "\(type)/\(id)"
                if index[key] == nil { index[key] = resource }
            }
        }
        return index
    }

    /// The reference without `/_history/…` and `|version`.
    private static func withoutVersion(_ reference: String) -> String {
        var text = Substring(reference)
        if let bar = text.utf8.firstIndex(of: UInt8(ascii: "|")) { text = text[..<bar] }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if let history = parts.firstIndex(of: "_history") { return parts[..<history].joined(separator: "/") }
        return String(text)
    }

    // MARK: Terminology

    private mutating func memberOf(_ call: Call) throws(FHIRPathError) -> Items {
        guard let valueSet = try stringArgument(0, of: call), let item = try single(call.input, at: call.node)
        else {
            return []
        }
        guard let memberOf = context.memberOf else { return [] }
        var codings: [(String?, String)] = []
        if let code = item.string {
            codings = [(nil, code)]
        } else if case .node(let node) = item.storage, let json = node.json {
            for coding in json.member("coding")?.elements.map(Array.init) ?? [json] {
                if let code = coding.member("code")?.string {
                    codings.append((coding.member("system")?.string, code))
                }
            }
        }
        var isKnown = false
        for (system, code) in codings {
            guard let isMember = memberOf(valueSet, system, code) else { continue }
            if isMember { return [FHIRPathItem(true)] }
            isKnown = true
        }
        return isKnown ? [FHIRPathItem(false)] : []
    }

    /// Whether the item is of the profile; known are R4's own types.
    private mutating func conformsTo(_ call: Call) throws(FHIRPathError) -> Items {
        guard let profile = try stringArgument(0, of: call), let item = try single(call.input, at: call.node)
        else {
            return []
        }
        let prefix = "http://hl7.org/fhir/StructureDefinition/"
        guard profile.hasPrefix(prefix), PathType(named: String(profile.dropFirst(prefix.count))) != nil
        else {
            if case .node(let node) = item.storage, let json = node.json,
                let conforms = context.conformsTo?(profile, json)
            {
                return [FHIRPathItem(conforms)]
            }
            throw failure("The profile \(profile) is not known.", at: call.node)
        }
        guard case .node(let node) = item.storage else { return [FHIRPathItem(false)] }
        return [FHIRPathItem(node.isNamed(String(profile.dropFirst(prefix.count))))]
    }

    // MARK: Scores

    /// The score of codings, and of answers with one (SDC, `ordinal()` and `weight()`): of the coding itself,
    /// else of the option of the questionnaire that is the same.
    private mutating func scores(_ call: Call) throws(FHIRPathError) -> Items {
        var result: Items = []
        for item in call.input {
            try spend(at: call.node)
            guard case .node(let node) = item.storage, let json = node.json else { continue }
            let coding = json.member("valueCoding") ?? json
            if let score = Self.score(of: PathNode(coding, typeNamed: "Coding")) {
                result.append(score)
            } else if let score = try questionnaireScore(of: coding, at: call.node) {
                result.append(score)
            }
        }
        return result
    }

    private static func score(of node: PathNode) -> FHIRPathItem? {
        for url in ScoreExtension.urls {
            if let found = extensions(of: FHIRPathItem(node), url: url).first,
                case .node(let element) = found.storage,
                let digits = element.json?.member("valueDecimal")?.number,
                let value = PathDecimal(digits)
            {
                return FHIRPathItem(.decimal(value))
            }
        }
        return nil
    }

    private mutating func questionnaireScore(
        of coding: JSONValue,
        at position: Node
    ) throws(FHIRPathError) -> FHIRPathItem? {
        guard let code = coding.member("code")?.string,
            case .node(let questionnaire)? = variables["questionnaire"]?.first?.storage
        else { return nil }
        let system = coding.member("system")?.string
        var queue = [questionnaire.json].compactMap { $0 }
        while let element = queue.popLast() {
            try spend(at: position)
            for option in element.elements(of: "answerOption") {
                guard let candidate = option.member("valueCoding"), candidate.member("code")?.string == code,
                    candidate.member("system")?.string == system
                else { continue }
                if let score = Self.score(of: PathNode(candidate, typeNamed: "Coding"))
                    ?? Self.score(of: PathNode(option, typeNamed: "Element"))
                {
                    return score
                }
            }
            queue += element.elements(of: "item")
        }
        return nil
    }
}

extension FHIRPathItem {
    fileprivate var primitive: SystemValue? {
        if case .node(let node) = storage, node.json?.kind == .object { return nil }
        return systemValue
    }
}
