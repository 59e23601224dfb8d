import IndivoXML
import Testing

@Suite("Editing")
struct EditingTests {
    @Test("a tree is built from nothing")
    func building() throws {
        let models = XMLNode("Models", namespace: "urn:indivo")
        models.append(
            XMLNode("Model", namespace: "urn:indivo", attributes: ["name": "Fill"])
                .append(XMLNode("Field", namespace: "urn:indivo", text: "a < b"))
        )
        models.append([XMLNode.comment("c"), .text("t"), .cdata("]]>"), .processingInstruction("p", "q")])
        #expect(
            try models.xml()
                == "<Models xmlns=\"urn:indivo\"><Model name=\"Fill\"><Field>a &lt; b</Field></Model>"
                + "<!--c-->t<![CDATA[]]]]><![CDATA[>]]><?p q?></Models>"
        )
        #expect(try XMLNode(parsing: models.data()).xml() == models.xml())
    }

    @Test("a handle follows its node into another document")
    func movesBetweenDocuments() throws {
        let from = try XMLNode(parsing: "<a><b x='1'><c>t</c></b><d/></a>")
        let to = try XMLNode(parsing: "<r><s/></r>")
        let b = try #require(from.child(named: "b"))
        let c = try #require(b.child(named: "c"))
        let known: Set<XMLNode> = [b, c]
        to.prepend(b)
        #expect(try from.xml() == "<a><d/></a>")
        #expect(try to.xml() == "<r><b x=\"1\"><c>t</c></b><s/></r>")
        #expect(b.parent() == to)
        #expect(c.parent() == b)
        #expect(to.child(named: "b") == b)
        #expect(known.contains(try #require(to.child(named: "b"))))
        c.attr("y", "2")
        #expect(try b.xml() == "<b x=\"1\"><c y=\"2\">t</c></b>")
        from.append(b)
        #expect(try from.xml() == "<a><d/><b x=\"1\"><c y=\"2\">t</c></b></a>")
        #expect(c.document == from.document)
        #expect(!b.isRemoved)
    }

    @Test("before, after, prepend and append put nodes where they say")
    func places() throws {
        let root = try XMLNode(parsing: "<r><m/></r>")
        let m = try #require(root.child(named: "m"))
        m.before(XMLNode("b")).after(XMLNode("a"))
        root.prepend([XMLNode("p1"), XMLNode("p2")]).append([XMLNode("z1"), XMLNode("z2")])
        #expect(root.children().map(\.name) == ["p1", "p2", "b", "m", "a", "z1", "z2"])
        m.before(root.children().filter { $0.name.hasPrefix("z") })
        #expect(root.children().map(\.name) == ["p1", "p2", "b", "z1", "z2", "m", "a"])
        m.after([m, root.children()[0]])
        #expect(root.children().map(\.name) == ["p2", "b", "z1", "z2", "m", "p1", "a"])
    }

    @Test("what is taken out can be read and put back; what is dropped says so")
    func removal() throws {
        let root = try XMLNode(parsing: "<r><a>1</a><b><c/></b></r>")
        let a = try #require(root.child(named: "a"))
        let b = try #require(root.child(named: "b"))
        let c = try #require(b.child(named: "c"))
        #expect(a.remove() == a)
        #expect(a.isRemoved)
        #expect(a.text() == "1")
        #expect(a.parent() == nil)
        root.append(a)
        #expect(!a.isRemoved)
        #expect(b.replace(with: XMLNode("n")) == b)
        #expect(b.isRemoved && c.isRemoved)
        #expect(c.parent() == b)
        b.empty()
        #expect(c.kind == .removed)
        #expect(c.isRemoved && c.parent() == nil && c.name == "" && c.attr("x") == nil)
        #expect(throws: XMLError.self) { try c.xml() }
        #expect(try root.xml() == "<r><n/><a>1</a></r>")
    }

    @Test("a handle to a dropped node never speaks for the node that took its memory")
    func reuse() throws {
        let root = XMLNode("r", text: "old")
        let old = root.contents()[0]
        root.text("new")
        let new = root.contents()[0]
        #expect(old != new)
        #expect(old.isRemoved && old.text() == "")
        old.text("intruder")
        #expect(root.text() == "new")
    }

    @Test("a node that is gone comes to nothing, in several places too")
    func goneInSelections() throws {
        let root = try XMLNode(parsing: "<r><a/><a/><b>1</b></r>")
        let gone = try #require(root.child(named: "b")).contents()[0]
        try #require(root.child(named: "b")).text("2")
        root.children("a").append(gone).prepend(gone).before(gone).after(gone)
        #expect(root.children("a")[0].contents().isEmpty)
        #expect(try root.xml() == "<r><a/><a/><b>2</b></r>")
    }

    @Test("an edit that would make no tree changes nothing")
    func impossible() throws {
        let root = try XMLNode(parsing: "<r><a><b/></a>t</r>")
        let a = try #require(root.child(named: "a"))
        try #require(a.child(named: "b")).append(a)
        a.append(a)
        a.append(root)
        root.contents()[1].append(XMLNode("x"))
        root.replace(with: root)
        #expect(try root.xml() == "<r><a><b/></a>t</r>")
    }

    @Test("attributes are set, replaced and removed in their order")
    func attributes() throws {
        let node = XMLNode("a", attributes: ["x": "1", "y": "2"])
        node.attr("x", "\"<\n&").attr("z", "3").attr("y", nil).removeAttr("nope")
        #expect(try node.xml() == "<a x=\"&quot;&lt;&#10;&amp;\" z=\"3\"/>")
        node.attr("n", namespace: "urn:n", "4")
        #expect(try node.xml() == "<a x=\"&quot;&lt;&#10;&amp;\" z=\"3\" xmlns:ns1=\"urn:n\" ns1:n=\"4\"/>")
        #expect(node.attr("n", namespace: "urn:n") == "4")
    }

    @Test("a clone stands alone")
    func clone() throws {
        let root = try XMLNode(parsing: "<?p?><r><a x='1'>t</a></r>")
        let copy = try #require(root.child(named: "a")).clone()
        #expect(copy.document.root == copy)
        copy.text("changed")
        #expect(root.text() == "t")
        let document = root.document.clone()
        document.root?.attr("k", "v")
        #expect(try document.xml().hasSuffix("<?p?>\n<r k=\"v\"><a x=\"1\">t</a></r>\n"))
        #expect(root.attr("k") == nil)
        root.attr("later", "1")
        #expect(document.root?.attr("later") == nil)
    }

    @Test("a node keeps its namespace wherever it goes")
    func namespaces() throws {
        let from = try XMLNode(parsing: "<a xmlns='urn:1' xmlns:p='urn:2'><b p:x='1'><p:c/></b></a>")
        let to = try XMLNode(parsing: "<r xmlns='urn:3'><s xmlns=''/></r>")
        let b = try #require(from.child(named: "b"))
        to.append(b)
        to.append(XMLNode("plain"))
        let text = try to.xml()
        let again = try XMLNode(parsing: text)
        #expect(again.child(named: "b")?.namespace == "urn:1")
        #expect(again.child(named: "b")?.attr("x", namespace: "urn:2") == "1")
        #expect(again.child(named: "b")?.child(named: "c")?.namespace == "urn:2")
        #expect(again.child(named: "plain")?.namespace == nil)
        #expect(again.child(named: "s")?.namespace == nil)
    }

    @Test("a document that is edited for ever does not grow for ever")
    func steadySize() throws {
        let root = XMLNode("r")
        let text = String(repeating: "x", count: 10_000)
        for round in 0..<2_000 { root.text("\(round)" + text).attr("a", "\(round)") }
        #expect(root.text() == "1999" + text)
        #expect(root.attr("a") == "1999")
    }
}
