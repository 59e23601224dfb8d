import IndivoXML

/// A whole SDMX document: one or more models, of one kind or several.
///
/// ```swift
/// let file = try SDMXDocument(XMLNode(parsing: data))
/// for case let medication as Medication in file.models { … }
/// ```
/// The classes are those of the core models and those registered with ``IndivoDocument/register()``;
/// a model without a class becomes a ``GenericDocument``.
public struct SDMXDocument {
    /// The models in the document's order. Add, change or remove them; ``xml(naming:)`` writes them back.
    public var models: [IndivoDocument]
    private let source: XMLNode?

    /// A new document of these models.
    public init(_ models: [IndivoDocument]) {
        self.models = models
        source = nil
    }

    /// Reads every model.
    /// - Parameter node: The `Models` root element, or its document.
    /// - Throws: ``DocumentError``.
    public init(_ node: XMLNode) throws { try self.init(node, collecting: nil) }

    /// Reads as much of every model as can be read; see ``IndivoDocument/read(from:problems:)``.
    /// - Parameter problems: What could not be read is added here.
    /// - Throws: ``DocumentError`` when the XML is not SDMX.
    public init(_ node: XMLNode, problems: inout [DocumentError]) throws {
        self = try ReadingProblems.collect(into: &problems) { try SDMXDocument(node, collecting: $0) }
    }

    /// Reads models that a server has stored. Values that cannot be read are left out, and the models'
    /// `readingProblems` list them.
    package init(stored node: XMLNode) throws {
        try self.init(node, collecting: ReadingProblems(of: ReadingProblems.isOfValue))
    }

    private init(_ node: XMLNode, collecting problems: ReadingProblems?) throws {
        let root = node.kind == .document ? node.root ?? node : node
        var name = ""
        var type: IndivoDocument.Type = GenericDocument.self
        var reader: FieldSchema.Reader?
        models = try SDMX.models(in: root).map { model in
            // Most documents hold models of one kind.
            let next = model.attr("name") ?? ""
            if next != name {
                name = next
                type = DocumentClasses.type(ofModel: next)
            }
            return try FieldSchema.Reader.read(model, as: type, reusing: &reader, collecting: problems)
        }
        source = root
    }

    /// The document as XML; what was read and not changed comes back as it was.
    /// - Returns: The root element; its `document` holds what stood around it.
    public func xml(naming: IndivoDocument.FieldNaming = .asRead) throws -> XMLNode {
        try prepared(naming: naming).root
    }

    /// Everything a server would refuse in the document as it would be sent, or store and never report again:
    /// the problems of all models, and of what stands beside them.
    public func problems() throws -> [ValidationError.Problem] {
        try models.flatMap { try $0.problems() } + Self.problems(beside: source)
    }

    /// The problems of comments and processing instructions directly in `Models`: a server takes each for a
    /// model without a name.
    package static func problems(beside root: XMLNode?) -> [ValidationError.Problem] {
        let others =
            root?.contents().filter { $0.kind == .comment || $0.kind == .processingInstruction } ?? []
        return others.map { node in
            ValidationError.Problem(
                model: "Models",
                property: "",
                reason: "a comment or a processing instruction stands beside the models; move it into one",
                line: node.line ?? root?.line
            )
        }
    }

    package func prepared(naming: IndivoDocument.FieldNaming) throws -> PreparedDocument {
        try source.map { try PreparedDocument(models, in: $0, naming: naming) }
            ?? PreparedDocument(new: models, naming: naming)
    }
}

extension Array where Element: IndivoDocument {
    /// Reads documents of one class from the `Model` elements of a report, in their order; throws for the
    /// first of another class. Values that cannot be read are left out; the documents' readingProblems have
    /// them.
    package init(readingModels models: [XMLNode]) throws {
        let problems = ReadingProblems(of: ReadingProblems.isOfValue)
        var reader: FieldSchema.Reader?
        self = try models.map { model in
            let document = try FieldSchema.Reader.read(
                model,
                as: Element.self,
                reusing: &reader,
                collecting: problems
            )
            guard let document = document as? Element else {
                throw DocumentError(
                    .otherModel(model.attr("name") ?? ""),
                    document: Element.modelName,
                    line: model.line
                )
            }
            return document
        }
    }
}
