import IndivoXML

/// Checks a document field by field, as a server does when it reads it.
struct DocumentValidator {
    let model: String
    /// Whether the document is one of a data model, and not nested XML.
    let isModel: Bool
    /// The prefix of the properties' names.
    var prefix = ""
    var problems: [ValidationError.Problem] = []

    private var format: TableFormat { isModel ? .dataModel : .nested }

    mutating func check(_ document: IndivoDocument) throws {
        let content = try document.sentContent()
        try check(content, FieldTable(document.source, content.schema, format), document.sourceLine)
    }

    /// - Parameters:
    ///   - content: What is sent.
    ///   - source: What was read.
    private mutating func check(_ content: FieldTable, _ source: FieldTable, _ line: Int?) throws {
        for field in content.schema.fields {
            if let relation = field.relation {
                let items = content.relations[relation].items
                if field.rules.contains(.required), items.isEmpty { add(field.property, "is required", line) }
                for (index, item) in items.enumerated() {
                    let place = field.property + (field.shape.isList ? "[\(index)]." : ".")
                    var inner = DocumentValidator(model: model, isModel: isModel, prefix: prefix + place)
                    try inner.check(item, field, among: source.relations[relation].items)
                    problems += inner.problems
                }
            } else {
                let isEmpty = field.leaves.allSatisfy { content.text(of: $0) == nil }
                if field.rules.contains(.required), field.needsAnyLeaf, isEmpty {
                    add(field.property, "is required", line)
                }
                check(field, partOf: field, content, line, isPresent: true)
            }
        }
    }

    /// Checks a document or compound value of a relation.
    private mutating func check(_ item: TableItem, _ field: FieldSchema, among former: [TableItem]) throws {
        switch item {
        case .document(let document): try check(document)
        case .value(let value):
            // A value that was read and not changed is sent as it was.
            let element = former.first { item.isSaid(by: $0, field) }?.element?.node
            let content = table(of: value, element)
            try check(content, content, element?.line)
        case .text, .element: break
        }
    }

    private func table<Value: CompoundValue>(of value: Value, _ element: XMLNode?) -> FieldTable {
        guard let element else { return FieldTable(value, format, isForServer: true) }
        return FieldTable(element, ModelSchema.of(Value.self), format)
    }

    /// Checks the leaves of a field, or of a part of it.
    /// - Parameter isPresent: Whether the value that the field is a part of is there.
    private mutating func check(
        _ field: FieldSchema,
        partOf whole: FieldSchema,
        _ content: FieldTable,
        _ line: Int?,
        isPresent: Bool
    ) {
        guard let inner = field.inner else {
            guard !field.leaves.isEmpty else { return }
            let leaf = content.schema.leaves[field.leaf]
            let text = content.string(of: field.leaf)
            return check(leaf, in: whole, text, content.line(of: field.leaf) ?? line, isPresent: isPresent)
        }
        let isHere = isPresent && field.leaves.contains { content.leaves[$0].isPresent }
        for part in inner.fields { check(part, partOf: whole, content, line, isPresent: isHere) }
    }

    private mutating func check(
        _ leaf: SchemaLeaf,
        in field: FieldSchema,
        _ sent: String?,
        _ line: Int?,
        isPresent: Bool
    ) {
        let rules = LeafRules(leaf, in: field, usualLength: isModel ? 255 : nil)
        let type = leaf.type
        guard let text = sent, !text.isEmpty else {
            let isMissing = sent == nil ? rules.mustBePresent : false
            if rules.isRequired || (isPresent && (rules.isRequiredPart || isMissing)) {
                add(leaf.property, "is required", line)
            } else if sent != nil, isModel ? type.dataType == .boolean : !type.canRead("", isField: false) {
                add(leaf.property, "is empty; leave it out", line)
            }
            return
        }
        do throws(LexicalError) { _ = try type.read(text, isField: isModel) } catch {
            let isNumber = type.dataType == .number && Double(text)?.isFinite == false
            let rule = isNumber ? "is no finite number" : "is no value of the field's type"
            return add(leaf.property, "\(error)", line, rule: rule)
        }
        if let refusal = type.dataType.refusal(of: text, isField: isModel) {
            add(leaf.property, "“\(text)” \(refusal)", line, rule: refusal)
        }
        switch rules.allowed {
        case .system(let system)? where text != system:
            add(
                leaf.property,
                "“\(text)” is another code system than \(system)",
                line,
                rule: "is not of \(system)"
            )
        case .identifiers(let codes)? where !codes.contains(text):
            let rule = "is none of \(codes.joined(separator: ", "))"
            add(leaf.property, "“\(text)” \(rule)", line, rule: rule)
        case .unit(let unit)? where text != unit:
            add(leaf.property, "is in “\(text)”, not in \(unit)", line, rule: "is not in \(unit)")
        default: break
        }
        guard type.dataType == .string else { return }
        if rules.isEmail, !EmailForm.isAddress(text) { add(leaf.property, "is no e-mail address", line) }
        if let limit = rules.maximumLength, case let count = text.unicodeScalars.count, count > limit {
            add(leaf.property, "has \(count) characters, at most \(limit) are allowed", line)
        }
    }

    /// - Parameter rule: The reason without quotations from the document, if `reason` has some.
    private mutating func add(_ property: String, _ reason: String, _ line: Int?, rule: String? = nil) {
        problems.append(
            .init(model: model, property: prefix + property, reason: reason, line: line, rule: rule ?? reason)
        )
    }
}

extension IndivoDocument {
    /// Everything in the document's values that a server would refuse, or store and never report again,
    /// related documents included; empty if there is nothing.
    ///
    /// A date before 1900 is listed: a server of version 2.0 stores it, and writes `BAD DATE` in its reports.
    /// To send it all the same, say so: `add(document, validation: .none)`.
    public final func problems() throws -> [ValidationError.Problem] {
        let format = type(of: self).format
        guard format.isForServer else { return [] }
        var validator = DocumentValidator(model: modelName, isModel: format.isDataModel)
        try validator.check(self)
        return validator.problems
    }

    /// The problems that the source does not have, whatever their indexes: one more related document moves
    /// the others.
    package final func newProblems() throws -> [ValidationError.Problem] {
        let problems = try problems()
        guard !problems.isEmpty, let source else { return problems }
        guard let former = try? type(of: self).read(from: source, collecting: ReadingProblems()).problems()
        else { return problems }
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
            ValidationError.Problem(
                model: modelName,
                property: "",
                reason: problem.message,
                line: problem.line ?? sourceLine
            )
        }
    }

    /// Checks the document, as it would be sent, against an XML Schema.
    ///
    /// ```swift
    /// try equipment.validate(against: IndivoSchemas.documents)
    /// ```
    /// - Throws: ``ValidationError`` with all problems at once; ``DocumentError`` or `XMLError` when the
    ///   document cannot be written.
    public final func validate(against schema: XMLSchema) throws {
        let problems = try problems(against: schema)
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }
}
