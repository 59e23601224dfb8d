import IndivoXML

/// Checks a document of a data model, field by field, as a server does.
struct DocumentValidator {
    private let model: String
    private let prefix: String
    /// Where the document starts in its source.
    private var line: Int?
    private(set) var problems: [ValidationError.Problem] = []

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
                    let leaf = content.schema.leaves[index]
                    return CheckedLeaf(
                        property: leaf.property, rules: LeafRules(leaf, in: field), isText: leaf.type.dataType == .string,
                        value: content.string(of: index), line: source.line(of: index) ?? document.sourceLine)
                }
                checkPresence(of: field, leaves)
                for leaf in leaves { checkAllowed(leaf) }
                for leaf in leaves where leaf.isText { checkText(leaf) }
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

    private struct CheckedLeaf {
        let property: String
        let rules: LeafRules
        let isText: Bool
        let value: String?
        let line: Int?

        var isMissing: Bool { value?.isEmpty ?? true }
    }

    /// - Parameter rule: The reason, without what the document says, where that is something else.
    private mutating func add(_ property: String, _ reason: String, line: Int? = nil, rule: String? = nil) {
        problems.append(
            ValidationError.Problem(
                model: model, property: prefix + property, reason: reason, line: line ?? self.line, rule: rule ?? reason))
    }

    private mutating func checkPresence(of field: FieldSchema, _ leaves: [CheckedLeaf]) {
        if field.rules.contains(.required), field.needsAnyLeaf, leaves.allSatisfy(\.isMissing) {
            add(field.property, "is required")
        }
        for leaf in leaves where leaf.rules.isRequired && leaf.isMissing {
            add(leaf.property, "is required", line: leaf.line)
        }
    }

    private mutating func checkAllowed(_ leaf: CheckedLeaf) {
        guard let allowed = leaf.rules.allowed, let value = leaf.value, !allowed.texts.contains(value) else { return }
        let (reason, rule) =
            switch allowed {
            case .system(let system): ("“\(value)” is another code system than \(system)", "is not of \(system)")
            case .identifiers(let codes):
                ("“\(value)” is none of \(codes.joined(separator: ", "))", "is none of \(codes.joined(separator: ", "))")
            case .unit(let unit): ("is in “\(value)”, not in \(unit)", "is not in \(unit)")
            }
        add(leaf.property, reason, line: leaf.line, rule: rule)
    }

    private mutating func checkText(_ leaf: CheckedLeaf) {
        guard let value = leaf.value else { return }
        if leaf.rules.isEmail, !isEmail(value) { add(leaf.property, "is no e-mail address", line: leaf.line) }
        let count = value.unicodeScalars.count
        if let limit = leaf.rules.maximumLength, count > limit {
            add(leaf.property, "has \(count) characters, at most \(limit) are allowed", line: leaf.line)
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
    public final func problems() throws -> [ValidationError.Problem] {
        guard case .dataModel = type(of: self).format else { return [] }
        var validator = DocumentValidator(model: modelName)
        try validator.check(self)
        return validator.problems
    }

    /// The problems that the source of the document does not have. Indexes of related documents do not count: one more or
    /// less of them moves the others.
    package final func newProblems() throws -> [ValidationError.Problem] {
        let problems = try problems()
        guard !problems.isEmpty, let source else { return problems }
        var unreadable: [DocumentError] = []
        guard let former = try? type(of: self).read(from: source, problems: &unreadable).problems() else { return problems }
        let known = Set(former.map(\.withoutIndexes))
        return problems.filter { !known.contains($0.withoutIndexes) }
    }

    /// Checks the document as a server does.
    /// - Throws: ``ValidationError`` with all problems at once.
    public final func validate() throws {
        let problems = try problems()
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }
}

extension ValidationError.Problem {
    /// The same wherever in a list it is.
    fileprivate var withoutIndexes: [String] {
        [property.split(separator: "[").map { $0.split(separator: "]").last ?? "" }.joined(separator: "[]"), reason]
    }
}

extension IndivoDocument {
    /// The problems that an XML Schema finds in the document as it would be sent; empty when there are none.
    ///
    /// - Parameter schema: Such as `IndivoSchemas.documents`.
    /// - Throws: ``DocumentError`` or `XMLError` when the document cannot be written.
    public final func problems(against schema: XMLSchema) throws -> [ValidationError.Problem] {
        var element = try xml()
        // Where nothing changed since the document was read, its source says the same and knows its lines.
        if let source, try source.canonical() == element.canonical() { element = source }
        return try schema.validate(element).map { problem in
            ValidationError.Problem(model: modelName, property: "", reason: problem.message, line: problem.line ?? sourceLine)
        }
    }

    /// Checks the document, as it would be sent, against an XML Schema.
    ///
    /// ```swift
    /// try equipment.validate(against: IndivoSchemas.documents)
    /// ```
    /// - Throws: ``ValidationError`` with all problems at once; ``DocumentError`` or `XMLError` when the document
    ///   cannot be written.
    public final func validate(against schema: XMLSchema) throws {
        let problems = try problems(against: schema)
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }
}
