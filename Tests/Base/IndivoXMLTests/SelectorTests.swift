import IndivoXML
import Testing

@Suite("Selectors")
struct SelectorTests {
    private func names(_ selector: String, in xml: String) throws -> [String] {
        try XMLNode(parsing: xml).document.find(XMLSelector(selector)).map { $0.attr("n") ?? $0.name }
    }

    private static let list = """
        <ul n="ul"><li n="1" class="x"><a n="a1"/></li><li n="2"><a n="a2"/></li><li n="3" class="x"><a \
        n="a3"/></li>\
        <li n="4"/><li n="5"><a n="a5"/><a n="a6"/></li></ul>
        """

    @Test(
        "a position is one in the set matched so far",
        arguments: [
            ("li:first", "1"), ("li:last", "5"), ("li:eq(1)", "2"), ("li:eq(-1)", "5"), ("li:eq(9)", ""),
            ("li:gt(2)", "4 5"), ("li:gt(-2)", "5"), ("li:lt(2)", "1 2"), ("li:lt(-3)", "1 2"),
            ("li:even", "1 3 5"),
            ("li:odd", "2 4"), ("li.x:last", "3"), ("li:lt(2).x", "1"), ("li:first a", "a1"),
            ("li:last a", "a5 a6"),
            ("li:gt(0) > a:first", "a2"), ("li a:eq(3)", "a5"), ("li:even a:odd", "a3 a6"),
            ("li:eq(3), li:first", "1 4"),
            ("li:not(:first)", "2 3 4 5"), ("li:not(.x):first", "2"), ("li:has(a:eq(1))", "5"),
            ("li:odd:first", "2"),
            ("li:first + li", "2"), ("li:first ~ li:even", "2 4"),
        ]
    )
    func positions(selector: String, expected: String) throws {
        #expect(try names(selector, in: SelectorTests.list).joined(separator: " ") == expected)
    }

    @Test("find matches below the node, and with a leading combinator from the node itself")
    func scope() throws {
        let ul = try XMLNode(parsing: SelectorTests.list)
        #expect(ul.find("ul li").isEmpty)
        #expect(ul.find("> li > a").count == 5)
        #expect(ul.find("> a").isEmpty)
        let second = try #require(ul.find("li").eq(1))
        #expect(second.find("+ li, ~ li a").map { $0.attr("n") } == ["3", "a3", "a5", "a6"])
        #expect(second.find(":scope > a").map { $0.attr("n") } == ["a2"])
        #expect(second.is("ul > li"))
    }

    @Test("prefixes come from the table")
    func namespaces() throws {
        let root = try XMLNode(
            parsing: "<r xmlns='urn:d' xmlns:p='urn:p'><p:a p:k='1'/><a k='1'/><b xmlns=''/></r>"
        )
        let table = ["q": "urn:p", "d": "urn:d"]
        func count(_ selector: String, _ table: [String: String] = table) throws -> Int {
            root.find(try XMLSelector(selector, namespaces: table)).count
        }
        #expect(try count("a") == 2)
        #expect(try count("q|a") == 1)
        #expect(try count("d|*") == 1)
        #expect(try count("|b") == 1)
        #expect(try count("*|a") == 2)
        #expect(try count("[q|k]") == 1)
        #expect(try count("[k]") == 1)
        #expect(try count("[*|k='1']") == 2)
        #expect(try count("a", ["": "urn:p"]) == 1)
        #expect(throws: XMLSelectorError.self) { try count("z|a") }
    }

    @Test("ids are xml:id and id; classes are words; contains sees all text")
    func idsAndText() throws {
        let xml =
            """
            <r><a n='1' id='k'/><a n='2' xml:id='k'/><a n='3' class=' u  v '/><a \
            n='4'>x<b>y</b><![CDATA[z]]></a></r>
            """
        #expect(try names("#k", in: xml) == ["1", "2"])
        #expect(try names(".u.v", in: xml) == ["3"])
        #expect(try names("a:contains('xyz')", in: xml) == ["4"])
        #expect(try names("a:contains(nope, 'yz')", in: xml) == ["4"])
        #expect(try names("a[n!='3']", in: xml) == ["1", "2", "4"])
    }

