import IndivoXML

/// Checks a document of a data model, field by field, as a server does.
struct DocumentValidator {
    private let model: String
    private let prefix: String
    /// Where the document starts in its source.
    private var line: Int?
    private(set) var problems: [ValidationProblem] = []

    init(model: String, prefix: String = "") {
        self.model = model
        self.prefix = prefix
    }

    mutating func check(_ document: IndivoDocument) throws {
        let content = try document.content()
        let source = FieldTable(document.source, content.schema, .dataModel)
        line = document.sourceLine
        for field in content.schema.fields {
            guard let relation = field.relation else {
                let leaves = field.leaves.map { index in
                    (
                        leaf: content.schema.leaves[index], value: content.string(of: index),
                        line: source.line(of: index) ?? document.sourceLine
                    )
                }
                check(field.rules, of: field, leaves)
                checkLengths(leaves, by: field)
                continue
            }
            let related = content.documents(of: relation)
            if field.rules.contains(.required), related.isEmpty { add(field.property, "is required") }
            for (index, document) in related.enumerated() {
                var inner = DocumentValidator(
                    model: model, prefix: prefix + field.property + (field.shape.isList ? "[\(index)]." : "."))
                try inner.check(document)
                problems += inner.problems
            }
        }
    }

    private typealias Leaves = [(leaf: SchemaLeaf, value: String?, line: Int?)]

    private mutating func add(_ property: String, _ reason: String, line: Int? = nil) {
        problems.append(
            ValidationProblem(model: model, property: prefix + property, reason: reason, line: line ?? self.line))
    }

    /// The rules of one field, over the leaves it became.
    private mutating func check(_ rules: [FieldRule], of field: FieldSchema, _ leaves: Leaves) {
        if rules.contains(.required) { checkPresence(of: field, leaves) }
        check(rules, of: field.property, leaves)
    }

    /// A coded value needs all its parts; of another compound one will do.
    private mutating func checkPresence(of field: FieldSchema, _ leaves: Leaves) {
        let missing = leaves.filter { $0.value?.isEmpty ?? true }
        if case .compound(let type) = field.shape.kind, type != CodedValue.self {
            if missing.count == leaves.count { add(field.property, "is required") }
        } else {
            for (leaf, _, line) in missing { add(leaf.property, "is required", line: line) }
        }
    }

    private mutating func check(_ rules: [FieldRule], of property: String, _ leaves: Leaves) {
        for rule in rules {
            switch rule {
            case .coded(let system):
                for (leaf, value, line) in leaves where isLeaf(leaf, "system", of: property) {
                    if let value, value != system.uri {
                        add(leaf.property, "“\(value)” is another code system than \(system.uri)", line: line)
                    }
                }
            case .identifiers(let allowed):
                for (leaf, value, line) in leaves
                where isLeaf(leaf, "identifier", of: property) || leaf.property == property {
                    if let value, !allowed.contains(value) {
                        add(leaf.property, "“\(value)” is none of \(allowed.joined(separator: ", "))", line: line)
                    }
                }
            case .unit(let unit):
                for (leaf, value, line) in leaves where leaf.property == property + ".unit" {
                    if let value, value != unit { add(leaf.property, "is in “\(value)”, not in \(unit)", line: line) }
                }
            case .part(let name, let rules):
                let path = "\(property).\(name)"
                let parts = leaves.filter { $0.leaf.property == path || $0.leaf.property.hasPrefix(path + ".") }
                check(rules, of: path, parts)
            case .required, .maximumLength, .unlimitedLength, .email:
                break  // seen to elsewhere
            }
        }
    }

    /// Of a coded value its own leaf; of a vital sign that of its name.
    private func isLeaf(_ leaf: SchemaLeaf, _ part: String, of property: String) -> Bool {
        leaf.property == "\(property).\(part)" || leaf.property == "\(property).name.\(part)"
    }

    private mutating func checkLengths(_ leaves: Leaves, by field: FieldSchema) {
        for (leaf, value, line) in leaves {
            guard let value, leaf.type.dataType == .string else { continue }
            var limit = 255
            for rule in leaf.rules + Self.rules(of: leaf, in: field.rules, at: field.property) {
                switch rule {
                case .maximumLength(let length): limit = length
                case .unlimitedLength: limit = .max
                case .email where !isEmail(value): add(leaf.property, "is no e-mail address", line: line)
                default: break
                }
            }
            if value.unicodeScalars.count > limit {
                add(
                    leaf.property, "has \(value.unicodeScalars.count) characters, at most \(limit) are allowed",
                    line: line)
            }
        }
    }

    /// What rules for parts of a compound say of one leaf in it.
    private static func rules(of leaf: SchemaLeaf, in rules: [FieldRule], at path: String) -> [FieldRule] {
        rules.flatMap { rule -> [FieldRule] in
            guard case .part(let name, let inner) = rule else { return [] }
            let part = "\(path).\(name)"
            return (leaf.property == part ? inner : []) + Self.rules(of: leaf, in: inner, at: part)
        }
    }

    private func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !parts[1].hasPrefix(".")
            && !parts[1].hasSuffix(".") && !text.contains(where: \.isWhitespace)
    }
}

extension IndivoDocument {
    /// Everything a server would refuse about the document's values, related documents included; empty when nothing.
    public final func problems() throws -> [ValidationProblem] {
        guard case .dataModel = type(of: self).format else { return [] }
        var validator = DocumentValidator(model: modelName)
        try validator.check(self)
        return validator.problems
    }

    /// Checks the document as a server does.
    /// - Throws: ``ValidationError`` with all problems at once.
    public final func validate() throws {
        let problems = try problems()
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }
}
