#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif
import Foundation

/// An XML Schema that documents are checked against, through libxml2: the server's own checker, so the sentences agree.
final class DocumentSchema: Sendable {
    /// The schemas of the roots that the server looks into when they are pushed.
    static let forDocuments = [
        "Models": DocumentSchema(SchemaSources.models), "Equipment": DocumentSchema(SchemaSources.equipment),
        "Procedure": DocumentSchema(SchemaSources.procedure),
        "SimpleClinicalNote": DocumentSchema(SchemaSources.simpleClinicalNote),
    ]
    static let demographics = DocumentSchema(SchemaSources.demographics)

    // A parsed schema is only read from then on (libxml2 keeps what changes in the validation context), and it is
    // never freed: the schemas live as long as the process.
    nonisolated(unsafe) private let schema: xmlSchemaPtr?

    private init(_ source: String) {
        xmlInitParser()
        let context = source.withCString { xmlSchemaNewMemParserCtxt($0, Int32(strlen($0))) }
        defer { xmlSchemaFreeParserCtxt(context) }
        schema = xmlSchemaParse(context)
        precondition(schema != nil, "a schema of the sandbox is not a schema")
    }

    /// Checks a document that is known to be well-formed.
    /// - Throws: ``ContentError`` naming the first problem.
    func validate(_ data: Data) throws {
        let document = data.withUnsafeBytes { bytes in
            xmlReadMemory(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil, nil,
                Int32(
                    XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
                        | XML_PARSE_HUGE.rawValue))
        }
        guard let document else { return }
        defer { xmlFreeDoc(document) }
        let context = xmlSchemaNewValidCtxt(schema)
        defer { xmlSchemaFreeValidCtxt(context) }
        let problem = FirstProblem()
        xmlSchemaSetValidStructuredErrors(
            context,
            { context, error in
                guard let context, let error else { return }
                let problem = Unmanaged<FirstProblem>.fromOpaque(context).takeUnretainedValue()
                guard problem.text == nil, let message = error.pointee.message else { return }
                let text = String(cString: message).trimmingCharacters(in: .whitespacesAndNewlines)
                problem.text = "\(text), line \(error.pointee.line)"
            }, Unmanaged.passUnretained(problem).toOpaque())
        let status = withExtendedLifetime(problem) { xmlSchemaValidateDoc(context, document) }
        if status != 0 {
            throw ContentError(
                sentence: "Input document didn't validate, error was: \(problem.text ?? "unknown")")
        }
    }

    private final class FirstProblem {
        var text: String?
    }
}
