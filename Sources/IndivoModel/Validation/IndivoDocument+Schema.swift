import IndivoXML

extension IndivoDocument {
    /// The problems that an XML Schema finds in the document as it would be sent; empty when there are none.
    ///
    /// - Parameter schema: Such as `IndivoSchemas.documents`.
    /// - Throws: ``DocumentError`` or `XMLError` when the document cannot be written.
    public final func problems(against schema: XMLSchema) throws -> [ValidationProblem] {
        var element = try xml()
        // Where nothing changed since the document was read, its source says the same and knows its lines.
        if let source, try source.canonical() == element.canonical() { element = source }
        return try schema.validate(element).map { problem in
            ValidationProblem(model: modelName, property: "", reason: problem.message, line: problem.line ?? sourceLine)
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
