import Foundation
import IndivoXML
import Testing

@Suite("XPath and schemas")
struct LibXML2Tests {
    private let root: XMLNode

    init() throws {
        root = try XMLNode(
            parsing: """
                <r xmlns="urn:d" xmlns:p="urn:p">
                  <a n="1" p:k="x">one</a><!-- c -->
                  <p:a n="2">t<![CDATA[w]]>o</p:a>
                </r>
                """
        )
    }

    @Test("an expression comes to nodes of the same tree")
    func nodes() throws {
        let found = try root.xpath("//d:a | //p:a", namespaces: ["d": "urn:d", "p": "urn:p"]).nodes
        #expect(found == root.children())
        #expect(try root.children()[1].xpath("preceding-sibling::*").nodes == root.children().slice(0, 1))
        #expect(try root.xpath("/").nodes.first == root.document)
        #expect(
            try root.xpath("p:a/text()", namespaces: ["p": "urn:p"]).nodes.map { $0.text() } == [
                "t", "w", "o",
            ]
        )
    }

    @Test("elements lie as deep as the limit says in documents and in elements")
    func depth() throws {
        var options = XMLParseOptions()
        options.limits.depth = 20_000
        for (levels, isFine) in [(10_000, true), (10_001, false)] {
            let text =
                String(repeating: "<a>", count: levels) + "t" + String(repeating: "</a>", count: levels)
            let root = try XMLNode(parsing: text, options: options)
            for node in [root, root.document] {
                if isFine {
                    #expect(try node.xpath("/a").nodes.count == 1)
                } else {
                    let error = try #require(throws: XMLError.self) { try node.xpath("/a") }
                    #expect(error.kind == .limit(.depth))
                }
            }
        }
    }

    @Test("strings, numbers, booleans and attributes")
    func values() throws {
        #expect(try root.xpath("string(*[2])").string == "two")
        guard case .number(let sum) = try root.xpath("sum(//@n)") else { return #expect(Bool(false)) }
        #expect(sum == 3)
        #expect(try root.xpath("count(*)").string == "2")
        #expect(try root.xpath("count(*) = 2").boolean)
        guard case .attributes(let attributes) = try root.xpath("//@*") else { return #expect(Bool(false)) }
        #expect(attributes.map(\.qualifiedName) == ["n", "p:k", "n"])
        #expect(attributes[1].namespace == "urn:p")
        #expect(throws: XMLError.self) { try root.xpath("//* | //@n") }
    }

    @Test("an expression sees edits, and a removed subtree as its own document")
    func edits() throws {
        _ = try root.xpath("*")
        root.append(XMLNode("b", namespace: "urn:d").append(XMLNode("c")))
        #expect(try root.xpath("//c").nodes.count == 1)
        let b = try #require(root.child(named: "b"))
        b.remove()
        #expect(try root.xpath("//c").nodes.isEmpty)
        #expect(try b.xpath("//c").nodes == b.children())
    }

    @Test("a wrong expression is an error that says where", arguments: ["//", "a[", "x:y", "nope()", "1 +"])
    func wrongExpressions(expression: String) throws {
        let error = try #require(throws: XMLError.self) { try root.xpath(expression) }
        #expect(error.kind == .xpath)
    }

    @Test("an error names the prefixes for which no namespace is given")
    func undeclaredPrefixes() throws {
        let error = try #require(throws: XMLError.self) {
            try root.xpath("d:Field[@name='e:x'] | child::f:*", namespaces: ["f": "urn:f"])
        }
        #expect(
            error.message.contains("“d”") && !error.message.contains("“e”") && !error.message.contains("“f”")
        )
    }

    #if os(Linux) || os(macOS)
    @Test("nothing is written to standard error, whatever is wrong with the input")
    func silence() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let root = try XMLNode(parsing: "<r/>")
            for expression in ["nope()", "$x + 1", "//", "x:y", "1 +", "key('a', 'b')", "id(1, 2)"] {
                #expect(throws: XMLError.self) { try root.xpath(expression) }
            }
            let shiftJIS =
                Array("<?xml version='1.0' encoding='Shift_JIS'?><r>".utf8) + [0x81, 0xFF, 0xFF]
                + Array("</r>".utf8)
            #expect(throws: XMLError.self) { try XMLNode(parsing: Data(shiftJIS)) }
        }
        let written = try #require(result).standardErrorContent
        #expect(written.isEmpty, "\(String(decoding: written, as: UTF8.self))")
    }
    #endif

    private static let xsd = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <xs:element name="list"><xs:complexType><xs:sequence>
            <xs:element name="n" type="xs:int" maxOccurs="unbounded"/>
          </xs:sequence></xs:complexType></xs:element>
        </xs:schema>
        """

    @Test("every problem of a document is reported with its line")
    func validation() throws {
        let schema = try XMLSchema(parsing: Data(LibXML2Tests.xsd.utf8))
        #expect(try schema.validate(XMLNode(parsing: "<list><n>1</n></list>")).isEmpty)
        let problems = try schema.validate(XMLNode(parsing: "<list>\n<n>x</n>\n<n>2</n>\n<m/>\n</list>"))
        #expect(problems.map(\.line) == [2, 4])
        #expect(problems[0].message.contains("'x'"))
        let part = try XMLNode(parsing: "<o><list><n>3</n></list></o>")
        #expect(try schema.validate(try #require(part.child(named: "list"))).isEmpty)
        #expect(try !schema.validate(part).isEmpty)
    }

    @Test("a line beyond 65,535 is right too")
    func farLine() throws {
        let schema = try XMLSchema(parsing: Data(LibXML2Tests.xsd.utf8))
        let text = "<list>" + String(repeating: "\n", count: 70_000) + "<n>x</n></list>"
        #expect(try schema.validate(XMLNode(parsing: text)).map(\.line) == [70_001])
    }

    @Test("a schema that is none says why, and one that would load others is refused")
    func wrongSchemas() throws {
        let wrong = LibXML2Tests.xsd.replacingOccurrences(of: "xs:int", with: "xs:nope")
        let error = try #require(throws: XMLError.self) { try XMLSchema(parsing: Data(wrong.utf8)) }
        #expect(error.kind == .schema)
        let pattern = """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
            <xs:simpleType name="t"><xs:restriction base="xs:string">
            <xs:pattern value="[a"/></xs:restriction></xs:simpleType></xs:schema>
            """
        #expect(try #require(throws: XMLError.self) { try XMLSchema(parsing: Data(pattern.utf8)) }.line == 3)
        let loading = LibXML2Tests.xsd.replacingOccurrences(
            of: "<xs:element name=\"list\">",
            with: "<xs:include schemaLocation=\"file:///etc/passwd\"/><xs:element name=\"list\">"
        )
        let refusal = try #require(throws: XMLError.self) { try XMLSchema(parsing: Data(loading.utf8)) }
        #expect(refusal.kind == .externalEntity)
    }

    @Test("a document's own hints about schemas are not followed")
    func hints() throws {
        let schema = try XMLSchema(parsing: Data(LibXML2Tests.xsd.utf8))
        let text = """
            <list xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xsi:noNamespaceSchemaLocation="file:///etc/passwd"><n>1</n></list>
            """
        #expect(try schema.validate(XMLNode(parsing: text)).isEmpty)
    }
}
