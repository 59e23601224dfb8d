import IndivoModel
import IndivoXML

/// The XML Schemas that the real server checks documents with, by libxml2 as it does, so that the sentences
/// agree: those of ``IndivoSchemas``, less what it lets through and fails on later, the restrictions of
/// simple types and a provider's institution.
enum DocumentSchema {
    /// The roots of documents whose content the server reads when they are pushed.
    static let rootsOfDocuments: Set = ["Models", "Equipment", "Procedure", "SimpleClinicalNote"]

    /// By the name of the root.
    private static let schemas: [String: XMLSchema] = {
        do {
            return try Dictionary(
                uniqueKeysWithValues: (rootsOfDocuments.union(["Demographics"])).map {
                    ($0, try schema(ofRoot: $0))
                }
            )
        } catch {
            // The schemas are part of the program, and tests use every one.
            preconditionFailure("a schema of the sandbox is not a schema: \(error)")
        }
    }()

    private static func schema(ofRoot root: String) throws -> XMLSchema {
        let schema = try XMLNode(parsing: IndivoSchemas.documentsSource)
        for type in Array(schema.children(named: "simpleType")) {
            let base = type.child(named: "restriction")?.attr("base")
            for element in Array(schema.find("element")) where element.attr("type") == type.attr("name") {
                element.attr("type", base)
            }
            type.remove()
        }
        for element in Array(schema.find("element")) where element.attr("name") == "institution" {
            element.attr("minOccurs", "0")
        }
        for element in Array(schema.children(named: "element")) where element.attr("name") != root {
            element.remove()
        }
        return try XMLSchema(parsing: schema.data())
    }

    /// Checks a document with the schema of a root, which need not be its own.
    static func validate(_ document: XMLNode, as root: String) throws {
        guard let problem = try schemas[root]?.validate(document).first else { return }
        let sentence = problem.message + (problem.line.map { ", line \($0)" } ?? "")
        throw ContentError(sentence: "Input document didn't validate, error was: \(sentence)")
    }
}
