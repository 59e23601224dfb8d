import Foundation
import IndivoXML

/// The XML Schemas of what an Indivo server accepts and sends. They are part of the program: no file is read
/// at run time.
///
/// ```swift
/// let problems = try IndivoSchemas.problems(of: XMLNode(parsing: data))
/// try medication.validate(against: IndivoSchemas.documents)
/// ```
public enum IndivoSchemas {
    /// The documents in Indivo's namespace whose content a server interprets: `Models` (SDMX),
    /// `Demographics`, `Equipment`, `Procedure`, `SimpleClinicalNote`, `Annotation`.
    public static let documents = compile(SchemaFiles.documents)

    /// The source of ``documents``.
    package static var documentsSource: String { SchemaFiles.documents }

    /// A server's responses, in no namespace: `Document`, `Record`, `Reports`, `Messages` and the others.
    public static let answers = compile(SchemaFiles.answers)

    /// What minimal reports give inside `Item` in Indivo's namespace. It differs from the documents of the
    /// same names.
    public static let reportItems = compile(SchemaFiles.reportItems)

    /// Everything that is wrong with a document by the schema of its kind, items of reports included; `nil`
    /// for a document that none of the schemas describes.
    ///
    /// - Parameter node: The document or its root element.
    /// - Throws: `XMLError` when the node is not XML that can be checked.
    public static func problems(of node: IndivoXML.XMLNode) throws -> [XMLSchema.Problem]? {
        let root = node.kind == .document ? node.root ?? node : node
        if root.namespace == namespace {
            return documentRoots.contains(root.name) ? try documents.validate(root) : nil
        }
        guard root.namespace == nil, answerRoots.contains(root.name) else { return nil }
        let found = root.name == "Reports" ? root.children(named: "Report").flatMap { items(of: $0) } : []
        return try answers.validate(root) + found.flatMap { try reportItems.validate($0) }
    }

    private static let namespace = "http://indivo.org/vocab/xml/documents#"
    private static let documentRoots = roots(of: SchemaFiles.documents)
    private static let answerRoots = roots(of: SchemaFiles.answers)

    /// What a `Report` gives in Indivo's namespace.
    private static func items(of report: IndivoXML.XMLNode) -> [IndivoXML.XMLNode] {
        report.children(named: "Item").flatMap { $0.children().filter { $0.namespace == namespace } }
    }

    private static func compile(_ text: String) -> XMLSchema {
        do {
            return try XMLSchema(parsing: Data(text.utf8))
        } catch {
            // The schemas are part of the program, and its tests compile every one.
            preconditionFailure("a schema of IndivoSchemas is not a schema: \(error)")
        }
    }

    /// The elements that a schema accepts as roots.
    private static func roots(of text: String) -> Set<String> {
        let schema = try? XMLNode(parsing: text)
        return Set(schema?.children(named: "element").compactMap { $0.attr("name") } ?? [])
    }
}
