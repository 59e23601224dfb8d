import FHIR
import FHIRTables
import OrderedJSON

/// What holds for Bundles besides their rules (FHIR R4, “Resource Bundle” and “FHIR Documents”).
extension Validation {
    mutating func bundle(_ json: ParsedNode) {
        guard let bundle = scope.bundle else { return }
        let type = bundle.type ?? ""
        links(json, type)
        let isOptional = type.hasPrefix("transaction") || type.hasPrefix("batch")
        for entry in bundle.entries where !isStopped {
            fullURL(of: entry, isOptional: isOptional, isCollection: type == "collection")
        }
        guard type == "document" || type == "message", let first = bundle.entries.first else { return }
        if type == "document", first.type.isString("Composition") { document(first, bundle) }
        if type == "message", first.type.isString("MessageHeader") {
            unreachable(from: first, bundle, severity: .warning)
        }
    }

    /// Links between pages belong to searches and histories.
    private mutating func links(_ json: ParsedNode, _ type: String) {
        guard type != "searchset", type != "history" else { return }
        for (index, link) in (json.member("link")?.list ?? []).enumerated() {
            guard let relation = link.member("relation")?.string,
                ["first", "prev", "previous", "next", "last"].contains(relation)
            else { continue }
            report(
                .error,
                .invalid,
                "the relation \(relation) is one of searches and histories",
                child: "link[\(index)].relation",
                at: link
            )
        }
    }

    private mutating func fullURL(of entry: BundleScope.Entry, isOptional: Bool, isCollection: Bool) {
        guard let value = entry.url else {
            guard !isOptional, !entry.type.isString("OperationOutcome") else { return }
            let text = "an entry has a fullUrl, except in a batch or transaction"
            // A collection may have no URLs for its resources.
            let severity: IssueSeverity = isCollection ? .warning : .error
            return report(severity, .invalid, text, child: "entry[\(entry.index)]", at: entry.json)
        }
        guard value.withUTF8(BundleScope.root) != .some(nil), let url = value.string,
            let type = entry.type.string
        else { return }
        // By bytes, as what found the root of the URL: a slash with an accent is one character.
        let parts = url.utf8.split(separator: UInt8(ascii: "/")).suffix(2).map { String($0) ?? "" }
        guard parts.count == 2 else { return }
        let child = "entry[\(entry.index)]"
        if let id = entry.resource.member("id")?.string {
            guard parts != [type, id] else { return }
            // The specification's own examples have other ids, but not other types.
            let severity: IssueSeverity = parts[0] == type ? .warning : .error
            let text =
                "the fullUrl is that of a resource on a server, and does not end with the type and id of this"
            report(severity, .invalid, text, child: child, at: value)
        } else {
            let text = "the fullUrl is that of a resource on a server, and the resource has no id"
            report(.error, .invalid, text, child: child, at: value)
        }
    }

    // MARK: Documents

    private static let documentReferences: [(elements: [String], name: String)] = [
        (["subject"], "subject"), (["encounter"], "encounter"), (["author"], "author"),
        (["attester", "party"], "attester.party"), (["custodian"], "custodian"),
        (["event", "detail"], "event.detail"),
    ]

    private mutating func document(_ first: BundleScope.Entry, _ bundle: BundleScope) {
        for (elements, name) in Self.documentReferences {
            for reference in Self.values(elements[...], of: first.resource) {
                mustBeInBundle(reference, "Composition.\(name)", from: first, bundle)
            }
        }
        sections(of: first.resource, first, bundle, depth: 0)
        unreachable(from: first, bundle, severity: .error)
    }

    private mutating func sections(
        of parent: ParsedNode,
        _ first: BundleScope.Entry,
        _ bundle: BundleScope,
        depth: Int
    ) {
        guard depth < options.maximumDepth else { return }
        for section in parent.member("section")?.list ?? [] {
            for name in ["author", "focus", "entry"] {
                for reference in Self.values([name], of: section) {
                    mustBeInBundle(reference, "Composition.section.\(name)", from: first, bundle)
                }
            }
            sections(of: section, first, bundle, depth: depth + 1)
        }
    }

    private static func values(_ names: ArraySlice<String>, of node: ParsedNode) -> [ParsedNode] {
        guard let name = names.first else { return [node] }
        let value = node.member(named: name)
        return (value?.list ?? value.map { [$0] } ?? []).flatMap { values(names.dropFirst(), of: $0) }
    }

    private mutating func mustBeInBundle(
        _ reference: ParsedNode,
        _ name: String,
        from entry: BundleScope.Entry,
        _ bundle: BundleScope
    ) {
        guard let value = reference.member("reference"), let text = value.string, !text.hasPrefix("#"),
            !text.isEmpty
        else { return }
        let found = bundle.matches(text, from: entry.url)
        guard spend(1 + found.count, at: value) else { return }
        if found.count > 1 {
            report(
                .error,
                .invalid,
                "\(name): \(found.count) entries of the document match the reference",
                at: value
            )
        } else if found.isEmpty {
            let others = bundle.namesakes(text).count
            let more =
                others == 0
                ? ""
                : "; a resource with this type and id is there, but the fullUrl does not match the reference"
            report(
                .error,
                .notFound,
                "\(name): no entry of the document matches the reference\(more)",
                at: value
            )
        }
    }

    /// Every entry is linked to the first one, in whatever direction.
    private mutating func unreachable(
        from first: BundleScope.Entry,
        _ bundle: BundleScope,
        severity: IssueSeverity
    ) {
        let entries = bundle.entries
        var links: [[Int]] = Array(repeating: [], count: entries.count)
        for (index, entry) in entries.enumerated() {
            var texts: [String] = []
            guard references(in: entry.resource, depth: 0, into: &texts) else { return }
            for text in Set(texts) where !text.hasPrefix("#") {
                var found = bundle.matches(text, from: entry.url)
                if found.isEmpty, entry.url == nil || severity == .warning { found = bundle.namesakes(text) }
                // Each of many references may match each of many entries.
                guard spend(1 + found.count, at: entry.resource) else { return }
                for other in found {
                    links[index].append(other)
                    links[other].append(index)
                }
            }
        }
        var seen: Set<Int> = [0]
        var queue = [0]
        while let next = queue.popLast() {
            for other in links[next] where seen.insert(other).inserted { queue.append(other) }
        }
        for (index, entry) in entries.enumerated() where !seen.contains(index) {
            let start = first.resource.resourceType ?? ""
            report(
                severity,
                .informational,
                "the entry is not reachable from the \(start) by references in any direction",
                child: "entry[\(index)]",
                at: entry.resource
            )
        }
    }

    /// The texts of references in a resource: of References, and of `src` and `href` in narratives.
    ///
    /// - Returns: Whether validation continues.
    private mutating func references(in node: ParsedNode, depth: Int, into found: inout [String]) -> Bool {
        guard depth < options.maximumDepth, spend(at: node) else { return !isStopped }
        for member in node.members {
            switch member.value.kind {
            case .object:
                guard references(in: member.value, depth: depth + 1, into: &found) else { return false }
            case .array:
                for element in member.value.list ?? [] where element.kind == .object {
                    guard references(in: element, depth: depth + 1, into: &found) else { return false }
                }
            case .string:
                if let text = member.value.string {
                    switch member.name {
                    case "reference", "url", "valueUri", "valueUrl", "valueCanonical": found.append(text)
                    default: break
                    }
                }
            default: break
            }
        }
        return true
    }
}
