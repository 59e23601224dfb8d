import Suggestions

/// Reads the definitions of models out of the JSON of one file, nested ones too.
struct ModelReader {
    static let nameKey = "__modelname__"

    let file: SourceFile
    /// The definitions found, in the order of the file, each before those nested in it.
    private(set) var definitions: [ModelDefinition] = []

    init(file: SourceFile) {
        self.file = file
    }

    mutating func read(_ root: JSONNode, into diagnostics: inout Diagnostics) {
        switch root.value {
        case .object:
            readModel(root, isNested: false, into: &diagnostics)
        case .array(let elements):
            if elements.isEmpty {
                diagnostics.error(at: root.location, "The list is empty: it needs at least one model, '{ … }'.")
            }
            for element in elements {
                switch element.value {
                case .object: readModel(element, isNested: false, into: &diagnostics)
                case .damaged: break
                default:
                    diagnostics.error(at: element.location, "A model is an object, '{ … }'; this is \(element.kind).")
                }
            }
        case .damaged: break
        default:
            diagnostics.error(
                at: root.location, "A file of models holds an object or a list of objects; this is \(root.kind).")
        }
    }

    /// Reads one model and those nested in it; the model's name, nil when it has none.
    @discardableResult
    private mutating func readModel(_ node: JSONNode, isNested: Bool, into diagnostics: inout Diagnostics) -> String? {
        guard case .object(let members) = node.value else { return nil }
        let place = definitions.count
        var name: String?
        var hasName = false
        var fields: [ModelDefinition.Field] = []
        var isDamaged = false
        var seen: [String: SourceLocation] = [:]
        // The model comes before those nested in it, its content is known after them.
        definitions.append(
            ModelDefinition(
                name: "", fields: [], isNested: isNested, isDamaged: true, location: node.location,
                fileName: file.name))

        for member in members {
            guard let written = member.key else {
                isDamaged = true
                continue
            }
            let key = trimmed(written, at: member.keyLocation, into: &diagnostics)
            if let first = seen[key] {
                diagnostics.error(
                    at: member.keyLocation,
                    "'\(key)' was said before, in line \(first.line): a server would silently take only the last.")
                continue
            }
            seen[key] = member.keyLocation
            switch key {
            case Self.nameKey:
                hasName = true
                name = readName(member.value, into: &diagnostics)
            case "__documentid__":
                diagnostics.error(
                    at: member.keyLocation, "'__documentid__' belongs into data (SDMJ), not into a model. Remove it.")
            case "":
                diagnostics.error(at: member.keyLocation, "A field needs a name.")
                isDamaged = true
            default:
                checkName(key, of: "field", at: member.keyLocation, into: &diagnostics)
                if let type = readType(member.value, of: key, into: &diagnostics) {
                    fields.append(.init(name: key, type: type, location: member.keyLocation))
                } else {
                    isDamaged = true
                }
            }
        }
        if !hasName {
            let near = Spelling.nearest(to: Self.nameKey, among: seen.keys)
            diagnostics.error(
                at: node.location,
                "This model has no name: it needs '\"\(Self.nameKey)\": \"…\"'."
                    + (near.map { " Is '\($0)' meant to be it?" } ?? ""))
        }
        guard let name else {
            definitions.remove(at: place)
            return nil
        }
        definitions[place].name = name
        definitions[place].fields = fields
        definitions[place].isDamaged = isDamaged
        return name
    }

    private func readName(_ node: JSONNode, into diagnostics: inout Diagnostics) -> String? {
        switch node.value {
        case .damaged: return nil
        case .string(let text):
            let name = trimmed(text, at: node.location, into: &diagnostics)
            if name.isEmpty {
                diagnostics.error(at: node.location, "The model's name is empty.")
                return nil
            }
            checkName(name, of: "model", at: node.location, into: &diagnostics)
            return name
        default:
            diagnostics.error(at: node.location, "The model's name must be a string; this is \(node.kind).")
            return nil
        }
    }

