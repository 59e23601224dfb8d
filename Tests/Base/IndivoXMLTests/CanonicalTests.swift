import Foundation
import IndivoXML
import Synchronization
import Testing

/// Canonical XML 1.0; the examples are those of its section 3.
@Suite("Canonical form")
struct CanonicalTests {
    private func canonical(_ text: String, withComments: Bool = false) throws -> String {
        String(
            decoding: try XMLNode(parsing: text).document.canonical(withComments: withComments),
            as: UTF8.self
        )
    }

    @Test("comments, processing instructions and what stands outside the root (3.1)")
    func outside() throws {
        let text = """
            <?xml version="1.0"?>

            <?xml-stylesheet   href="doc.xsl"
               type="text/xsl"   ?>

            <!DOCTYPE doc SYSTEM "doc.dtd">

            <doc>Hello, world!<!-- Comment 1 --></doc>

            <?pi-without-data     ?>

            <!-- Comment 2 -->

            <!-- Comment 3 -->
            """
        let instruction = "<?xml-stylesheet href=\"doc.xsl\"\n   type=\"text/xsl\"   ?>\n"
        #expect(try canonical(text) == instruction + "<doc>Hello, world!</doc>\n<?pi-without-data?>")
        #expect(
            try canonical(text, withComments: true)
                == instruction + "<doc>Hello, world!<!-- Comment 1 --></doc>\n<?pi-without-data?>\n"
                + "<!-- Comment 2 -->\n<!-- Comment 3 -->"
        )
    }

    @Test("start and end tags: order, defaults, superfluous declarations (3.3)")
    func tags() throws {
        let text = """
            <!DOCTYPE doc [<!ATTLIST e9 attr CDATA "default">]>
            <doc>
               <e1   />
               <e3   name = "elem3"   id="elem3"   />
               <e5 a:attr="out" b:attr="sorted" attr2="all" attr="I'm"
                  xmlns:b="http://www.ietf.org"
                  xmlns:a="http://www.w3.org"
                  xmlns="http://example.org"/>
               <e6 xmlns="" xmlns:a="http://www.w3.org">
                  <e7 xmlns="http://www.ietf.org">
                     <e8 xmlns="" xmlns:a="http://www.w3.org">
                        <e9 xmlns="" xmlns:a="http://www.ietf.org"/>
                     </e8>
                  </e7>
               </e6>
            </doc>
            """
        #expect(
            try canonical(text) == """
                <doc>
                   <e1></e1>
                   <e3 id="elem3" name="elem3"></e3>
                   <e5 xmlns="http://example.org" xmlns:a="http://www.w3.org" xmlns:b="http://www.ietf.org" \
                attr="I'm" attr2="all" b:attr="sorted" a:attr="out"></e5>
                   <e6 xmlns:a="http://www.w3.org">
                      <e7 xmlns="http://www.ietf.org">
                         <e8 xmlns="">
                            <e9 xmlns:a="http://www.ietf.org" attr="default"></e9>
                         </e8>
                      </e7>
                   </e6>
                </doc>
                """
        )
    }

    @Test("character references and modifications of characters (3.4)")
    func characters() throws {
        let text = """
            <!DOCTYPE doc [<!ATTLIST normId id ID #IMPLIED><!ATTLIST normNames attr NMTOKENS #IMPLIED>]>
            <doc>
               <text>First line&#x0d;&#10;Second line</text>
               <value>&#x32;</value>
               <compute><![CDATA[value>"0" && value<"10" ?"valid":"error"]]></compute>
               <compute expr='value>"0" &amp;&amp; value&lt;"10" ?"valid":"error"'>valid</compute>
               <norm attr=' &apos;   &#x20;&#13;&#xa;&#9;   &apos; '/>
               <normNames attr='   A   &#x20;&#13;&#xa;&#9;   B   '/>
               <normId id=' &apos;   &#x20;&#13;&#xa;&#9;   &apos; '/>
            </doc>
            """
        #expect(
            try canonical(text) == """
                <doc>
                   <text>First line&#xD;
                Second line</text>
                   <value>2</value>
                   <compute>value&gt;"0" &amp;&amp; value&lt;"10" ?"valid":"error"</compute>
                   <compute expr="value>&quot;0&quot; &amp;&amp; value&lt;&quot;10&quot; \
                ?&quot;valid&quot;:&quot;error&quot;">valid</compute>
                   <norm attr=" '    &#xD;&#xA;&#x9;   ' "></norm>
                   <normNames attr="A &#xD;&#xA;&#x9; B"></normNames>
                   <normId id="' &#xD;&#xA;&#x9; '"></normId>
                </doc>
                """
        )
    }

    @Test("entities are replaced, and the encoding is UTF-8 (3.5, 3.6)")
    func entities() throws {
        let text =
            """
            <!DOCTYPE doc [<!ENTITY ent1 "Hello">]>\n<doc attrExtEnt="entExt">\n   &ent1;, world!\n</doc>
            """
        #expect(try canonical(text) == "<doc attrExtEnt=\"entExt\">\n   Hello, world!\n</doc>")
        let latin =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><doc>&#169;".utf8) + [0xA9]
            + Array("</doc>".utf8)
        #expect(try XMLNode(parsing: latin).canonical() == Data("<doc>©©</doc>".utf8))
    }

    @Test("an element has the namespaces and the attributes of xml that it inherits (2.4)")
    func subset() throws {
        let root = try XMLNode(
            parsing: """
                <r xmlns="urn:d" xmlns:q="urn:q" xmlns:p="urn:far" xml:lang="en" xml:base="http://x/" \
                xml:id="i" a="1">\
                <m xmlns:p="urn:near" xml:lang="de" p:k="v"><x xml:id="j" b="2"><y xmlns:q="urn:q"/></x></m>\
                <n xmlns=""><z/></n></r>
                """
        )
        let x = try #require(root.firstElement?.firstElement)
        #expect(
            try String(decoding: x.canonical(), as: UTF8.self) == """
                <x xmlns="urn:d" xmlns:p="urn:near" xmlns:q="urn:q" b="2" xml:base="http://x/" xml:id="j" \
                xml:lang="de">\
                <y></y></x>
                """
        )
        let z = try #require(root.children()[1].firstElement)
        #expect(
            try String(decoding: z.canonical(), as: UTF8.self)
                == """
                <z xmlns:p="urn:far" xmlns:q="urn:q" xml:base="http://x/" xml:id="i" xml:lang="en"></z>
                """
        )
        #expect(try root.canonical() == root.document.canonical())
    }

    @Test("nodes made in code have the form of the same document parsed")
    func made() throws {
        let node = XMLNode("p:a", namespace: "urn:a", attributes: ["z": "\t", "b": "\"<\r\n>"]) {
            XMLNode.text("x")
            XMLNode.cdata("<y>")
            XMLNode("c", namespace: "urn:c").attr("k", namespace: "urn:a", "é")
            XMLNode.comment("none")
        }
        let again = try XMLNode(parsing: node.xml())
        #expect(try node.canonical() == again.canonical())
        #expect(
            try String(decoding: node.canonical(), as: UTF8.self) == """
                <p:a xmlns:p="urn:a" b="&quot;&lt;&#xD;&#xA;>" z="&#x9;">x&lt;y&gt;<c xmlns="urn:c" \
                p:k="é"></c></p:a>
                """
        )
    }

    @Test("a relative namespace, and a node that is no document, are errors")
    func errors() throws {
        for text in [
            "<a xmlns='relative'/>", "<a><b xmlns:p='../up'/></a>", "<a xmlns='1:x'/>", "<a xmlns=':x'/>",
        ] {
            let error = #expect(throws: XMLError.self) { try XMLNode(parsing: text).canonical() }
            #expect(error?.kind == .unwritable)
        }
        #expect(throws: XMLError.self) { try XMLNode.comment("x").canonical() }
    }

    @Test("long sections, comments and instructions have one")
    func long() throws {
        let text = String(repeating: "x", count: 20_000)
        let node = XMLNode("a").append([
            XMLNode.cdata(text), .comment(text), .processingInstruction("p", text),
        ])
        #expect(
            try node.canonical(withComments: true) == Data("<a>\(text)<!--\(text)--><?p \(text)?></a>".utf8)
        )
    }

    @Test("a document 5,000 levels deep has one on a small stack")
    func deep() throws {
        var options = XMLParseOptions()
        options.limits.depth = 5_000
        let text =
            String(repeating: "<a xmlns:p='urn:p'>", count: 5_000) + String(repeating: "</a>", count: 5_000)
        options.limits.attributes = 5_000
        let snapshot = try XMLSnapshot(parsing: Data(text.utf8), options: options)
        let form = Mutex<Result<Data, any Error>?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let thread = Thread {
            let result = Result {
                _ = try snapshot.root().xml(.pretty)
                return try snapshot.root().canonical()
            }
            form.withLock { $0 = result }
            isOver.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        isOver.wait()
        let count = try form.withLock { try #require($0).get() }.count
        #expect(count == 5_000 * ("<a>".utf8.count + "</a>".utf8.count) + " xmlns:p=\"urn:p\"".utf8.count)
    }
}
