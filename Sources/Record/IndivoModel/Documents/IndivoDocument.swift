import IndivoXML

/// A document of a health record. A subclass declares its fields; they are found by reflection.
///
/// ```swift
/// public class SleepNight: IndivoDocument {
///     @Field public var started: XMLDateTime?
///     @Field public var score: Double?
/// }
///
/// let night = try SleepNight.read(from: XMLNode(parsing: data))
/// night.score = 0.8
/// let xml = try night.xml()
/// ```
/// A document that was read keeps its source: content that the class does not know is written back where it
/// was, and only fields that changed are written anew.
///
/// Documents are not `Sendable`: one belongs to the actor that uses it.
open class IndivoDocument: CustomStringConvertible {
    /// The element the document was read from, or last written to a server.
    package final var source: XMLNode?

    /// The document's id on its server; `nil` before it is there.
    public package(set) final var id: String?

    /// What the server says about the document, as of the last call that reported it.
    public package(set) final var metadata: DocumentMetadata? {
        get { keptMetadata.first }
        set { keptMetadata = newValue.map { [$0] } ?? [] }
    }

    /// At most one, stored outside the object: metadata is larger than most documents, and most have none.
    private final var keptMetadata: [DocumentMetadata] = []

    /// How far the document has come on its way from the app to a record.
    package final var documentStage = DocumentStage.inNoRecord

    /// Whether the source is a report's, which leaves things out: then the whole document has to be fetched
    /// before it is replaced.
    package final var isFromReport = false

    /// A new, empty document: it is on no server yet.
    public required init() {}

    /// The name of the data model; by default the class's own.
    open class var modelName: String { "\(self)" }

    /// The XML format of documents of this class; a data model by default.
    open class var format: Format { .dataModel }

    /// The name of this document's data model.
    public var modelName: String { type(of: self).modelName }

    /// Reads a document of this class; of `IndivoDocument` itself, a document of the class that is registered
    /// for what the XML holds.
    ///
    /// ```swift
    /// let document = try IndivoDocument.read(from: node)       // perhaps a Medication
    /// ```
    /// A model for which no class is registered becomes a ``GenericDocument``.
    /// - Parameter node: Of a data model its `Model` element, or a `Models` root (or its document) that holds
    ///   exactly one; of nested XML the root element.
    /// - Throws: ``DocumentError``, naming the property, the line and the reason.
    public static func read(from node: XMLNode) throws -> Self { try read(from: node, collecting: nil) }

    /// Reads as much of a document as can be read: a value that is unreadable or missing is left out and
    /// noted.
    ///
    /// ```swift
    /// var problems: [DocumentError] = []
    /// let medication = try Medication.read(from: node, problems: &problems)
    /// ```
    /// The original text of an unreadable value stays in the document, and is written back until the property
    /// has another value.
    /// - Parameters:
    ///   - node: As in ``read(from:)``.
    ///   - problems: What could not be read is added here.
    /// - Throws: ``DocumentError`` when the XML is not a document of this class.
    public static func read(from node: XMLNode, problems: inout [DocumentError]) throws -> Self {
        try ReadingProblems.collect(into: &problems) { try read(from: node, collecting: $0) }
    }

    static func read(from node: XMLNode, collecting problems: ReadingProblems?) throws -> Self {
        let element = node.kind == .document ? node.root ?? node : node
        // Every document is an `IndivoDocument`: its registered class reads it.
        if self == IndivoDocument.self,
            let document = try DocumentClasses.type(of: element).read(from: element, collecting: problems)
                as? Self
        {
            return document
        }
        let document = self.init()
        switch format {
        case .dataModel:
            try FieldSchema.Reader(models: self, problems: problems).fill(
                document,
                from: SDMX.soleModel(in: element, for: self)
            )
        case .nested(let root, let namespace):
            try document.readNested(element, root: root, namespace: namespace, collecting: problems)
        }
        return document
    }

    /// Reads a document that a server has: values that cannot be read are left out, and ``readingProblems``
    /// has them.
    /// - Throws: ``DocumentError`` for anything else that is wrong.
    package static func read(stored node: XMLNode) throws -> Self {
        try read(from: node, collecting: ReadingProblems(of: ReadingProblems.isOfValue))
    }

    /// The values of the document that cannot be read, and are missing in it: an app may store what no report
    /// can write.
    ///
    /// ```swift
    /// for try await problem in record.reports(of: Problem.self) where !problem.readingProblems.isEmpty { … }
    /// ```
    /// A server of version 2.0 writes `BAD DATE` for a date before 1900, and `nan` for what is not a number.
    /// The document that was stored has the date; `record.document(_:as:)` fetches it. A property that has no
    /// value keeps its stored text when the document is replaced; give it one, and the document is repaired.
    ///
    /// Empty for a new document.
    public final var readingProblems: [DocumentError] {
        guard let source else { return [] }
        let problems = ReadingProblems()
        if source.name == "Model" || source.name == "Models" {
            _ = try? type(of: self).read(from: source, collecting: problems)
        } else {
            // An element inside a report may have any name.
            try? type(of: self).init().readNested(source, root: nil, namespace: nil, collecting: problems)
        }
        return problems.all
    }

    /// Registers the class: from then on, its model, or the root element of its nested XML, is read as this
    /// class.
    ///
    /// The core models are known from the start; a class registered later for the same model replaces it.
    public static func register() { DocumentClasses.register(self) }

