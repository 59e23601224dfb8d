import FHIR
import OrderedJSON

/// The references between the entries of a transaction.
struct BundleLinks {
    /// What each `fullUrl` became.
    let targets: [String: (type: String, id: String)]
    let bases: [String]

    /// Members whose text is a reference or a URI; a `canonical` is neither (FHIR R4, transaction).
    private static let linkNames: Set<String> = [
        "reference", "uri", "url", "valueUri", "valueUrl", "valueOid", "valueUuid",
    ]

    /// A resource whose references are to what the entries became.
    ///
    /// - Parameters:
    ///   - fullURL: that of the resource's entry, from which relative references go.
    ///   - conditional: finds what a conditional reference is to.
    func resolve(
        _ json: JSONValue,
        fullURL: String?,
        conditional: (String) throws -> String
    ) throws -> JSONValue {
        try resolve(
            json,
            roots: (fullURL.flatMap(Self.root(of:)).map { [$0] } ?? []) + bases,
            conditional: conditional
        )
    }

    /// What is before type and id in the address of a resource: `http://example.org/fhir/` of
    /// `http://example.org/fhir/Patient/1`. Nil for what is no such address.
    private static func root(of url: String) -> String? {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else { return nil }
        var parts = url.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.count > 4, parts[parts.endIndex - 2] == "_history" { parts = parts.dropLast(2) }
        guard parts.count > 4, let id = parts.popLast(), LogicalID.isValid(String(id)),
            let type = parts.popLast(),
            SearchCatalog.r4.isType(String(type))
        else { return nil }
        return parts.joined(separator: "/") + "/"
    }

    private func resolve(
        _ json: JSONValue,
        roots: [String],
        conditional: (String) throws -> String
    ) throws -> JSONValue {
        switch json.kind {
        case .array:
            var isChanged = false
            let elements = try (json.elements ?? []).map { element in
                let resolved = try resolve(element, roots: roots, conditional: conditional)
                isChanged = isChanged || !resolved.isSame(as: element)
                return resolved
            }
            return isChanged ? JSONValue(elements) : json
        case .object:
            var isChanged = false
            let members = try (json.members ?? []).map { member -> JSONMember in
                let name = member.name
                let value = member.value
                var resolved = value
                if let text = value.string {
                    if Self.linkNames.contains(name) {
                        let isReference = name == "reference"
                        resolved =
                            try link(text, isReference: isReference, roots: roots, conditional: conditional)
                            ?? value
                    } else if name == "div" {
                        resolved = narrative(text).map { JSONValue($0) } ?? value
                    }
                } else {
                    resolved = try resolve(value, roots: roots, conditional: conditional)
                }
                guard !resolved.isSame(as: value) else { return member }
                isChanged = true
                return JSONMember(name: name, value: resolved)
            }
            return isChanged ? JSONValue(members: members) : json
        default: return json
        }
    }

    private func link(
        _ text: String,
        isReference: Bool,
        roots: [String],
        conditional: (String) throws -> String
    ) throws -> JSONValue? {
        if let path = path(of: text) { return JSONValue(path) }
        guard isReference, !text.hasPrefix("#") else { return nil }
        // A relative reference to an entry whose fullUrl is an address (FHIR R4, bundle, “resolving
        // references”).
        for root in roots {
            if let path = path(of: root + text) { return JSONValue(path) }
        }
        let type = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        if type.endIndex < text.endIndex, SearchCatalog.r4.isType(String(Substring(type))) {
            return JSONValue(try conditional(text))
        }
        if text.hasPrefix("urn:uuid:"), !targets.isEmpty {
            throw FHIRFailure(400, "invalid", "a reference by urn:uuid is to no entry of the transaction")
        }
        return nil
    }

    /// Where what an address is to will be, with the address's fragment.
    private func path(of url: String) -> String? {
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        return targets[String(parts[0])].map {
            "\($0.type)/\($0.id)" + (parts.count > 1 ? "#\(parts[1])" : "")
        }
    }

    /// Links of the narrative: `href` and `src` in quotation marks. Nil where none is to an entry.
    private func narrative(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var isChanged = false
        var position = 0
        while position < bytes.count {
            let quote = bytes[position]
            result.append(quote)
            position += 1
            let rest = bytes[position...]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), rest.starts(with: "urn:".utf8)
            else { continue }
            let url = rest.prefix { $0 != quote && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
            if let path = path(of: String(decoding: url, as: UTF8.self)) {
                result += path.utf8
                isChanged = true
            } else {
                result += url
            }
            position = url.endIndex
        }
        return isChanged ? String(decoding: result, as: UTF8.self) : nil
    }
}

extension JSONValue {
    /// Whether it is the same value of the same text, or equal.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        if let range = sourceRange, let otherRange = other.sourceRange {
            return range == otherRange && kind == other.kind
        }
        return sourceRange == nil && other.sourceRange == nil && self == other
    }
}
