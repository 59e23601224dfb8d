import Foundation
import IndivoXML
import Testing

@Suite("Writing")
struct WritingTests {
    @Test(
        "what is read is written as it was",
        arguments: [
            "<a/>", "<a>x</a>", "<a b=\"1\" c=\"2\">&lt;&amp;&gt;</a>", "<a><![CDATA[<&]]></a>",
            "<a><!--c--><?p d?></a>",
            "<p:a xmlns:p=\"urn:p\" p:b=\"1\"><p:c/></p:a>", "<a xmlns=\"u\"><b xmlns=\"\"/></a>",
            "<a x=\"&#9;&#10;&#13;&quot;'\">&#13;\n\t</a>", "<a>é😀</a>", "<a xml:lang=\"en\"/>",
        ]
    )
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
            parsing: "<r><a>x</a> <b><c/><!--k--></b><m>text <i/></m><s xml:space=\"preserve\"> <t/> </s></r>"
        )
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
                """
        )
    }

    @Test("what XML cannot carry is an error that says where")
    func unwritable() throws {
        let nodes = [
            XMLNode("a", text: "\u{0}"), XMLNode("a", text: "\u{FFFE}"),
            XMLNode("a", attributes: ["b": "\u{1B}"]),
            XMLNode("a b"), XMLNode(""), XMLNode("1"), XMLNode("a:b:c"), XMLNode("p:a"),
            XMLNode("a", attributes: ["x y": "1"]), XMLNode("a").append(XMLNode.comment("--")),
            XMLNode("a").append(XMLNode.comment("-")),
            XMLNode("a").append(XMLNode.processingInstruction("xml", "")),
            XMLNode("a").append(XMLNode.processingInstruction("p", "?>")),
            XMLNode("a").append(XMLNode.cdata("\u{8}")),
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

    private static let xml = "http://www.w3.org/XML/1998/namespace"
    private static let xmlns = "http://www.w3.org/2000/xmlns/"

    /// Names that no parser would take back, each in an element that can be written without it.
    private static let wrongNames: [(what: String, make: @Sendable () throws -> XMLNode)] = [
        ("an element's prefix without a namespace", { XMLNode("p:x", namespace: "") }),
        (
            "the same where others use the prefix",
            {
                XMLNode("p:r", namespace: "u").append(XMLNode("p:x", namespace: ""))
            }
        ),
        ("an attribute's prefix without a namespace", { XMLNode("r").attr("p:x", "1") }),
        ("the same, named by its namespace", { XMLNode("r").attr("p:x", namespace: "", "1") }),
        (
            "an attribute's prefix declared above only later",
            {
                let s = XMLNode("s").attr("p:x", "1")
                return XMLNode("p:r", namespace: "u").append(s)
            }
        ),
        ("a prefix declared as none", { XMLNode("r").attr("xmlns:p", "") }),
        ("a namespace that XML cannot carry", { XMLNode("p:x", namespace: "\u{1}") }),
        ("the same as default", { XMLNode("x", namespace: "u\u{8}") }),
        ("the same of an attribute", { XMLNode("r").attr("p:x", namespace: "\u{1F}", "1") }),
        ("the same, declared", { XMLNode("r").attr("xmlns:p", "\u{FFFE}") }),
        ("xmlns as a prefix", { XMLNode("xmlns:x", namespace: "u") }),
        ("xmlns as a prefix of its namespace", { XMLNode("xmlns:x", namespace: xmlns) }),
        ("a declaration without a prefix behind its colon", { XMLNode("r").attr("xmlns:", "u") }),
        ("xmlns declared", { XMLNode("r").attr("xmlns:xmlns", "u") }),
        ("xml as another namespace's prefix", { XMLNode("xml:x", namespace: "u") }),
        ("xml without a namespace", { XMLNode("xml:x") }),
        ("xml declared as another namespace", { XMLNode("r").attr("xmlns:xml", "u") }),
        ("xml's namespace by default", { XMLNode("x", namespace: xml) }),
        ("xml's namespace with another prefix", { XMLNode("p:x", namespace: xml) }),
        ("xml's namespace declared for another prefix", { XMLNode("r").attr("xmlns:p", xml) }),
        ("xml's namespace declared as default", { XMLNode("r").attr("xmlns", xml) }),
        ("xmlns's namespace", { XMLNode("p:x", namespace: xmlns) }),
        ("xmlns's namespace by default", { XMLNode("x", namespace: xmlns) }),
        ("xmlns's namespace declared", { XMLNode("r").attr("xmlns:p", xmlns) }),
        ("xmlns's namespace of an attribute", { XMLNode("r").attr("p:x", namespace: xmlns, "1") }),
        (
            "an attribute set twice by a later declaration",
            {
                XMLNode("r").attr("p:x", "1").attr("q:x", namespace: "u", "2").attr("xmlns:p", "u")
            }
        ),
        (
            "a processing instruction with a prefix",
            { XMLNode("r").append(XMLNode.processingInstruction("p:x")) }
        ),
        ("a wrong attribute in a parsed document", { try XMLNode(parsing: "<r/>").attr("a b", "1") }),
        (
            "the same in its copy",
            { try XMLNode(parsing: "<r/>").attr("a b", "1").document.clone().children()[0] }
        ),
        (
            "a prefix whose declaration stayed behind",
            {
                let r = try XMLNode(parsing: "<r/>")
                return r.append(XMLNode("s").attr("p:y", "2"))
            }
        ),
    ]

    @Test("a name that no parser would take back is an error", arguments: wrongNames.indices)
    func wrongName(number: Int) throws {
        let (what, make) = WritingTests.wrongNames[number]
        let node = try make()
        let error = try #require(throws: XMLError.self, "\(what)") { try node.xml() }
        #expect(error.kind == .unwritable, "\(what)")
    }

    @Test("there are wrong names to try") func wrongNamesExist() {
        #expect(WritingTests.wrongNames.count > 20)
    }

    @Test("two attributes may have the same name and prefix in different namespaces")
    func samePrefix() throws {
        let inner = XMLNode("s").attr("p:a", namespace: "u", "1").attr("p:a", namespace: "v", "2")
        let text = try XMLNode("r").attr("p:a", namespace: "u", "0").append(inner).xml()
        #expect(text == "<r xmlns:p=\"u\" p:a=\"0\"><s p:a=\"1\" xmlns:ns1=\"v\" ns1:a=\"2\"/></r>")
        let again = try XMLNode(parsing: text).children()[0]
        #expect(again.attr("a", namespace: "u") == "1" && again.attr("a", namespace: "v") == "2")
    }

    @Test("a carriage return survives, or is an error where nothing can carry it")
    func carriageReturns() throws {
        for content in ["\r", "a\rb", "]]>\r\n", "\r\r]]"] {
            let node = XMLNode("a", attributes: ["b": content]).append([
                XMLNode.cdata(content), XMLNode.text(content),
            ])
            let again = try XMLNode(parsing: node.xml())
            #expect(again.text() == content + content)
            #expect(again.attr("b") == content)
        }
        for leaf in [
            XMLNode.comment("a\rb"), .processingInstruction("p", "a\rb"), .processingInstruction("p", " a"),
            .processingInstruction("p", "\na"),
        ] {
            #expect(throws: XMLError.self) { try XMLNode("a").append(leaf).xml() }
        }
    }

    @Test("names in the namespace of xml are written with its prefix and not declared")
    func xmlPrefix() throws {
        for node in [
            XMLNode("r").attr("xml:lang", "en"),
            XMLNode("r").attr("lang", namespace: WritingTests.xml, "en"),
            XMLNode("r").attr("p:lang", namespace: WritingTests.xml, "en"),
        ] {
            #expect(try node.xml() == "<r xml:lang=\"en\"/>")
        }
        #expect(try XMLNode("xml:x", namespace: WritingTests.xml).xml() == "<xml:x/>")
        #expect(
            try XMLNode("r").attr("xml:x", namespace: "u", "1").xml() == "<r xmlns:ns1=\"u\" ns1:x=\"1\"/>"
        )
        #expect(
            try XMLNode("r").attr("xmlns:x", namespace: "u", "1").xml() == "<r xmlns:ns1=\"u\" ns1:x=\"1\"/>"
        )
    }

    @Test("a prefix may be declared after its use, and an attribute may have any prefix")
    func lateDeclaration() throws {
        let node = XMLNode("r", attributes: ["p:x": "1", "xmlns:p": "u"])
        #expect(node.attr("x", namespace: "u") == "1")
        #expect(try node.xml() == "<r xmlns:p=\"u\" p:x=\"1\"/>")
        let two = try XMLNode(parsing: "<r xmlns:p='u' xmlns:q='u'/>").attr("p:x", "1").attr("q:x", "2")
        #expect(try two.xml() == "<r xmlns:p=\"u\" xmlns:q=\"u\" p:x=\"2\"/>")
        two.removeAttr("q:x")
        #expect(two.attr("x", namespace: "u") == nil)
    }

    @Test("a namespace may be any text")
    func oddNamespace() throws {
        let node = XMLNode("p:x", namespace: "u` <&>")
        #expect(try XMLNode(parsing: node.xml()).namespace == "u` <&>")
    }

    @Test(
        "lines end with LF, by bytes",
        arguments: ["a\nb", "a\rb", "a\r\nb", "a\r\r\nb", "\r\r\n\n\r", "a\r\u{301}"]
    )
    func lineEnds(text: String) {
        // A CR that an LF follows is dropped, any other becomes one.
        let pieces = text.utf8.split(separator: 0x0D, omittingEmptySubsequences: false)
        let expected = pieces.dropFirst().reduce(into: Array(pieces[0])) {
            $0 += ($1.first == 0x0A ? [] : [0x0A]) + $1
        }
        #expect(XMLText.normalizingLineEnds(text).utf8.elementsEqual(expected))
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
