import Foundation
import IndivoSandbox
import IndivoXML
import Testing

/// Small documents that would grow beyond measure when they are read.
@Suite("Documents that expand, in the sandbox")
struct ExpansionTests {
    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// Attributes by default on many elements, at each of which the parser would make them all.
    private static func attributeDefaults(root: String, element: String, _ defaults: Int, _ elements: Int)
        -> String
    {
        let attributes = (0..<defaults).map { "a\($0) CDATA ''" }.joined(separator: " ")
        let content = String(repeating: "<\(element) name='x'/>", count: elements)
        return
            """
            <!DOCTYPE \(root) [<!ATTLIST \(element) \(attributes)>]><\(root) \
            xmlns='\(namespace)'>\(content)</\(root)>
            """
    }

    private static let entities: String = {
        let declarations = (1..<12).map {
            "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>"
        }
        return
            """
            <!DOCTYPE Models [<!ENTITY e0 'x'>\(declarations.joined())]><Models \
            xmlns='\(namespace)'>&e11;</Models>
            """
    }()

    static let documents: [(name: String, text: String)] = [
        (
            "defaults on the elements that the schema knows",
            attributeDefaults(root: "Models", element: "Model", 2_000, 20_000)
        ),
        (
            "defaults on elements that it does not know",
            attributeDefaults(root: "Models", element: "a", 2_000, 20_000)
        ),
        ("few defaults on many elements", attributeDefaults(root: "Models", element: "Model", 20, 100_000)),
        ("defaults in demographics", attributeDefaults(root: "Demographics", element: "Name", 2_000, 20_000)),
        ("entities in entities", entities),
    ]

    @Test(
        "expanding documents are refused, also as demographics, and the sandbox goes on",
        arguments: documents
    )
    func refused(name: String, text: String) async throws {
        try await withSandbox { sandbox async throws in
            let record = "/records/" + (try #require(try await sandbox.records().first?.id))
            let app = try await TestApp(sandbox).authorized(sandbox, record: String(record.dropFirst(9)))
            let answers = [
                try await app.post(record + "/documents/", xml: text),
                try await app.put(record + "/demographics", xml: text),
            ]
            for answer in answers {
                #expect(answer.status == 400, "\(name): \(answer.text.prefix(200))")
                // By the limit of the parser, before the schema's reader or anybody else has seen a node of
                // it.
                #expect(answer.text.contains("didn't parse as XML"), "\(name): \(answer.text.prefix(200))")
            }
            #expect(try await app.get(record + "/documents/").status == 200)
        }
    }

    @Test("a document within the limits is checked with its default attributes")
    func charged() async throws {
        let text = Self.attributeDefaults(root: "Models", element: "Model", 2, 3)
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let answer = try await app.post("/records/\(record)/documents/", xml: text)
            #expect(answer.status == 400)
            #expect(answer.text.contains("The attribute 'a0' is not allowed"), "\(answer.text)")
        }
    }
}
