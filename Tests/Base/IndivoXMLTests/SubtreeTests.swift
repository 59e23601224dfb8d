import Foundation
import IndivoXML
import Testing

/// What an element that is written, copied, moved or read alone takes along from the elements around it.
@Suite("Parts of documents")
struct SubtreeTests {
    private let text = """
        <r xmlns="urn:d" xmlns:xs="urn:xs" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns:other="urn:o">\
        <a xsi:type="xs:int">1</a><b path="/xs:x">no</b><c>is xs:int</c><d>11:30</d><p:e xmlns:p="urn:p"/></r>
        """

    /// What is written of each child of the root.
    private let written = [
        """
        <a xmlns:xs=\"urn:xs\" xmlns=\"urn:d\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
        xsi:type=\"xs:int\">1</a>
        """,
        "<b xmlns:xs=\"urn:xs\" xmlns=\"urn:d\" path=\"/xs:x\">no</b>",
        "<c xmlns:xs=\"urn:xs\" xmlns=\"urn:d\">is xs:int</c>",
        "<d xmlns=\"urn:d\">11:30</d>",
        "<p:e xmlns:p=\"urn:p\" xmlns=\"urn:d\"/>",
    ]

    @Test("a part declares the prefixes that its values speak of, and no others")
    func writing() throws {
        let root = try XMLNode(parsing: text)
        #expect(try root.children().map { try $0.xml() } == written)
        #expect(try root.xml() == text)
        #expect(try root.children().map { try String(decoding: $0.data(), as: UTF8.self) } == written)
    }

    @Test("a copy, a snapshot and what was taken out declare them too")
    func copies() throws {
        func same(_ node: XMLNode, _ number: Int) throws {
            let again = try XMLNode(parsing: node.xml())
            #expect(again.namespace(forPrefix: "xs") == (number < 3 ? "urn:xs" : nil))
            #expect(again.namespace(forPrefix: "other") == nil)
            #expect(again.namespace == (number == 4 ? "urn:p" : "urn:d"))
            #expect(again.namespace(forPrefix: "") == "urn:d")
        }
        for number in 0..<5 {
            try same(XMLNode(parsing: text).children()[number].clone(), number)
            try same(XMLSnapshot(XMLNode(parsing: text).children()[number]).root(), number)
            try same(XMLNode(parsing: text).children()[number].remove(), number)
        }
        let copy = try XMLNode(parsing: text).children()[0].clone()
        #expect(copy.line == nil && copy.attributes.count == 1)
    }

    @Test("a node that moves takes along what its values speak of, where it is not declared")
    func moving() throws {
        let strange = XMLNode("o").append(try XMLNode(parsing: text).children()[0])
        #expect(strange.children()[0].namespace(forPrefix: "xs") == "urn:xs")
        #expect(try XMLNode(parsing: strange.xml()).children()[0].namespace(forPrefix: "xs") == "urn:xs")
        let known = try XMLNode(parsing: "<o xmlns='urn:d' xmlns:xs='urn:xs'/>")
        known.append(try XMLNode(parsing: text).children()[2])
        #expect(try known.xml() == "<o xmlns=\"urn:d\" xmlns:xs=\"urn:xs\"><c>is xs:int</c></o>")
        let taken = try XMLNode(parsing: "<o xmlns='urn:d' xmlns:xs='urn:else'/>")
        taken.append(try XMLNode(parsing: text).children()[2])
        #expect(
            try taken.xml()
                == "<o xmlns=\"urn:d\" xmlns:xs=\"urn:else\"><c xmlns:xs=\"urn:xs\">is xs:int</c></o>"
        )
        let within = try XMLNode(parsing: "<r><x xmlns:q='urn:q'><y v='q:v'/></x><z/></r>")
        within.children()[1].append(try #require(within.children()[0].firstElement))
        #expect(try within.xml() == "<r><x xmlns:q=\"urn:q\"/><z><y xmlns:q=\"urn:q\" v=\"q:v\"/></z></r>")
    }

