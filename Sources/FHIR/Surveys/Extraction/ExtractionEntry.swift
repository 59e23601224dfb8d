import FHIR
import FHIRTables
import FHIRValidation
import OrderedJSON

/// An entry of the bundle that is made.
struct ExtractionEntry {
    var fullURL: String
    var resource: JSONValue
    /// The resource with what is not valid FHIR, where something was left out.
    var unchecked: JSONValue?
    var request: JSONValue
    /// The index of the item that it was made for; -1 for the questionnaire.
    let item: Int
    /// The number by which entries are ordered.
    let order: Int

    var json: JSONValue { ["fullUrl": JSONValue(fullURL), "resource": resource, "request": request] }

    /// The resource that is changed, such as `Observation/7`; nil for a new one.
    var changed: String? {
        request.member("method")?.isString("POST") == true ? nil : request.member("url")?.string
    }

    /// The same, including what is not valid.
    var uncheckedJSON: JSONValue {
        ["fullUrl": JSONValue(fullURL), "resource": unchecked ?? resource, "request": request]
    }
}

extension Extractor {
    /// Adds a resource: as an update if it has an id, else as a new one.
    ///
    /// - Parameter base: The resource that is updated, where it is known.
    mutating func add(
        _ resource: JSONValue,
        request: ExtractionPlan.Request,
        base: JSONValue? = nil,
        order: Int,
        _ scope: Scope
    ) throws(ExtractionStop) {
        var resource = resource
        let type = resource.resourceType ?? ""
        if type == "Parameters" { return try addPatch(resource, request, order: order, scope) }
        var isAllocated = false
        if let id = try text(of: request["resourceId"], scope) {
            resource["id"] = JSONValue(Self.logicalId(id))
            isAllocated = id.hasPrefix(Self.allocatedPrefix)
        }
        if let id = base?.member("id") { resource["id"] = id }
        guard hasContent(resource) else {
            return report(
                .error,
                "emptyResource",
                "The \(type) has no content; it is not extracted.",
                scope.item
            )
        }
        var details: [JSONMember] = []
        if let id = resource.member("id")?.string {
            guard LogicalID.isValid(id) else {
                return report(
                    .error,
                    "malformedId",
                    "The \(type)'s id is not one of FHIR's; it is not extracted.",
                    scope.item
                )
            }
            if let base = base ?? given(type, id) {
                try budget.spend(base)
                resource = Self.merge(base, with: resource)
            } else if !isComplete, !isAllocated {
                return report(
                    .error,
                    "incompleteUpdate",
                    "The update of a \(type) lacks something that the questionnaire sets, "
                        + "and would erase it; it is not extracted. Give the resource that it updates "
                        + "as a launch context.",
                    scope.item
                )
            }
            details = [
                JSONMember(name: "method", value: "PUT"),
                JSONMember(name: "url", value: JSONValue("\(type)/\(id)")),
            ]
        } else {
            details = [
                JSONMember(name: "method", value: "POST"), JSONMember(name: "url", value: JSONValue(type)),
            ]
        }
        for name in ["ifNoneMatch", "ifModifiedSince", "ifMatch", "ifNoneExist"] {
            if let value = try text(of: request[name], scope) {
                details.append(JSONMember(name: name, value: JSONValue(value)))
            }
        }
        let fullURL = try text(of: request["fullUrl"], scope) ?? "urn:uuid:" + newIdentifier()
        add(
            ExtractionEntry(
                fullURL: fullURL,
                resource: resource,
                request: JSONValue(members: details),
                item: scope.item,
                order: order
            )
        )
    }

    /// The logical id that a result stands for: for an allocated one (`urn:uuid:…`), the UUID.
    static func logicalId(_ text: String) -> String {
        text.hasPrefix(allocatedPrefix) ? String(text.dropFirst(allocatedPrefix.count)) : text
    }

    static let allocatedPrefix = "urn:uuid:"

