import Foundation
import IndivoXML
import Testing

@Suite("Writing")
struct WritingTests {
    @Test(
        "what is read is written as it was",
        arguments: [
            "<a/>", "<a>x</a>", "<a b=\"1\" c=\"2\">&lt;&amp;&gt;</a>", "<a><![CDATA[<&]]></a>", "<a><!--c--><?p d?></a>",
            "<p:a xmlns:p=\"urn:p\" p:b=\"1\"><p:c/></p:a>", "<a xmlns=\"u\"><b xmlns=\"\"/></a>",
            "<a x=\"&#9;&#10;&#13;&quot;'\">&#13;\n\t</a>", "<a>é😀</a>", "<a xml:lang=\"en\"/>",
        ])
    func roundTrip(text: String) throws {
        #expect(try XMLNode(parsing: text).xml() == text)
    }

    @Test("a document is written with all that stands around its root")
    func document() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <!DOCTYPE a [<!ENTITY e "x"> <!-- c -->]>
            <!--before-->
            <a>x</a>
            <?after?>

            """
        #expect(try XMLNode(parsing: text).document.xml() == text)
    }

    @Test("pretty printing indents elements and leaves texts alone")
    func pretty() throws {
        let root = try XMLNode(
            parsing: "<r><a>x</a> <b><c/><!--k--></b><m>text <i/></m><s xml:space=\"preserve\"> <t/> </s></r>")
        #expect(
            try root.xml(.pretty) == """
                <r>
                  <a>x</a>
                  <b>
                    <c/>
                    <!--k-->
                  </b>
                  <m>text <i/></m>
                  <s xml:space="preserve"> <t/> </s>
                </r>
                """)
    }

    @Test("what XML cannot carry is an error that says where")
    func unwritable() throws {
        let nodes = [
            XMLNode("a", text: "\u{0}"), XMLNode("a", text: "\u{FFFE}"), XMLNode("a", attributes: ["b": "\u{1B}"]),
            XMLNode("a b"), XMLNode(""), XMLNode("1"), XMLNode("a:b:c"), XMLNode("p:a"),
            XMLNode("a", attributes: ["x y": "1"]), XMLNode("a").append(XMLNode.comment("--")),
            XMLNode("a").append(XMLNode.comment("-")), XMLNode("a").append(XMLNode.processingInstruction("xml", "")),
            XMLNode("a").append(XMLNode.processingInstruction("p", "?>")), XMLNode("a").append(XMLNode.cdata("\u{8}")),
        ]
        for node in nodes {
            let error = try #require(throws: XMLError.self) { try node.xml() }
            #expect(error.kind == .unwritable)
        }
        let document = XMLNode("a").document
        document.append(XMLNode("b"))
        #expect(throws: XMLError.self) { try document.xml() }
        let message = try #require(throws: XMLError.self) {
            try XMLNode("a").append(XMLNode("b", text: "\u{1}")).xml()
        }
        #expect(message.description == "in /a/b: the character U+1 cannot stand in XML; remove or replace it")
    }

    @Test("a namespace may be any text")
    func oddNamespace() throws {
        let node = XMLNode("p:x", namespace: "u` <&>")
        #expect(try XMLNode(parsing: node.xml()).namespace == "u` <&>")
    }

    @Test("canonical form does not see how a document was written down")
    func canonical() throws {
        let one = try XMLNode(parsing: "<a c='2'   b=\"1\"><![CDATA[x]]></a>")
        let two = try XMLNode(parsing: "<?xml version='1.0'?><a b='1' c='2'>x<!-- k --></a>")
        #expect(try one.canonical() == two.canonical())
        #expect(try one.canonical() == Data("<a b=\"1\" c=\"2\">x</a>".utf8))
        #expect(try two.canonical(withComments: true) == Data("<a b=\"1\" c=\"2\">x<!-- k --></a>".utf8))
        #expect(throws: XMLError.self) { try XMLNode.text("x").canonical() }
    }
}
