import IndivoXML
import Testing

/// Attribute defaults cost no byte of the document and yet memory and time; each of these documents is small.
@Suite("Attribute defaults")
struct AttributeDefaultTests {
    private static func defaults(_ number: Int, prefix: String = "", _ value: String = "") -> String {
        (0..<number).map { "\(prefix)a\($0) CDATA '\(value)'" }.joined(separator: " ")
    }

    private static func document(_ declarations: String, _ content: String) -> String {
        "<!DOCTYPE r [\(declarations)]><r>\(content)</r>"
    }

    private static let bombs: [(name: String, takesTime: Bool, text: @Sendable () -> String)] = [
        (
            "empty defaults", true,
            {
                document("<!ATTLIST a \(defaults(2_000))>", String(repeating: "<a/>", count: 20_000))
            }
        ),
        (
            "few empty defaults on many elements", true,
            {
                document("<!ATTLIST a \(defaults(20))>", String(repeating: "<a/>", count: 100_000))
            }
        ),
        (
            "defaults of an element with a prefix", true,
            {
                document(
                    "<!ATTLIST p:a xmlns:p CDATA 'u' \(defaults(2_000))>",
                    String(repeating: "<p:a/>", count: 20_000)
                )
            }
        ),
        (
            "defaults that each element overrides", true,
            {
                let own = (0..<500).map { "a\($0)=''" }.joined(separator: " ")
                return document("<!ATTLIST a \(defaults(500))>", String(repeating: "<a \(own)/>", count: 400))
            }
        ),
        (
            "a namespace of a hundred thousand bytes", false,
            {
                let long = String(repeating: "n", count: 100_000)
                return document("<!ATTLIST a xmlns CDATA '\(long)'>", String(repeating: "<a/>", count: 5_000))
            }
        ),
        (
            "namespaces by default", true,
            {
                document(
                    "<!ATTLIST a \(defaults(1_000, prefix: "xmlns:", "u"))>",
                    String(repeating: "<a/>", count: 20_000)
                )
            }
        ),
        (
            "namespaces by default that are in force already", true,
            {
                document(
                    "<!ATTLIST a \(defaults(1_000, prefix: "xmlns:", "u"))>",
                    "<a>" + String(repeating: "<a/>", count: 20_000) + "</a>"
                )
            }
        ),
    ]

    @Test("each bomb ends in an error, read whole or in pieces", arguments: bombs.indices)
    func bomb(number: Int) async throws {
        let bomb = AttributeDefaultTests.bombs[number]
        let text = bomb.text()
        let error = #expect(throws: XMLError.self, "\(bomb.name)") { try XMLNode(parsing: text) }
        #expect(error?.kind == .limit(.entityExpansionBytes), "\(bomb.name)")
        // Elements that nobody wants cost as much time, but not their values' memory.
        for wanted in bomb.takesTime ? ["r", "a", "other"] : ["r"] {
            let error = await #expect(throws: XMLError.self, "\(bomb.name), reading \(wanted)") {
                for try await _ in XMLReader(chunks: stream(text), elements: wanted) {}
            }
            #expect(error?.kind == .limit(.entityExpansionBytes), "\(bomb.name), reading \(wanted)")
        }
    }

    @Test("there are bombs to read") func notEmpty() { #expect(AttributeDefaultTests.bombs.count > 5) }

    @Test("an element with more attributes in the DTD than allowed is refused beforehand")
    func declarations() async throws {
        for kind in ["CDATA ''", "(a|b) #IMPLIED"] {
            let many = (0..<50_000).map { "a\($0) \(kind)" }.joined(separator: " ")
            for text in [
                "<!DOCTYPE a [<!ATTLIST a \(many)>]><a/>", "<!DOCTYPE a [<!ATTLIST b \(many)>]><a/>",
            ] {
                #expect(throws: XMLError.self) { try XMLNode(parsing: text) }
                let error = await #expect(throws: XMLError.self) {
                    for try await _ in XMLReader(chunks: stream(text), elements: "a") {}
                }
                #expect(error?.kind == .limit(.attributes))
            }
        }
    }

    @Test("namespaces of elements inside each other are bounded together")
    func namespacesInScope() throws {
        func nested(_ levels: Int) -> String {
            let declared = (0..<100).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
            return String(repeating: "<a \(declared)>", count: levels)
                + String(repeating: "</a>", count: levels)
        }
        #expect(try XMLNode(parsing: nested(40)).name == "a")
        let entity = "<!DOCTYPE r [<!ENTITY e \"\(nested(50))\">]><r>&e;</r>"
        for text in [nested(50), entity] {
            let error = #expect(throws: XMLError.self) { try XMLNode(parsing: text) }
            #expect(error?.kind == .limit(.attributes))
        }
    }

    @Test("defaults within the limits are given, and types of attributes are heeded")
    func honest() throws {
        let root = try XMLNode(
            parsing: """
                <!DOCTYPE r [
                  <!ELEMENT r (p:a|b)*><!NOTATION n SYSTEM "n">
                  <!ATTLIST p:a kind (x|y) 'x' xmlns:p CDATA 'urn:p' p:b CDATA 'é' list NMTOKENS #IMPLIED>
                  <!ATTLIST p:a kind CDATA 'second'>
                ]>
                <r><p:a/><p:a kind="y" list="  one   two "/></r>
                """
        )
        let elements = Array(root.children())
        #expect(elements.map(\.namespace) == ["urn:p", "urn:p"])
        #expect(elements.map { $0.attr("kind") } == ["x", "y"])
        #expect(elements.map { $0.attr("b", namespace: "urn:p") } == ["é", "é"])
        #expect(elements[1].attr("list") == "one two")
        let many = AttributeDefaultTests.document(
            "<!ATTLIST a \(AttributeDefaultTests.defaults(10))>",
            String(repeating: "<a/>", count: 20_000)
        )
        #expect(try XMLNode(parsing: many).children().last?.attributes.count == 10)
    }

    @Test("a default whose name is none is refused", arguments: [":", "a:b:c", "a:", ":a"])
    func wrongName(name: String) throws {
        #expect(throws: XMLError.self) {
            try XMLNode(parsing: "<!DOCTYPE r [<!ATTLIST r \(name) CDATA ''>]><r/>")
        }
    }

    private func stream(_ text: String) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(Array(text.utf8))
            continuation.finish()
        }
    }
}