    /// A resource with references by type and allocated id, as in `Patient/urn:uuid:…`, reduced to the
    /// allocated id.
    private static func resolvingAllocatedReferences(_ value: JSONValue) -> JSONValue {
        if let elements = value.elements { return JSONValue(elements.map(resolvingAllocatedReferences)) }
        guard let members = value.members else { return value }
        return JSONValue(
            members: members.map { member in
                guard member.isNamed("reference"), let text = member.value.string else {
                    return JSONMember(name: member.name, value: resolvingAllocatedReferences(member.value))
                }
                let bare = text.replacing("/" + allocatedPrefix, with: "/", maxReplacements: 1)
                return JSONMember(name: member.name, value: JSONValue(bare))
            }
        )
    }

    /// Adds an entry, if what is in it is valid.
    mutating func add(_ entry: ExtractionEntry) {
        guard entry.fullURL.contains(":"), entry.fullURL.utf8.allSatisfy({ $0 > 0x20 }) else {
            return report(
                .error,
                "malformedFullUrl",
                "The fullUrl of a resource is not an absolute URL; it is not extracted.",
                entry.item
            )
        }
        var entry = entry
        entry.resource = Self.resolvingAllocatedReferences(entry.resource)
        var issues = Self.issues(of: entry.resource)
        for issue in issues where issue.isOnlyRelativeURL {
            report(
                .warning,
                "relativeURL",
                "\(issue.expression): \(issue.text); it is extracted as the questionnaire has it.",
                entry.item
            )
        }
        issues.removeAll(where: \.isOnlyRelativeURL)
        if !issues.isEmpty, entry.request.member("method")?.isString("POST") == true {
            // A new resource may do without an invalid element; an update without it would erase the stored
            // value.
            for issue in issues {
                report(
                    .error,
                    "invalidElement",
                    """
                    What was extracted is not valid FHIR and is left out: \(issue.expression): \(issue.text).
                    """,
                    entry.item
                )
            }
            entry.unchecked = entry.resource
            entry.resource = Self.removing(issues.map(\.expression), from: entry.resource)
            if hasContent(entry.resource) {
                issues = Self.issues(of: entry.resource).filter { !$0.isOnlyRelativeURL }
            }
        }
        guard issues.isEmpty else {
            invalidEntries.append(entry)
            let text = issues.prefix(3).map { "\($0.expression): \($0.text)" }.joined(separator: "; ")
            return report(
                .error,
                "invalidResource",
                "What was extracted is not valid FHIR and is left out: \(text).",
                entry.item
            )
        }
        // A server refuses a transaction that changes a resource twice (FHIR R4, transaction rules).
        guard entry.changed.map({ changed.insert($0).inserted }) ?? true else {
            invalidEntries.append(entry)
            return report(
                .error,
                "duplicateRequest",
                "Another entry changes the same resource; this one is left out.",
                entry.item
            )
        }
        entries.append(entry)
    }

    private static func issues(of resource: JSONValue) -> [ValidationIssue] {
        var options = ValidationOptions()
        options.includesBestPractice = false
        options.maximumIssues = 100
        options.appliesProfiles = false
        return ValidationIssue.all(of: resource, options).filter(\.isError)
    }

    /// A resource without the top-level elements that the paths lead into: for `Patient.telecom[1].system`,
    /// the second `telecom` is removed.
    private static func removing(_ paths: [String], from resource: JSONValue) -> JSONValue {
        guard let type = resource.resourceType.flatMap({ Definitions.r4.type(named: $0) })
        else {
            return resource
        }
        var wrong: [String: Set<Int>] = [:]
        for path in paths {
            let parts = path.split(separator: ".")
            guard parts.count > 1 else { continue }
            let name = parts[1].prefix { $0 != "[" }
            let index = parts[1].dropFirst(name.count + 1).prefix { $0 != "]" }
            wrong[String(name), default: []].insert(Int(index) ?? 0)
        }
        return JSONValue(
            members: (resource.members ?? []).compactMap { member -> JSONMember? in
                let bare = member.name.hasPrefix("_") ? String(member.name.dropFirst()) : member.name
                guard let found = type.member(named: bare),
                    let indices = wrong[type.elements[found.element].name]
                else {
                    return member
                }
                guard let elements = member.value.elements else { return nil }
                let kept = elements.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
                return kept.isEmpty ? nil : JSONMember(name: member.name, value: JSONValue(kept))
            }
        )
    }