    @Test("escapes, comments and strings are CSS's")
    func escapes() throws {
        let xml = "<r><a.b n='1'/><é n='2'/><a n='3' x='q&quot;]'/><a n='4' p:x='1' xmlns:p='u'/></r>"
        #expect(try names("a\\.b", in: xml) == ["1"])
        #expect(try names("a\\2e b", in: xml) == ["1"])
        #expect(try names("\\E9 , /* , */ a\\.b", in: xml) == ["1", "2"])
        #expect(try names("[x='q\\\"]']", in: xml) == ["3"])
        #expect(try names("[x=\"q\\22]\"]", in: xml) == ["3"])
        #expect(try names("[p\\:x]", in: xml) == ["4"])
    }

    @Test(
        "a selector that is wrong says where and what was expected",
        arguments: [
            ("", 1, "a name"), ("a >", 4, "a name"), ("a >> b", 4, "a name"), ("a,", 3, "a name"),
            ("a[", 3, "attribute"),
            ("a[b", 4, "operator"), ("a[b=", 5, "value"), ("a[b='c]", 5, "ends in '"), ("a[b=c", 6, "]"),
            ("a[b~c]", 5, "="),
            (":nope", 2, "known"), ("a::before", 3, "pseudo-element"), (":not(", 6, "a name"),
            (":not(a", 7, ")"),
            (":nth-child(x)", 12, "2n+1"), (":nth-child(2n+)", 15, "number"), (":eq(x)", 5, "whole number"),
            ("a)", 2, "end"),
            ("/* x", 1, "*/"), ("#", 2, "id"), (".1", 2, "class"), ("é|b", 1, "table"),
            (":first-child()", 13, "no argument"),
            (":not", 5, "\"(\""), ("[a=b x]", 6, "flag"), ("a b !", 5, "a name"),
            ("a:nth-child(1 of a:first)", 15, "positions"),
            (":eq(99999999999)", 5, "below"), ("\r\n", 2, "a name"),
        ]
    )
    func errors(selector: String, column: Int, expected: String) throws {
        let error = try #require(throws: XMLSelectorError.self) { try XMLSelector(selector) }
        #expect(error.column == column)
        #expect(error.expected.contains(expected))
        #expect(error.description.hasPrefix("column \(column): expected "))
    }

    @Test("selectors inside selectors are bounded")
    func nesting() {
        let deep = String(repeating: ":not(", count: 10_000)
        #expect(throws: XMLSelectorError.self) { try XMLSelector(deep) }
        #expect(throws: XMLSelectorError.self) { try XMLSelector(String(repeating: "a", count: 100_000)) }
    }

    @Test("a compiled selector is a value that works on any document, edited or not")
    func reuse() throws {
        let selector = try XMLSelector("a > b:nth-child(2)")
        #expect(selector == (try XMLSelector("a>b:nth-child(2)")))
        let one = try XMLNode(parsing: "<r><a><b/><b n='y'/></a></r>")
        let two = try XMLNode(parsing: "<b><a><c/><b n='z'/></a></b>")
        #expect(one.find(selector).attr("n") == "y")
        #expect(two.find(selector).attr("n") == "z")
        one.child(named: "a")?.prepend(XMLNode("b", attributes: ["n": "new"]))
        #expect(one.find(selector).count == 1)
        #expect(one.find(selector).first?.attr("n") == nil)
    }

    @Test("long chains of combinators on deep documents take no time to fail")
    func backtracking() throws {
        let deep = String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000)
        let selector = Array(repeating: "a", count: 30).joined(separator: " ") + " > b a"
        #expect(try XMLNode(parsing: deep).find(XMLSelector(selector)).isEmpty)
        let wide = "<r>" + String(repeating: "<a><b/></a>", count: 5_000) + "</r>"
        #expect(try XMLNode(parsing: wide).find("a:nth-child(2n) > b:only-child").count == 2_500)
        let chain = Array(repeating: "a", count: 30).joined(separator: " ~ ")
        #expect(try XMLNode(parsing: wide).find(XMLSelector(chain + " ~ c")).isEmpty)
    }
}
