import FHIR
import Foundation
import OrderedJSON

extension Validation {
    /// The target of a reference, as far as its text says.
    private enum Target {
        /// A resource of this type: one that is there, or that the text names.
        case type(String, isResolved: Bool)
        /// The text does not say it, or only another server knows.
        case unknown
        /// It is not written as a reference.
        case malformed(String)
        case broken(IssueSeverity, IssueType, String, rule: String?)
    }

    /// Checks the target of a Reference (FHIR R4, “Resource References”).
    mutating func reference(_ json: ParsedNode) {
        let use = path.use
        var found: String?
        if let reference = json.member("reference"), let target = target(of: reference) {
            switch target {
            case .type(let type, let isResolved):
                found = type
                if let use, let targets = use.targets, !contains(targets, type) {
                    // What only the text names may be something else; the specification's own examples have
                    // such.
                    report(
                        isResolved ? .error : .warning,
                        .structure,
                        "a reference to \(type), where only \(Self.list(use.targetNames)) is allowed",
                        at: reference
                    )
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
            report(
                .error,
                .invalid,
                "the type is not that of the resource that is referred to",
                at: typeValue
            )
        } else if found == nil, plan.isResource(type), let use, let targets = use.targets,
            !contains(targets, type)
        {
            report(
                .error,
                .structure,
                "a reference to \(type), where only \(Self.list(use.targetNames)) is allowed",
                at: typeValue
            )
        }
    }

    private func contains(_ targets: CodeSet, _ type: String) -> Bool {
        var type = type
        return type.withUTF8 { targets.contains($0) }
    }

    private static func list(_ names: [String]) -> String {
        names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
    }

    /// What the text of a reference is to; `nil` when it is no text or empty, which is an issue of its own.
    private mutating func target(of reference: ParsedNode) -> Target? {
        guard reference.kind == .string, let first = reference.withUTF8({ $0.first }) ?? nil else {
            return nil
        }
        // A URN means the same entry wherever it stands in a Bundle.
        if reference.withUTF8({ $0.begins(with: "urn:") }) == true { return entry(at: reference) }
        externalDependencyCount += 1
        if first == UInt8(ascii: "#") { return localTarget(of: reference.string ?? "") }
        return bundled(reference) ?? reference.withUTF8 { target(ofURL: $0) }
    }

    /// What a URN refers to: an entry of the Bundle.
    private func entry(at reference: ParsedNode) -> Target {
        guard let bundle = scope.bundle else { return .unknown }
        return bundle.resourceType(at: reference).map { .type($0, isResolved: true) }
            ?? .broken(.warning, .notFound, "no entry of the Bundle has this full URL", rule: nil)
    }

    /// The entry of the Bundle that a URL refers to.
    private func bundled(_ reference: ParsedNode) -> Target? {
        guard let bundle = scope.bundle,
            let index = bundle.matches(reference, from: scope.entryURL).first ?? bundle.uuid(reference),
            let type = bundle.entries[index].resource.resourceType
        else { return nil }
        if let named = reference.withUTF8(ReferenceText.type) ?? nil, named != type {
            return .broken(
                .error,
                .invalid,
                "the entry that the reference matches is of the type \(type)",
                rule: nil
            )
        }
        return .type(type, isResolved: true)
    }

    private func target(ofURL text: UnsafeBufferPointer<UInt8>) -> Target {
        if let query = text.firstIndex(of: UInt8(ascii: "?")) {
            // A conditional reference: a search for the resource.
            let name =
                text[..<query].split(separator: UInt8(ascii: "/")).last.map {
                    String(decoding: $0, as: UTF8.self)
                } ?? ""
            return plan.isResource(name) ? .type(name, isResolved: false) : .unknown
        }
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
        let isAbsolute = colon.map { UnsafeBufferPointer(rebasing: text[$0...]).begins(with: "://") } ?? false
        if let parts = ReferenceText.parts(of: text), isAbsolute || parts.slashCount == 1, parts.isOfResource
        {
            let id = UnsafeBufferPointer(rebasing: parts.id.prefix { $0 != UInt8(ascii: "#") })
            return isAbsolute || TextScan.isID(id)
                ? .type(String(decoding: parts.type, as: UTF8.self), isResolved: false)
                : .malformed("the id in a reference has 1 to 64 letters, digits, '-' and '.'")
        }
        if isAbsolute || colon != nil { return .unknown }
        return .malformed("a relative reference is the type and the id of a resource, as in Patient/7")
    }

    /// What `#id` refers to: a contained resource, or with `#` alone what contains this one.
    private func localTarget(of text: String) -> Target {
        let id = text.dropFirst()
        if id.isEmpty {
            guard let index = scope.containedIndex else {
                return .broken(
                    .error,
                    .invariant,
                    "# is what contains a resource, and nothing contains this",
                    rule: "ref-1"
                )
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

    /// The resource that a reference is to, where it is contained or in the Bundle.
    mutating func resolve(_ reference: String) -> (json: ParsedNode, isContained: Bool)? {
        if reference.hasPrefix("#") {
            externalDependencyCount += 1
            let id = reference.dropFirst()
            if id.isEmpty { return scope.root.map { ($0, true) } }
            let found = (scope.root?.member("contained")?.list ?? []).first {
                $0.member("id")?.string.map { $0.utf8.elementsEqual(id.utf8) } ?? false
            }
            return found.map { ($0, true) }
        }
        guard let bundle = scope.bundle else { return nil }
        if !reference.hasPrefix("urn:") { externalDependencyCount += 1 }
        let index = bundle.matches(reference, from: scope.entryURL).first ?? bundle.namesakes(reference).first
        return index.map { (bundle.entries[$0].resource, false) }
    }

    /// Marks the contained resources that a narrative shows or links to: `<img src="#id"/>`.
    func useLinks(in narrative: ParsedNode) {
        guard !scope.local.isEmpty, let narrative = narrative.string else { return }
        for name in ["src=\"#", "href=\"#", "src='#", "href='#"] {
            var rest = Substring(narrative)
            while let range = rest.range(of: name) {
                rest = rest[range.upperBound...]
                let id = rest.prefix { $0 != "\"" && $0 != "'" }
                _ = scope.local.use(id)
            }
        }
    }

    /// Marks a contained resource as referred to by a canonical URL or by text whose type is not known.
    mutating func useLocal(_ text: String) {
        externalDependencyCount += 1
        _ = localTarget(of: text)
    }
}
