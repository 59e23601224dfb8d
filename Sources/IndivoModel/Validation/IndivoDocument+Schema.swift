import IndivoXML

extension IndivoDocument {
    /// What an XML Schema finds wrong with the document as it would be sent; empty when nothing.
    ///
    /// - Parameter schema: Such as `IndivoSchemas.documents`.
    /// - Throws: ``DocumentError`` or `XMLError` when the document cannot be written.
    public final func problems(against schema: XMLSchema) throws -> [ValidationProblem] {
        try schema.validate(xml()).map { problem in
            ValidationProblem(model: modelName, property: "", reason: problem.message, line: problem.line ?? line)
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