    /// The document as a server accepts it: a new tree with each call, including everything that the class
    /// does not know.
    /// - Parameter naming: Whether fields read under older names are written under today's.
    /// - Returns: The root element.
    public final func xml(naming: FieldNaming = .current) throws -> XMLNode {
        try PreparedDocument(new: self, naming: naming).root
    }

    /// The address from which offsets of stored properties count. It is valid as long as the object exists.
    final var storage: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The XML format of a class of documents.
    public enum Format: Sendable {
        /// A data model in SDMX: `<Models><Model name="…"><Field name="…">`.
        case dataModel
        /// Elements and attributes named like the properties, under a root of this name.
        case nested(root: String, namespace: String?)

        var isDataModel: Bool { if case .dataModel = self { true } else { false } }
        var tableFormat: TableFormat { isDataModel ? .dataModel : .nested }

        /// Whether servers read the values: those of data models, and of the documents of Indivo's own.
        var isForServer: Bool {
            switch self {
            case .dataModel: true
            case .nested(_, let namespace): namespace == SDMX.namespace
            }
        }
    }

    /// The names for fields that were read under older names.
    public enum FieldNaming: Sendable {
        /// As they were read, so that a file comes back as it was.
        case asRead
        /// The model's current names, the only ones that a server accepts.
        case current
    }

    /// The kind and id, never what the document says of the patient.
    public final var description: String { modelName + (id.map { " \($0)" } ?? " (new)") }

    /// Whether a `Model` element is of this class's model.
    static func isModel(_ element: XMLNode, _ known: ModelSchema? = nil) -> Bool {
        if self is GenericDocument.Type || self == IndivoDocument.self { return true }
        let schema = known ?? ModelSchema.of(self)
        guard let name = element.view?.attribute("name") else { return schema.modelName.isEmpty }
        return isText(schema.modelName, name)
    }

    /// Fills the document from its element and keeps the element.
    final func readNested(
        _ element: XMLNode,
        root: String?,
        namespace: String?,
        collecting problems: ReadingProblems?
    ) throws {
        let schema = ModelSchema.of(type(of: self))
        guard
            root == nil
                || (element.kind == .element && element.name == root && element.namespace == namespace)
        else {
            let expected = "<\(root ?? "")>" + (namespace.map { " in \($0)" } ?? "")
            throw DocumentError(element, isNot: expected, document: schema.typeName, showsNamespace: true)
        }
        try FieldSchema.Reader(schema, .nested, problems: problems).fill(self, from: element)
    }

    /// The document as nested XML, in a tree of its own.
    final func nestedXML(root: String, namespace: String?) throws -> XMLNode {
        let element = source?.cloneInDocument() ?? XMLNode(root, namespace: namespace)
        if !isAsInSource { try NestedWriter.write(self, into: element, original: source) }
        return element
    }
}

// These extend a protocol, since only there `Self` is the object's own class.
extension FieldElement where Self: IndivoDocument {
    /// Makes a new document and fills it in.
    ///
    /// ```swift
    /// try await record.add(Medication {
    ///     $0.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
    ///     $0.startDate = "2026-11-21"
    /// })
    /// ```
    public init(_ fill: (Self) throws -> Void) rethrows {
        self.init()
        try fill(self)
    }

    /// A new document with the same content, including what the class does not know and what could not be
    /// read. It is not on a server yet.
    /// - Throws: ``DocumentError`` when the document holds something that its format cannot.
    public func copy() throws -> Self {
        // The copy has the object's own class, even if the caller knows only a superclass.
        let copy: Self
        if let element = try nestedCopy() {
            copy = type(of: self).init()
            try copy.readNested(element, root: nil, namespace: nil, collecting: ReadingProblems())
        } else {
            copy = try type(of: self).read(
                from: PreparedDocument(new: self).root,
                collecting: ReadingProblems()
            )
        }
        copy.id = nil
        return copy
    }
}

extension IndivoDocument: Equatable {
    /// A copy's element, of a document that stands inside nested XML or holds what data models cannot.
    fileprivate final func nestedCopy() throws -> XMLNode? {
        guard type(of: self).format.isDataModel else { return nil }
        if let source {
            return source.name == "Model" ? nil : try nestedXML(root: source.name, namespace: nil)
        }
        let fitsModel = ModelSchema.of(type(of: self)).relations.allSatisfy(\.isModelRelation)
        return fitsModel ? nil : try nestedXML(root: "Model", namespace: nil)
    }

    /// Whether both say the same; see ``hasSameContent(as:)``. Use `===` to compare objects.
    public static func == (a: IndivoDocument, b: IndivoDocument) -> Bool { a.hasSameContent(as: b) }

    /// Whether both hold the same values in all fields their class declares, related documents included.
    public final func hasSameContent(as other: IndivoDocument) -> Bool {
        type(of: self) == type(of: other) && FieldTable(self).hasSameContent(as: FieldTable(other))
    }

    /// Whether the document says something else than its source.
    package final var isChanged: Bool {
        source.map { !SourceComparison(type(of: self), $0).isSaid(self, by: $0) } ?? true
    }

    /// Whether the source says the same and holds the related documents where they are.
    final var isAsInSource: Bool {
        source.map { SourceComparison(type(of: self), $0, isInPlace: true).isSaid(self, by: $0) } ?? false
    }
}
