import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

extension Validation {
    /// Checks an extension by its definition: where it stands, whether it may be a modifier, its value and
    /// the extensions in it.
    ///
    /// - Parameter json: The extension, whose URL is absolute.
    mutating func definedExtension(_ json: ParsedNode, url: String) {
        guard options.appliesProfiles else { return }
        externalDependencyCount += 1
        let isModifier = path.isModifierExtension
        guard let profile = options.definitions.profile(url), profile.type == "Extension", profile.url == url
        else {
            return unknownExtension(json, url, isModifier: isModifier)
        }
        if isModifier != profile.isModifier {
            report(
                .error,
                .structure,
                isModifier
                    ? "the extension \(url) is no modifier, and stands in modifierExtension"
                    : "the extension \(url) is a modifier, and belongs in modifierExtension",
                at: json
            )
        }
        let contexts =
            profile.contexts + (profile.contexts.isEmpty ? [] : ExtensionPack.contexts(of: url) ?? [])
        if !contexts.isEmpty, !contexts.contains(where: { isIn($0) }) {
            let list = contexts.map(\.expression).joined(separator: ", ")
            // R4 uses its own extensions elsewhere in its own definitions.
            let isDefinition = ["CodeSystem", "StructureDefinition", "ValueSet"].contains(scope.name)
            report(
                isDefinition && CompiledDefinitions.r4.has(url) ? .warning : .error,
                .structure,
                "the extension \(url) is not for this element, but for \(list)",
                at: json
            )
        }
        guard let type = Definitions.r4.type(named: "Extension") else { return }
        let focus = ProfileFocus(
            json: json,
            sibling: nil,
            type: type,
            code: "Extension",
            index: nil,
            suffix: nil
        )
        conform(focus, to: profile)
        parts(of: json, profile)
    }

    /// The parts of a complex extension are those that its definition has.
    private mutating func parts(of json: ParsedNode, _ profile: Profile) {
        guard let main = profile.nodes[0].children.first(where: { profile.nodes[$0].name == "extension" })
        else {
            return
        }
        let known = Set(profile.nodes[main].slices.compactMap { profile.fixedURL(of: $0) })
        guard !known.isEmpty else { return }
        for part in json.member("extension")?.list ?? [] {
            guard let url = part.member("url")?.string, !known.contains(url), !url.contains(":") else {
                continue
            }
            report(
                .error,
                .structure,
                "the extension \(profile.url) has no part\(LogicalURL.shown(url))",
                at: part
            )
        }
    }

    private mutating func unknownExtension(_ json: ParsedNode, _ url: String, isModifier: Bool) {
        let isOwn = url.hasPrefix("http://hl7.org/fhir/StructureDefinition/")
        let isExample = ["http://example.org/", "https://example.org/", "http://acme.com/"]
            .contains { url.hasPrefix($0) }
        let isAllowed = options.knownExtensionPrefixes.contains { url.hasPrefix($0) }
        if isAllowed || isExample || ExtensionPack.isKnown(url) { return }
        let shown = LogicalURL.shown(url)
        switch options.unknownExtensions {
        case .error: report(.error, .structure, "the extension\(shown) is not known", at: json)
        case .remark:
            if isModifier {
                report(
                    .warning,
                    .structure,
                    "the modifier extension\(shown) is not known, and not checked",
                    at: json
                )
            } else if isOwn {
                report(.error, .structure, "HL7 defines no extension\(shown)", at: json)
            }
        }
    }

    /// Whether the element that the extension stands in is one that the definition names.
    private func isIn(_ context: ExtensionContext) -> Bool {
        switch context.type {
        case "element":
            let expression =
                context.expression.hasPrefix("http://hl7.org/fhir/StructureDefinition/")
                ? String(context.expression.dropFirst(40)) : context.expression
            if ["Element", "*"].contains(expression) { return true }
            if ["CanonicalResource", "MetadataResource"].contains(expression) {
                return Self.isCanonical(scope.name)
            }
            return path.owners(of: scope).contains(expression)
        case "extension":
            let outer = owners.count > 1 ? owners[owners.count - 2].member("url")?.string : nil
            return path.isInExtension && outer == context.expression
        default: return isFound(by: context.expression)
        }
    }

    /// Whether an expression on the resource finds the element that the extension stands in.
    private func isFound(by expression: String) -> Bool {
        guard let path = try? FHIRPath(expression), let resource = context.resource, owners.count > 1 else {
            return true
        }
        let owner = owners[owners.count - 2].identity
        var steps = 0
        let item = FHIRPathItem(resource)
        guard let items = try? path.evaluate(on: item, in: context, counting: &steps) else { return true }
        if items.count == 1, items[0].boolean == true, items[0].json.parsedNode == nil { return true }
        return items.contains { $0.json.parsedNode?.identity == owner }
    }
}

/// What is known of HL7's extensions that are younger than R4 (the package hl7.fhir.uv.extensions), and where
/// it says since that R4's may be used.
enum ExtensionPack {
    private static let index = TableIndex(Table.extensions)
    private static let prefix = "http://hl7.org/fhir/StructureDefinition/"

    /// Whether HL7 defines the extension. Those for elements of other releases of FHIR, and of its tools and
    /// guides, have folders of their own.
    static func isKnown(_ url: String) -> Bool {
        if url.hasPrefix(prefix) { return index[String(url.dropFirst(prefix.count))] != nil }
        guard url.hasPrefix("http://hl7.org/fhir/") else { return false }
        let words = url.dropFirst("http://hl7.org/fhir/".count).split(separator: "/")
        guard words.count == 3, words[1] == "StructureDefinition" else { return false }
        return words[0] == "tools" || words[0].first?.isNumber == true && words[2].hasPrefix("extension-")
    }

    /// Where an extension may be used; nil where the package does not have it.
    static func contexts(of url: String) -> [ExtensionContext]? {
        guard url.hasPrefix(prefix), let block = index[String(url.dropFirst(prefix.count))] else {
            return nil
        }
        let line = block.prefix { $0 != "\n" }
        return line.split(separator: "\t").dropFirst().compactMap { text in
            let parts = text.split(separator: "=", maxSplits: 1)
            return parts.count == 2
                ? ExtensionContext(type: String(parts[0]), expression: String(parts[1])) : nil
        }
    }
}