    /// Whether a resource says anything.
    private func hasContent(_ resource: JSONValue) -> Bool {
        (resource.members ?? []).contains {
            !["resourceType", "id", "meta", "text", "implicitRules", "language"].contains($0.name)
        }
    }

    // MARK: Updates

    /// The resource with a type and id among those that were given.
    func given(_ type: String, _ id: String) -> JSONValue? {
        for values in context.resources.values {
            for value in values
            where value.member("resourceType")?.isString(equalTo: type) == true
                && value.member("id")?.isString(equalTo: id) == true
            {
                return value
            }
        }
        return nil
    }

    /// A resource with its elements replaced by those of another; elements that the other does not have stay.
    static func merge(_ base: JSONValue, with new: JSONValue) -> JSONValue {
        guard let type = base.resourceType.flatMap({ Definitions.r4.type(named: $0) })
        else { return new }
        func element(_ name: String) -> String {
            let bare = name.hasPrefix("_") ? String(name.dropFirst()) : name
            return type.member(named: bare).map { type.elements[$0.element].name } ?? bare
        }
        let members = new.members.map(Array.init) ?? []
        let replaced = Set(members.map { element($0.name) })
        let kept = (base.members ?? []).filter { !replaced.contains(element($0.name)) }
        let start = members.filter { $0.name == "resourceType" }
        return JSONValue(members: start + kept + members.filter { $0.name != "resourceType" })
    }

    // MARK: Between entries

    /// Removes entries whose full URL another entry has, and those that refer to a missing entry.
    mutating func finishEntries() {
        var positions: [String: Int] = [:]
        var isKept = Array(repeating: true, count: entries.count)
        for (index, entry) in entries.enumerated() {
            if positions[entry.fullURL] == nil {
                positions[entry.fullURL] = index
            } else {
                isKept[index] = false
                report(
                    .error,
                    "duplicateFullUrl",
                    "Another resource has the same fullUrl; this one is left out.",
                    entry.item
                )
            }
        }
        // An entry that refers to a removed one is removed, too.
        var referrers: [Int: [Int]] = [:]
        var gone = entries.indices.filter { !isKept[$0] }
        for (index, entry) in entries.enumerated() where isKept[index] {
            for reference in Self.localReferences(in: entry.resource) {
                if let target = positions[reference] {
                    referrers[target, default: []].append(index)
                } else if isKept[index] {
                    isKept[index] = false
                    gone.append(index)
                }
            }
        }
        var next = 0
        while next < gone.count {
            for referrer in referrers[gone[next]] ?? []
            where isKept[referrer] && positions[entries[gone[next]].fullURL] == gone[next] {
                isKept[referrer] = false
                gone.append(referrer)
            }
            next += 1
        }
        for index in gone where positions[entries[index].fullURL] == index {
            let type = entries[index].resource.resourceType ?? "resource"
            report(
                .error,
                "danglingReference",
                "The \(type) refers to a resource that was not extracted; it is left out.",
                entries[index].item
            )
        }
        entries = zip(entries, isKept).compactMap { $1 ? $0 : nil }
    }

    /// The references to other entries in a resource.
    private static func localReferences(in resource: JSONValue) -> [String] {
        var found: [String] = []
        var stack = [resource]
        while let value = stack.popLast() {
            if let elements = value.elements {
                stack += elements
            } else {
                for member in value.members ?? [] {
                    if member.isNamed("reference"), let text = member.value.string, text.hasPrefix("urn:") {
                        found.append(text)
                    }
                    stack.append(member.value)
                }
            }
        }
        return found
    }
}
