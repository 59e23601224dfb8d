import IndivoXML

/// Checks a document of a data model, field by field, as a server does.
struct DocumentValidator {
    let model: String
    /// What stands before the properties' names.
    var prefix = ""
    var problems: [ValidationError.Problem] = []

    mutating func check(_ document: IndivoDocument) throws {
        let content = try document.content()
        let source = FieldTable(document.source, content.schema, .dataModel)
        for field in content.schema.fields {
            let isRequired = field.rules.contains(.required)
            if let relation = field.relation {
                let related = content.documents(of: relation)
                if isRequired, related.isEmpty { add(field.property, "is required", document.sourceLine) }
                for (index, document) in related.enumerated() {
                    let place = field.property + (field.shape.isList ? "[\(index)]." : ".")
                    var inner = DocumentValidator(model: model, prefix: prefix + place)
                    try inner.check(document)
                    problems += inner.problems
                }
            } else {
                let values = field.leaves.map { content.string(of: $0) }
                if isRequired, field.needsAnyLeaf, values.allSatisfy({ $0?.isEmpty ?? true }) {
                    add(field.property, "is required", document.sourceLine)
                }
                for (index, value) in zip(field.leaves, values) {
                    check(content.schema.leaves[index], in: field, value, source.line(of: index) ?? document.sourceLine)
                }
            }
        }
    }

    private mutating func check(_ leaf: SchemaLeaf, in field: FieldSchema, _ value: String?, _ line: Int?) {
        let rules = LeafRules(leaf, in: field)
        if rules.isRequired, value?.isEmpty ?? true { add(leaf.property, "is required", line) }
        guard let value else { return }
        switch rules.allowed {
        case .system(let system)? where value != system:
            add(leaf.property, "“\(value)” is another code system than \(system)", line, rule: "is not of \(system)")
        case .identifiers(let codes)? where !codes.contains(value):
            let rule = "is none of \(codes.joined(separator: ", "))"
            add(leaf.property, "“\(value)” \(rule)", line, rule: rule)
        case .unit(let unit)? where value != unit:
            add(leaf.property, "is in “\(value)”, not in \(unit)", line, rule: "is not in \(unit)")
        default: break
        }
        guard leaf.type.dataType == .string else { return }
        if rules.isEmail, !isEmail(value) { add(leaf.property, "is no e-mail address", line) }
        if let limit = rules.maximumLength, case let count = value.unicodeScalars.count, count > limit {
            add(leaf.property, "has \(count) characters, at most \(limit) are allowed", line)
        }
    }

    /// - Parameter rule: The reason, without what the document says, where that is something else.
    private mutating func add(_ property: String, _ reason: String, _ line: Int?, rule: String? = nil) {
        problems.append(.init(model: model, property: prefix + property, reason: reason, line: line, rule: rule ?? reason))
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
        guard type(of: self).format.isDataModel else { return [] }
        var validator = DocumentValidator(model: modelName)
        try validator.check(self)
        return validator.problems
    }

    /// The problems that the source does not have, whatever their indexes: one more related document moves the others.
    package final func newProblems() throws -> [ValidationError.Problem] {
        let problems = try problems()
        guard !problems.isEmpty, let source else { return problems }
        guard let former = try? type(of: self).read(from: source, collecting: ReadingProblems()).problems() else { return problems }
        let known = Set(former.map(\.withoutIndexes))
        return problems.filter { !known.contains($0.withoutIndexes) }
    }

    /// Checks the document as a server does.
    /// - Throws: ``ValidationError`` with all problems at once.
    public final func validate() throws {
        let problems = try problems()
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }

    /// The problems that an XML Schema finds in the document as it would be sent; empty when there are none.
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
