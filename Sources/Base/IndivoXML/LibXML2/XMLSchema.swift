import Synchronization
import libxml2

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An XML Schema (XSD 1.0) that documents can be checked against, by libxml2.
///
/// ```swift
/// let schema = try XMLSchema(parsing: xsd)
/// for problem in try schema.validate(node) { print(problem) }     // line 7: Element 'dose': …
/// ```
///
/// A schema can be shared between tasks, which take turns. It never loads anything: a schema that includes or
/// imports others by location is refused, and the locations of schemas that a document names are ignored.
public final class XMLSchema: Sendable {
    /// One thing that is wrong with a document.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The line of the element in its source, from 1; nil when it was made in code.
        public var line: Int?
        /// What is wrong, in libxml2's words.
        public var message: String

        /// `line 7: …`
        public var description: String { line.map { "line \($0): \(message)" } ?? message }
    }

    /// libxml2's schema. The mutex lets one task at a time work with it.
    private let schema: Mutex<Handle>

    // Proven safe: used only inside the mutex, and freed when nobody can hold it any more.
    private struct Handle: @unchecked Sendable { var pointer: xmlSchemaPtr }

    /// Compiles a schema.
    ///
    /// - Throws: `XMLError`, of kind `schema` with all problems in its message when it is not a schema.
    public init(parsing data: Data) throws {
        let root = try XMLNode(parsing: data)
        let xsd = "http://www.w3.org/2001/XMLSchema"
        for node in root.children() where node.namespace == xsd && node.attr("schemaLocation") != nil {
            throw XMLError(
                .externalEntity,
                line: node.line,
                message:
                    """
                    the schema takes in another by its location, and such are never loaded; put them into one
                    """
            )
        }
        let mirror = try root.tree.mirror()
        guard let context = xmlSchemaNewDocParserCtxt(mirror.document) else {
            throw XMLError(.schema, message: "out of memory")
        }
        defer { xmlSchemaFreeParserCtxt(context) }
        let (pointer, messages) = LibXMLMessage.collected { xmlSchemaParse(context) }
        guard let pointer else {
            let problems = messages.map { Problem($0, in: root.tree) }
            let all = problems.map(\.description).joined(separator: "; ")
            // Messages of the pattern compiler have no line, and come first.
            throw XMLError(
                .schema,
                line: problems.lazy.compactMap(\.line).first,
                message: "not a schema: " + all
            )
        }
        schema = Mutex(Handle(pointer: pointer))
    }

    deinit { schema.withLock { xmlSchemaFree($0.pointer) } }

    /// All problems of an element with everything below it, or of a document; empty if there are none.
    ///
    /// - Throws: `XMLError` when the node cannot be checked at all.
    public func validate(_ node: XMLNode) throws -> [Problem] {
        guard let node = node.resolved, node.record.isElement || node.record.kind == .document else {
            throw XMLError(.schema, message: "only elements and documents can be checked against a schema")
        }
        let mirror = try LibXMLMirror(node.tree, top: node.index, hints: false)
        let (result, messages) = schema.withLock { schema in
            LibXMLMessage.collected {
                guard let context = xmlSchemaNewValidCtxt(schema.pointer) else { return Int32(-1) }
                defer { xmlSchemaFreeValidCtxt(context) }
                return xmlSchemaValidateDoc(context, mirror.document)
            }
        }
        if result < 0 || result > 0 && messages.isEmpty {
            throw XMLError(.schema, message: "libxml2 could not check the document")
        }
        return messages.map { Problem($0, in: node.tree) }
    }
}

extension XMLSchema.Problem {
    fileprivate init(_ message: LibXMLMessage, in tree: XMLTree) {
        line = message.node.map { tree.handle($0).line } ?? message.line
        self.message = message.text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
