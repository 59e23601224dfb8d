import IndivoXML
import Testing

@Suite("jQuery's verbs")
struct VerbTests {
    private let root: XMLNode

    init() throws {
        root = try XMLNode(
            parsing: """
                <r><a n="1"><x n="2"/>t<y n="3"/></a><b n="4"/><a n="5"><y n="6"><z n="7"/></y></a><c \
                n="8"/></r>
                """
        )
    }

    private func numbers(_ selection: XMLSelection) -> String {
        selection.map { $0.attr("n") ?? $0.name }.joined(separator: " ")
    }

    @Test("a string of run time that is no selector throws, with its column")
    func wrongString() throws {
        let selector = ["a", ">", ">", "b"].joined(separator: " ")
        let error = #expect(throws: XMLSelectorError.self) { try XMLSelector(selector) }
        #expect(error?.column == 5)
        #expect(root.find(try XMLSelector("y[n='\(3)']")).count == 1)
    }

    @Test("a literal that is no selector stops the program with file, line and column")
    func wrongLiteral() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = XMLNode("a").find("a > > b")
            }
        )
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(words.contains("VerbTests.swift:") && words.contains("column 5"), "\(words)")
    }

    @Test("down: find, children, contents")
    func down() throws {
        #expect(numbers(root.find("y")) == "3 6")
        #expect(numbers(root.find("a").find("*")) == "2 3 6 7")
        #expect(numbers(root.children()) == "1 4 5 8")
        #expect(numbers(root.children("a")) == "1 5")
        #expect(numbers(root["a"].children()) == "2 3 6")
        #expect(numbers(root["a"]["y"]) == "3 6")
        #expect(root["a"].contents().count == 4)
        #expect(root.first("z")?.attr("n") == "7")
    }

    @Test("up: parent, parents, parentsUntil, closest, in document order")
    func upwards() throws {
        let z = try #require(root.first("z"))
        #expect(numbers(z.parents()) == "r 5 6")
        #expect(numbers(z.parents("a")) == "5")
        #expect(numbers(z.parentsUntil("r")) == "5 6")
        #expect(z.closest("a")?.attr("n") == "5")
        #expect(z.closest("z") == z)
        #expect(z.closest("b") == nil)
        #expect(numbers(root.find("y, z").parent()) == "1 5 6")
        #expect(numbers(root.find("y, z").parent("a")) == "1 5")
        #expect(numbers(root.find("*").closest("a")) == "1 5")
        #expect(numbers(root.find("x, y").parents()) == "r 1 5")
    }

    @Test("sideways: siblings, next…, previous…")
    func sideways() throws {
        let b = try #require(root.child(named: "b"))
        #expect(numbers(b.siblings()) == "1 5 8")
        #expect(numbers(b.siblings("a")) == "1 5")
        #expect(numbers(b.nextAll()) == "5 8")
        #expect(numbers(b.nextAll("c")) == "8")
        #expect(numbers(root["a"].nextUntil("c")) == "4 5")
        #expect(numbers(root["c"].previousAll()) == "1 4 5")
        #expect(numbers(root["c"].previousUntil("b")) == "5")
        #expect(numbers(root["a"].next()) == "4 8")
        #expect(numbers(root["a"].next("c")) == "8")
        #expect(numbers(root["a"].previous()) == "4")
        #expect(numbers(root["a"].siblings()) == "1 4 5 8")
    }

    @Test("of the set: filter, not, is, has, eq, slice, index, each, map")
    func sets() throws {
        let all = root.children()
        #expect(numbers(all.filter("a")) == "1 5")
        #expect(numbers(all.filter(":odd")) == "4 8")
        #expect(numbers(all.filter("a:first")) == "1")
        #expect(numbers(all.filter { $0.name == "b" }) == "4")
        #expect(numbers(all.not("a")) == "4 8")
        #expect(numbers(all.not(root["a"])) == "4 8")
        #expect(numbers(all.has("z")) == "5")
        #expect(all.is("c"))
        #expect(!all.is("x"))
        #expect(all.eq(1)?.attr("n") == "4")
        #expect(all.eq(-1)?.attr("n") == "8")
        #expect(all.eq(4) == nil)
        #expect(numbers(all.slice(1, 3)) == "4 5")
        #expect(numbers(all.slice(-2)) == "5 8")
        #expect(numbers(all.slice(3, 1)) == "")
        #expect(root["c"].index() == 3)
        #expect(all.index(of: root["a"][1]) == 2)
        var seen: [Int] = []
        all.each { place, _ in seen.append(place) }
        #expect(seen == [0, 1, 2, 3])
        #expect(numbers(root["c"].add(root["b"])) == "8 4")
        #expect(numbers(root.slice(0)) == "r")
        #expect(all.attr("n") == "1")
        #expect(all.text() == "t")
    }

    @Test("setters act on all nodes and return the receiver")
    func setters() throws {
        root["a"].attr("k", "v").text("new").append(XMLNode("i"))
        #expect(
            try root.xml()
                == """
                <r><a n="1" k="v">new<i/></a><b n="4"/><a n="5" k="v">new<i/></a><c n="8"/></r>
                """
        )
        root["a"].removeAttr("k").removeAttr("n").empty().before(XMLNode.comment("c")).after(
            XMLNode.text(".")
        )
        #expect(try root.xml() == "<r><!--c--><a/>.<b n=\"4\"/><!--c--><a/>.<c n=\"8\"/></r>")
        let taken = root["a"].remove()
        #expect(taken.count == 2 && taken.allSatisfy(\.isRemoved))
        let replaced = root.find("b, c").replace(with: XMLNode("d"))
        #expect(replaced.map(\.name) == ["b", "c"])
        #expect(root.children().map(\.name) == ["d", "d"])
        root["d"].prepend([XMLNode("p"), XMLNode("q")])
        #expect(root["d"].children().map(\.name) == ["p", "q", "p", "q"])
    }

    @Test("wrap and unwrap")
    func wrapping() throws {
        let node = try XMLNode(parsing: "<r>a<b/>c<b/></r>")
        node["b"].wrap(XMLNode("o").append(XMLNode("i")))
        #expect(try node.xml() == "<r>a<o><i><b/></i></o>c<o><i><b/></i></o></r>")
        node.find("b").unwrap()
        #expect(try node.xml() == "<r>a<o><b/></o>c<o><b/></o></r>")
        node.wrap(XMLNode("top"))
        #expect(node.document.root?.name == "top")
        #expect(node.parent()?.name == "top")
    }

    @Test("a selection of several documents keeps them apart")
    func severalDocuments() throws {
        let other = try XMLNode(parsing: "<r><a n='x'/></r>")
        let both = XMLSelection([other, root, other])
        #expect(both.count == 2)
        #expect(numbers(both.children()) == "x 1 4 5 8")
        #expect(numbers(both.find("a")) == "x 1 5")
    }

    @Test("values are read, absent ones are nil, nonsense is an error")
    func typedReads() throws {
        let node = try XMLNode(parsing: "<r i=' 42 ' d='1.5e3' b='1' s=' x ' bad='4x'> 7 </r>")
        #expect(try node.attr("i", as: Int.self) == 42)
        #expect(try node.attr("d", as: Double.self) == 1_500)
        #expect(try node.attr("b", as: Bool.self) == true)
        #expect(try node.attr("s", as: String.self) == " x ")
        #expect(try node.attr("none", as: Int.self) == nil)
        #expect(try node.text(as: UInt8.self) == 7)
        #expect(try XMLNode(parsing: "<r/>").text(as: Int.self) == nil)
        let error = try #require(throws: XMLError.self) { try node.attr("bad", as: Int.self) }
        #expect(error.kind == .value)
        #expect(error.description == "line 1: the attribute bad is no Int")
        #expect(throws: XMLError.self) { try node.attr("bad", as: Double.self) }
        #expect(throws: XMLError.self) { try node.attr("i", as: Bool.self) }
    }

    @Test("a tree is written down as it will look")
    func builder() throws {
        let names = ["p", "q"]
        let tree = XMLNode("Models", namespace: "urn:m") {
            XMLNode("Model", attributes: ["name": "X"]) {
                for name in names { XMLNode("Field", attributes: ["name": name], text: name.uppercased()) }
                if names.isEmpty { XMLNode("none") } else { "text" }
            }
            XMLNode("other", namespace: "urn:o")
            XMLNode.comment("end")
        }
        #expect(
            try tree.xml()
                == """
                <Models xmlns="urn:m"><Model name="X"><Field name="p">P</Field><Field \
                name="q">Q</Field>text</Model>
                """
                + "<other xmlns=\"urn:o\"/><!--end--></Models>"
        )
    }
}