    private mutating func readType(
        _ node: JSONNode, of field: String, into diagnostics: inout Diagnostics
    ) -> SDMLFieldType? {
        switch node.value {
        case .damaged: return nil
        case .string(let text):
            if let type = SDMLType(rawValue: text) { return .value(type) }
            diagnostics.error(at: node.location, TypeAdvice.message(forUnknown: text))
            return nil
        case .object:
            return readModel(node, isNested: true, into: &diagnostics).map { .one($0) }
        case .array(let elements):
            guard elements.count == 1 else {
                diagnostics.error(
                    at: elements.count > 1 ? elements[1].location : node.location,
                    "The list of '\(field)' must hold exactly one model, the one it is a list of; it holds "
                        + "\(elements.isEmpty ? "none" : "\(elements.count)").")
                // Problems inside are worth knowing all the same.
                for case let element in elements where !element.isDamaged {
                    readModel(element, isNested: true, into: &diagnostics)
                }
                return nil
            }
            switch elements[0].value {
            case .damaged: return nil
            case .object: return readModel(elements[0], isNested: true, into: &diagnostics).map { .many($0) }
            default:
                diagnostics.error(
                    at: elements[0].location,
                    "A list is one of models, '[ { … } ]'; this is \(elements[0].kind). SDML has no lists of values: "
                        + "make a model with one field.")
                return nil
            }
        default:
            diagnostics.error(
                at: node.location,
                "The type of '\(field)' must be the name of a type in quotation marks, a model, or a list of one "
                    + "model; this is \(node.kind).")
            return nil
        }
    }

    /// A key or name without the blanks around it, which are worth a warning.
    private func trimmed(_ text: String, at location: SourceLocation, into diagnostics: inout Diagnostics) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
              let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        let inner = String(scalars[first...last])
        if inner.unicodeScalars.count != scalars.count {
            diagnostics.warn(
                at: location, "'\(text)' is read as '\(inner)': a server takes the blanks as part of it. Remove them.")
        }
        return inner
    }

    /// Servers make identifiers of the names of models and fields.
    private func checkName(
        _ name: String, of kind: String, at location: SourceLocation, into diagnostics: inout Diagnostics
    ) {
        if !name.isASCIIIdentifier {
            diagnostics.warn(
                at: location,
                "The name '\(name)' is no ASCII identifier, as an Indivo server needs for a \(kind).")
        }
    }
}

/// A model as one place of one file states it. Linking makes models of definitions.
struct ModelDefinition {
    struct Field {
        var name: String
        var type: SDMLFieldType
        var location: SourceLocation
    }

    var name: String
    var fields: [Field]
    /// Whether it stands inside another model.
    var isNested: Bool
    /// Whether something in it could not be read, so that it says less than was meant.
    var isDamaged: Bool
    var location: SourceLocation
    var fileName: String

    /// Only a name: nested, it refers to the model that is defined elsewhere under this name.
    var isReference: Bool { isNested && fields.isEmpty && !isDamaged }

    /// Whether two definitions of the same name define the same; the order of fields makes no difference.
    func agrees(with other: ModelDefinition) -> Bool {
        Dictionary(fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
            == Dictionary(other.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
    }
}

/// What to say when a type is none of SDML's.
enum TypeAdvice {
    static func message(forUnknown text: String) -> String {
        let names = SDMLType.allCases.map(\.rawValue)
        if let near = Spelling.nearest(to: text, among: names) {
            return "SDML has no type '\(text)'. Did you mean '\(near)'?"
        }
        if let advice = substitutes[text.lowercased()] { return "SDML has no type '\(text)'; \(advice)." }
        return "SDML has no type '\(text)'. Its types are \(names.joined(separator: ", "))."
    }

    private static let substitutes: [String: String] = {
        let advice: [(words: [String], advice: String)] = [
            (["bool", "boolean"], "use 'String' with the texts true and false, or a 'CodedValue'"),
            (["int", "integer", "float", "double", "decimal", "long"], "use 'Number'"),
            (["text", "char", "uri", "url", "markdown", "email"], "use 'String'"),
            (["datetime", "timestamp", "time", "instant", "day"],
             "use 'Date' (with \"type\": \"day\" in the notes for a day)"),
            (["code", "coding", "codeableconcept", "coded"], "use 'CodedValue'"),
            (["quantity", "amount"], "use 'ValueAndUnit'"),
            (["range"], "use 'ValueRange'"),
            (["person", "humanname"], "use 'Name'"),
            (["phone", "telecom"], "use 'Telephone'"),
        ]
        return Dictionary(
            advice.flatMap { entry in entry.words.map { ($0, entry.advice) } }, uniquingKeysWith: { first, _ in first })
    }()
}
