import IndivoBase

/// Reads the definitions of models out of the JSON of one file, nested ones too.
struct ModelReader {
    static let nameKey = "__modelname__"

    let file: SourceFile
    let diagnostics: Diagnostics
    /// The definitions found, in the order of the file, each before those nested in it.
    private(set) var definitions: [ModelDefinition] = []

    init(file: SourceFile, diagnostics: Diagnostics) {
        self.file = file
        self.diagnostics = diagnostics
    }

    mutating func read(_ root: JSONNode) {
        switch root.value {
        case .object: readModel(root, isNested: false)
        case .array(let elements):
            if elements.isEmpty {
                diagnostics.error(
                    at: root.location,
                    "The list is empty: it needs at least one model, '{ … }'."
                )
            }
            for element in elements {
                if case .object = element.value {
                    readModel(element, isNested: false)
                } else {
                    diagnostics.wrongKind(element, "A model is an object, '{ … }'")
                }
            }
        default: diagnostics.wrongKind(root, "A file of models holds an object or a list of objects")
        }
    }

    /// Reads one model and those nested in it; the model's name, nil when it has none.
    @discardableResult
    private mutating func readModel(_ node: JSONNode, isNested: Bool) -> String? {
        guard case .object(let members) = node.value else { return nil }
        let place = definitions.count
        var model = ModelDefinition(
            name: "",
            isNested: isNested,
            location: node.location,
            fileName: file.name
        )
        var name: String?
        var seen: [String: SourceLocation] = [:]
        for member in members {
            guard let written = member.key else {
                model.isDamaged = true
                continue
            }
            let location = member.keyLocation
            let key = trimmed(written, at: location)
            if let first = seen[key] {
                diagnostics.error(
                    at: location,
                    """
                    '\(key)' was said before, in line \(first.line): a server would silently \
                    take only the last.
                    """
                )
                continue
            }
            seen[key] = location
            switch key {
            case Self.nameKey: name = readName(member.value)
            case "__documentid__":
                diagnostics.error(
                    at: location,
                    "'__documentid__' belongs into data (SDMJ), not into a model. Remove it."
                )
            case "":
                diagnostics.error(at: location, "A field needs a name.")
                model.isDamaged = true
            default:
                checkName(key, of: "field", at: location)
                if let type = readType(member.value, of: key) {
                    model.fields.append(SDMLField(name: key, type: type, location: location))
                } else {
                    model.isDamaged = true
                }
            }
        }
        if seen[Self.nameKey] == nil {
            let near = Spelling.nearest(to: Self.nameKey, among: seen.keys)
            diagnostics.error(
                at: node.location,
                "This model has no name: it needs '\"\(Self.nameKey)\": \"…\"'."
                    + (near.map { " Is '\($0)' meant to be it?" } ?? "")
            )
        }
        guard let name else { return nil }
        model.name = name
        definitions.insert(model, at: place)
        return name
    }

    private func readName(_ node: JSONNode) -> String? {
        guard case .string(let text) = node.value else {
            diagnostics.wrongKind(node, "The model's name must be a string")
            return nil
        }
        let name = trimmed(text, at: node.location)
        if name.isEmpty {
            diagnostics.error(at: node.location, "The model's name is empty.")
            return nil
        }
        checkName(name, of: "model", at: node.location)
        return name
    }

    private mutating func readType(_ node: JSONNode, of field: String) -> SDMLFieldType? {
        switch node.value {
        case .string(let text):
            if let type = SDMLType(rawValue: text) { return .value(type) }
            diagnostics.error(at: node.location, Self.advice(onUnknownType: text))
            return nil
        case .object: return readModel(node, isNested: true).map { .one($0) }
        case .array(let elements) where elements.count == 1:
            if case .object = elements[0].value {
                return readModel(elements[0], isNested: true).map { .many($0) }
            }
            diagnostics.wrongKind(
                elements[0],
                "A list is one of models, '[ { … } ]'",
                advice: " SDML has no lists of values: make a model with one field."
            )
            return nil
        case .array(let elements):
            diagnostics.error(
                at: elements.count > 1 ? elements[1].location : node.location,
                "The list of '\(field)' must hold exactly one model, the one it is a list of; it holds "
                    + "\(elements.isEmpty ? "none" : "\(elements.count)")."
            )
            // Problems inside are worth knowing all the same.
            for element in elements { readModel(element, isNested: true) }
            return nil
        default:
            diagnostics.wrongKind(
                node,
                """
                The type of '\(field)' must be the name of a type in quotation marks, a model, \
                or a list of one model
                """
            )
            return nil
        }
    }

    /// A key or name without the blanks around it, which are worth a warning.
    private func trimmed(_ text: String, at location: SourceLocation) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        let inner = String(scalars[first...last])
        if inner.unicodeScalars.count != scalars.count {
            diagnostics.warn(
                at: location,
                "'\(text)' is read as '\(inner)': a server takes the blanks as part of it. Remove them."
            )
        }
        return inner
    }

    /// Servers make identifiers of the names of models and fields.
    private func checkName(_ name: String, of kind: String, at location: SourceLocation) {
        if name.isASCIIIdentifier { return }
        diagnostics.warn(
            at: location,
            "The name '\(name)' is no ASCII identifier, as an Indivo server needs for a \(kind)."
        )
    }

    private static func advice(onUnknownType text: String) -> String {
        let names = SDMLType.allCases.map(\.rawValue)
        let near = Spelling.nearest(to: text, among: names).map { ". Did you mean '\($0)'?" }
        let substitute = substitutes.first { $0.words.contains(text.lowercased()) }.map { "; \($0.advice)." }
        return "SDML has no type '\(text)'"
            + (near ?? substitute ?? ". Its types are \(names.joined(separator: ", ")).")
    }

    private static let substitutes: [(words: [String], advice: String)] = [
        (["bool", "boolean"], "use 'String' with the texts true and false, or a 'CodedValue'"),
        (["int", "integer", "float", "double", "decimal", "long"], "use 'Number'"),
        (["text", "char", "uri", "url", "markdown", "email"], "use 'String'"),
        (
            ["datetime", "timestamp", "time", "instant", "day"],
            "use 'Date' (with \"type\": \"day\" in the notes for a day)"
        ),
        (["code", "coding", "codeableconcept", "coded"], "use 'CodedValue'"),
        (["quantity", "amount"], "use 'ValueAndUnit'"),
        (["range"], "use 'ValueRange'"),
        (["person", "humanname"], "use 'Name'"),
        (["phone", "telecom"], "use 'Telephone'"),
    ]
}

/// A model as one place of one file states it. Linking makes models of definitions.
struct ModelDefinition {
    var name: String
    var fields: [SDMLField] = []
    var isNested: Bool
    /// Whether something in it could not be read, so that it says less than was meant.
    var isDamaged = false
    var location: SourceLocation
    var fileName: String

    /// Only a name: nested, it refers to the model that is defined elsewhere under this name.
    var isReference: Bool { isNested && fields.isEmpty && !isDamaged }

    var types: [String: SDMLFieldType] {
        Dictionary(fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
    }
}
