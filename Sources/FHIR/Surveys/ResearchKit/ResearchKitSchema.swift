import OrderedJSON

/// The schema of ResearchKit's tasks.
public enum ResearchKitSchema {
    /// A JSON Schema (2020-12) of tasks, for editors: the classes that ResearchKit's serializer knows, with
    /// their members. ``ResearchKitTaskCheck`` checks more than it can say.
    public static var json: JSONValue {
        let classes = ResearchKitClass.all.values.sorted { $0.name < $1.name }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A task of ResearchKit, in the JSON of its serializer",
            "$ref": "#/$defs/any-ORKOrderedTask",
            "$defs": JSONValue(
                members: classes.flatMap { one in
                    [
                        JSONMember(name: one.name, value: definition(one)),
                        JSONMember(name: "any-\(one.name)", value: alternatives(one.name)),
                    ]
                }
            ),
        ]
    }

    private static func definition(_ found: ResearchKitClass) -> JSONValue {
        let members = found.allMembers
        let properties =
            [JSONMember(name: "_class", value: ["const": JSONValue(found.name)])]
            + members.map { JSONMember(name: $0.name, value: schema($0.kind)) }
        return [
            "type": "object", "properties": JSONValue(members: properties),
            "required": JSONValue(["_class"] + members.filter(\.isRequired).map { JSONValue($0.name) }),
            "additionalProperties": false,
        ]
    }

    /// An instance of a class or of one below it.
    private static func alternatives(_ name: String) -> JSONValue {
        let names = ResearchKitClass.descendants(of: name)
        return ["anyOf": JSONValue(names.map { ["$ref": JSONValue("#/$defs/\($0)")] })]
    }

    private static func schema(_ kind: ResearchKitClass.Kind) -> JSONValue {
        switch kind {
        case .text: return ["type": ["string", "null"]]
        case .number: return ["type": ["number", "null"]]
        case .flag: return ["enum": [true, false, 0, 1, .null]]
        case .date: return ["type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T"]
        case .time: return ["type": ["string", "null"], "pattern": "^[0-9]{1,2}:[0-9]{2}$"]
        case .image, .object: return ["type": ["object", "null"]]
        case .pattern:
            return [
                "type": ["object", "null"], "properties": ["pattern": ["type": "string"]],
                "required": ["pattern"],
            ]
        case .any: return true
        case .word(let words): return ["enum": JSONValue(words.map { JSONValue($0) } + [.null])]
        case .list(let kind): return ["type": ["array", "null"], "items": schema(kind)]
        case .map(let kind): return ["type": ["object", "null"], "additionalProperties": schema(kind)]
        case .instance(let name):
            return ["anyOf": [["type": "null"], ["$ref": JSONValue("#/$defs/any-\(name)")]]]
        }
    }
}
