import OrderedJSON

extension Validation {
    /// What a reference is to, as far as its text says.
    private enum Target {
        /// A resource of this type: one that is there, or that the text names.
        case type(String, isResolved: Bool)
        /// It does not say, or somebody else knows.
        case unknown
        /// It is not written as a reference.
        case malformed(String)
        case broken(IssueSeverity, IssueType, String, rule: String?)
    }

    /// Checks what a Reference is to (FHIR R4, “Resource References”).
    mutating func reference(_ json: ParsedNode) {
        let use = path.use
        var found: String?
        if let reference = json.member("reference"), let text = reference.string, !text.isEmpty {
            switch target(of: text) {
            case .type(let type, let isResolved):
                found = type
                if let use, let targets = use.targets, !contains(targets, type) {
                    // What only the text names may be something else; the specification's own examples have such.
                    report(
                        isResolved ? .error : .warning, .structure,
                        "a reference to \(type), where only \(Self.list(use.targetNames)) may be", at: reference)
                }
            case .unknown: break
            case .malformed(let reason): report(.error, .value, reason, at: reference)
            case .broken(let severity, let code, let reason, let rule):
                report(severity, code, reason, rule: rule, at: reference)
            }
        }
        guard let typeValue = json.member("type"), let uri = typeValue.string else { return }
        let prefix = "http://hl7.org/fhir/StructureDefinition/"
        let type = uri.utf8.starts(with: prefix.utf8) ? String(uri.dropFirst(prefix.count)) : uri
        if let found, plan.isResource(type), type != found {
            report(.error, .invalid, "the type is not that of the resource that is referred to", at: typeValue)
        } else if found == nil, plan.isResource(type), let use, let targets = use.targets, !contains(targets, type) {
            report(
                .warning, .structure, "a reference to \(type), where only \(Self.list(use.targetNames)) may be",
                at: typeValue)
        }
    }

    private func contains(_ targets: CodeSet, _ type: String) -> Bool {
        var type = type
        return type.withUTF8 { targets.contains($0) }
    }

    private static func list(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
    }

    private mutating func target(of text: String) -> Target {
        if text.utf8.first == UInt8(ascii: "#") { return localTarget(of: text) }
        if text.utf8.starts(with: "urn:".utf8) {
            if let type = scope.bundle?.resourceType(at: text) { return .type(type, isResolved: true) }
            guard scope.bundle != nil else { return .unknown }
            return .broken(.warning, .notFound, "no entry of the Bundle has this full URL", rule: nil)
        }
        let isAbsolute = text.contains("://")
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if let query = text.utf8.firstIndex(of: UInt8(ascii: "?")) {
            // A conditional reference: a search for the resource.
            let name = text[..<query].split(separator: "/").last.map(String.init) ?? ""
            return plan.isResource(name) ? .type(name, isResolved: false) : .unknown
        }
        if parts.count >= 4, parts[parts.count - 2] == "_history" { parts.removeLast(2) }
        if parts.count >= 2 {
            let type = String(parts[parts.count - 2])
            if plan.isResource(type), isAbsolute || parts.count == 2 { return .type(type, isResolved: false) }
        }
        if isAbsolute || text.utf8.firstIndex(of: UInt8(ascii: ":")) != nil { return .unknown }
        return .malformed("a relative reference is the type and the id of a resource, as in Patient/7")
    }

    /// What `#id` refers to: a contained resource, or with `#` alone what contains this one.
    private func localTarget(of text: String) -> Target {
        let id = text.dropFirst()
        if id.isEmpty {
            guard let index = scope.containedIndex else {
                return .broken(.error, .invariant, "# is what contains a resource, and nothing contains this", rule: "ref-1")
            }
            scope.local.useContainer(from: index)
            return scope.root?.resourceType.map { .type($0, isResolved: true) } ?? .unknown
        }
        let found = scope.local.use(id)
        guard found.isFound else {
            return .broken(.error, .invariant, "no contained resource has this id", rule: "ref-1")
        }
        return found.type.map { .type($0, isResolved: true) } ?? .unknown
    }

    /// Marks a contained resource as referred to by a canonical URL or by text whose type is not known.
    func useLocal(_ text: String) { _ = localTarget(of: text) }
}
