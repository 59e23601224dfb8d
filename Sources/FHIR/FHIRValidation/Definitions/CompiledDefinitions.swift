import FHIR
import FHIRTables
import OrderedJSON

/// Definitions as lines of text, `URL VERSION JSON` in the order of the URLs: they can be a file, or a text
/// that is compiled into an app. A line is parsed when its definition is asked for.
final class CompiledDefinitions: Sendable {
    /// R4's own profiles and extensions.
    static let r4: CompiledDefinitions = {
        // A test reads them all.
        guard let compiled = try? CompiledDefinitions(Table.profiles) else { preconditionFailure("no table") }
        return compiled
    }()

    private let index: TableIndex

    /// - Throws: ``FHIRDefinitionsError/notCompiled(line:)``.
    init(_ text: String) throws(FHIRDefinitionsError) {
        index = TableIndex(text)
        for (number, url) in index.names.enumerated() where index[url].flatMap(Self.parts)?.count != 3 {
            throw .notCompiled(line: number + 1)
        }
    }

    /// The URLs, in the order of the text.
    var urls: [String] { index.names }

    func has(_ url: String) -> Bool { index[url] != nil }

    func version(of url: String) -> String {
        guard let parts = index[url].flatMap(Self.parts), parts[1] != "-" else { return "" }
        return String(parts[1])
    }

    func resource(_ url: String) -> JSONValue? {
        guard let parts = index[url].flatMap(Self.parts) else { return nil }
        return try? JSONValue(parsing: String(parts[2]))
    }

    private static func parts(_ line: Substring) -> [Substring]? {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[2].utf8.first == UInt8(ascii: "{") else { return nil }
        return parts
    }
}

extension FHIRDefinitions {
    /// What was added, as text for ``add(compiled:)``: of profiles what validation needs, of value sets and
    /// code systems the codes; narratives, descriptions and mappings are left out.
    ///
    /// - Parameter types: The types of resources that are written.
    public func compiled(
        _ types: Set<String> = ["StructureDefinition", "ValueSet", "CodeSystem"]
    ) -> String {
        var lines: [String] = []
        for url in urls where !url.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "#") }) {
            guard let json = json(canonical: url), let type = json.resourceType, types.contains(type) else {
                continue
            }
            let version = json.member("version")?.string ?? ""
            let isPlain = !version.isEmpty && !version.utf8.contains { $0 <= 0x20 }
            lines.append("\(url) \(isPlain ? version : "-") \(DefinitionStripping.stripped(json).text())\n")
        }
        return lines.joined()
    }
}

/// Leaves out what only people read.
enum DefinitionStripping {
    private static let members: [String: Set<String>] = [
        "StructureDefinition": [
            "resourceType", "url", "version", "name", "kind", "abstract", "context", "contextInvariant",
            "type",
            "baseDefinition", "derivation", "differential", "extension",
        ],
        "ElementDefinition": [
            "path", "sliceName", "slicing", "min", "max", "contentReference", "type", "binding", "constraint",
            "maxLength", "mustSupport", "extension",
        ],
        "ValueSet": ["resourceType", "url", "version", "name", "status", "compose", "expansion"],
        "CodeSystem": [
            "resourceType", "url", "version", "name", "status", "caseSensitive", "valueSet",
            "hierarchyMeaning",
            "content", "supplements", "property", "concept",
        ],
        "binding": ["strength", "valueSet", "extension"],
        "constraint": ["key", "severity", "human", "expression"],
        "slicing": ["discriminator", "ordered", "rules"],
        "concept": ["code", "display", "concept", "property"],
    ]
    /// Extensions of definitions that validation reads.
    private static let extensions: Set<String> = [
        "elementdefinition-maxValueSet", "minLength", "structuredefinition-fhir-type", "imposeProfile",
        "structuredefinition-imposeProfile", "narrative-source-control", "narrative-language-control",
    ].reduce(into: []) { $0.insert("http://hl7.org/fhir/StructureDefinition/\($1)") }

    static func stripped(_ json: JSONValue) -> JSONValue { strip(json, as: json.resourceType ?? "") }

    private static func strip(_ json: JSONValue, as kind: String) -> JSONValue {
        if let elements = json.elements {
            let kept = elements.map { strip($0, as: kind) }
            return JSONValue(
                kind == "ElementDefinition" ? kept.filter { ($0.members?.count ?? 0) > 1 } : kept
            )
        }
        guard let members = json.members else { return json }
        let kept = Self.members[kind]
        var result: [JSONMember] = []
        for member in members {
            let name = member.name
            if name == "extension" || name == "_extension" {
                let known = (member.value.elements ?? []).filter {
                    $0.member("url")?.string.map(extensions.contains) == true
                }
                if !known.isEmpty { result.append(JSONMember(name: name, value: JSONValue(known))) }
                continue
            }
            let isValue =
                kind == "ElementDefinition"
                && ["fixed", "pattern", "minValue", "maxValue"].contains { name.hasPrefix($0) }
            if isValue {
                result.append(member)
                continue
            }
            guard kept?.contains(name) ?? !name.hasPrefix("_") else { continue }
            let inner =
                switch name {
                case "differential": "differential"
                case "element": "ElementDefinition"
                case "binding", "constraint", "slicing", "concept": name
                default: "other"
                }
            result.append(JSONMember(name: name, value: strip(member.value, as: inner)))
        }
        return JSONValue(members: result)
    }
}