    @Test("an inner declaration hides the outer one, and a removed default is none")
    func hidden() throws {
        let root = try XMLNode(
            parsing: "<r xmlns='u' xmlns:p='far'><m xmlns='' xmlns:p='near'><x v='p:v'/></m></r>"
        )
        let inner = try #require(root.firstElement?.firstElement)
        #expect(try inner.xml() == "<x xmlns:p=\"near\" v=\"p:v\"/>")
        let own = try XMLNode(parsing: "<r xmlns:p='far'><x xmlns:p='own' v='p:v'/></r>")
        #expect(try own.children()[0].xml() == "<x xmlns:p=\"own\" v=\"p:v\"/>")
        let named = try XMLNode(parsing: "<r xmlns:p='far'/>").append(
            XMLNode("p:x", namespace: "own").attr("v", "p:v")
        )
        #expect(try named.children()[0].xml() == "<p:x xmlns:p=\"own\" v=\"p:v\"/>")
    }

    @Test("the reader's elements declare them, whatever stands between")
    func reader() async throws {
        let text = """
            <r xmlns="urn:d" xmlns:xs="urn:xs"><g xmlns:xs="urn:inner"><a t="xs:int"/></g><a t="xs:int"/>\
            <a t="xs:int" xmlns:xs="urn:own"/><a t="none:int">12:30</a></r>
            """
        let chunks = AsyncStream { continuation in
            for byte in text.utf8 { continuation.yield([byte]) }
            continuation.finish()
        }
        var found: [String] = []
        for try await node in XMLReader(chunks: chunks, elements: "a") { found.append(try node.xml()) }
        #expect(
            found == [
                "<a xmlns:xs=\"urn:inner\" xmlns=\"urn:d\" t=\"xs:int\"/>",
                "<a xmlns:xs=\"urn:xs\" xmlns=\"urn:d\" t=\"xs:int\"/>",
                "<a xmlns:xs=\"urn:own\" xmlns=\"urn:d\" t=\"xs:int\"/>",
                "<a xmlns=\"urn:d\" t=\"none:int\">12:30</a>",
            ]
        )
    }

    @Test("a schema sees types whose prefix is declared around the element")
    func schema() throws {
        let schema = try XMLSchema(
            parsing: Data(
                """
                <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" xmlns="urn:t">
                  <xs:complexType name="T"><xs:attribute name="n" type="xs:int"/></xs:complexType>
                  <xs:complexType name="U"><xs:complexContent><xs:extension \
                base="T"/></xs:complexContent></xs:complexType>
                  <xs:element name="e" type="T"/>
                </xs:schema>
                """.utf8
            )
        )
        let root = try XMLNode(
            parsing: """
                <r xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:k="urn:t">\
                <t:e xsi:type="k:U" n="1"/><t:e xsi:type="k:V"/></r>
                """
        )
        #expect(try schema.validate(root.children()[0]).isEmpty)
        #expect(try !schema.validate(root.children()[1]).isEmpty)
    }

    @Test("pretty output of a part heeds the xml:space that is in force around it")
    func space() throws {
        let root = try XMLNode(
            parsing:
                """
                <r xml:space="preserve"><a> <b> <c/> </b> </a><d xml:space="default"><e> <f/> </e></d></r>
                """
        )
        let a = root.children()[0]
        #expect(try a.xml(.pretty) == "<a> <b> <c/> </b> </a>")
        #expect(try a.children()[0].xml(.pretty) == "<b> <c/> </b>")
        let e = try #require(root.children()[1].firstElement)
        #expect(try e.xml(.pretty) == "<e>\n  <f/>\n</e>")
    }

    @Test(
        "a document type is written as it was, whatever its literals hold",
        arguments: [
            "<!DOCTYPE a SYSTEM \"<!DOCTYPE b\">", "<!DOCTYPE a PUBLIC \"p\" '<!DOCTYPE x [\"'>",
            "<!DOCTYPE a [<!ENTITY e \"<!DOCTYPE b\"><!-- <!DOCTYPE c -->]>", "<!DOCTYPE a>",
            "<!DOCTYPE  a\n>",
        ]
    )
    func documentType(declaration: String) throws {
        for before in ["", "<!-- <!DOCTYPE z> -->\n", "<?p <!DOCTYPE z ?>\n"] {
            let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(before)\(declaration)\n<a/>\n"
            let document = try XMLNode(parsing: text).document
            #expect(try document.xml() == text)
            #expect(document.contents().contains { $0.kind == .documentType && $0.name == "a" })
        }
    }
}
