import IndivoXML
import Testing

/// XML compares names code point by code point; Swift's strings are equal when they are canonically
/// equivalent.
@Suite("Names are compared by their code points")
struct NameComparisonTests {
    private let composed = "\u{E9}"
    private let decomposed = "e\u{301}"

    @Test("attributes of equivalent names stay two when their element is copied or moved")
    func movedAttributes() throws {
        for name in ["", "p:"] {
            let text = "<r xmlns:p=\"u\"><a \(name)\(composed)=\"1\" \(name)\(decomposed)=\"2\"/></r>"
            let root = try XMLNode(parsing: text)
            let element = try #require(root.firstElement)
            let other = XMLNode("o", attributes: ["xmlns:p": "u"])
            other.append(element.clone()).append(element)
            let written = try XMLNode(parsing: other.xml())
            for element in written.children() {
                #expect(
                    element.attributes.map { Array($0.name.utf8) } == [
                        Array(composed.utf8), Array(decomposed.utf8),
                    ]
                )
                #expect(element.attr(name + composed) == "1")
                #expect(element.attr(name + decomposed) == "2")
            }
            #expect(written.children().count == 2)
        }
    }

    @Test("setting and reading an attribute takes the one of these code points")
    func attributes() throws {
        let node = XMLNode("a").attr(composed, "1").attr(decomposed, "2")
            .attr(composed, namespace: "u", "3").attr(decomposed, namespace: "u", "4")
            .attr("x", namespace: "u" + composed, "5").attr("x", namespace: "u" + decomposed, "6")
        #expect(node.attributes.count == 6)
        #expect(node.attributes[decomposed] == "2")
        #expect(node.attr(decomposed, namespace: "u") == "4")
        #expect(node.attr("x", namespace: "u" + decomposed) == "6")
        let again = try XMLNode(parsing: node.xml())
        #expect(again.attributes.count == 6)
        #expect(again.attr("x", namespace: "u" + composed) == "5")
        #expect(Set(again.attributes.map { $0 }).count == 6)
        #expect(XMLNode("a").attr(composed, "").attributes != XMLNode("a").attr(decomposed, "").attributes)
    }

    @Test("equivalent namespaces and prefixes are different ones")
    func namespaces() throws {
        let text = """
            <\(composed):r xmlns:\(composed)="\(composed)"><\(decomposed):s \
            xmlns:\(decomposed)="\(decomposed)" \
            \(composed):x="1" \(decomposed):x="2"/></\(composed):r>
            """
        let root = try XMLNode(parsing: text)
        #expect(Array(try root.xml().utf8) == Array(text.utf8))
        let inner = try #require(root.firstElement)
        #expect(inner.namespace(forPrefix: composed).map { Array($0.utf8) } == Array(composed.utf8))
        #expect(inner.namespace(forPrefix: decomposed).map { Array($0.utf8) } == Array(decomposed.utf8))
        let moved = XMLNode("o").append(inner)
        let again = try #require(try XMLNode(parsing: moved.xml()).firstElement)
        #expect(again.namespace.map { Array($0.utf8) } == Array(decomposed.utf8))
        #expect(again.attr("x", namespace: composed) == "1")
        #expect(again.attr("x", namespace: decomposed) == "2")
        #expect(XMLNode("\(composed):r", namespace: "u").namespace(forPrefix: decomposed) == nil)
    }

    @Test("a declaration set in code is that of its own prefix alone")
    func declarations() {
        let node = XMLNode("\(composed):r").attr("\(decomposed):x", "1").attr("xmlns:\(decomposed)", "u")
        #expect(node.namespace == nil)
        #expect(node.attr("x", namespace: "u") == "1")
    }

    @Test("selectors find names, ids, classes, values and texts of these code points alone")
    func selectors() throws {
        let root = try XMLNode(
            parsing: """
                <r><\(composed) id="\(composed)" class="\(composed)" \
                v="\(composed)">\(composed)</\(composed)>\
                <\(decomposed) id="\(decomposed)" class="\(decomposed)" \
                v="\(decomposed)">\(decomposed)</\(decomposed)>\
                <x xmlns="\(composed)"/><x xmlns="\(decomposed)"/></r>
                """
        )
        for (number, name) in [composed, decomposed].enumerated() {
            let wanted = XMLSelection([root.children()[number]])
            for selector in ["\(name)", "#\(name)", ".\(name)", "[v=\(name)]", "\(name):contains(\(name))"] {
                #expect(try root.find(XMLSelector(selector)) == wanted, "\(selector)")
            }
            let both = try XMLSelector("p|x", namespaces: ["p": name])
            #expect(root.find(both) == XMLSelection([root.children()[number + 2]]))
        }
        // Two names in one selector, which tests each once.
        #expect(try root.find(XMLSelector("\(composed), \(decomposed)")).count == 2)
        #expect(try root.find(XMLSelector("\(composed) + \(decomposed)")).count == 1)
        #expect(try XMLSelector(composed) != XMLSelector(decomposed))
        #expect(throws: XMLSelectorError.self) {
            try XMLSelector("\(composed)|x", namespaces: [decomposed: "u"])
        }
        #expect(root.find("x:first-of-type").count == 2)
    }

    @Test("the reader keeps elements of both names when both are asked for")
    func reader() async throws {
        let text = "<r><\(composed)/><\(decomposed)/></r>"
        let chunks = AsyncStream { continuation in
            continuation.yield(Array(text.utf8))
            continuation.finish()
        }
        var found: [[UInt8]] = []
        for try await node in XMLReader(chunks: chunks, elements: composed, decomposed) {
            found.append(Array(node.name.utf8))
        }
        #expect(found == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test("entities of equivalent names do not hide how deep they lie")
    func entities() throws {
        // Numbers in binary digits that are all equivalent: names of one length are equal as strings.
        func name(_ number: Int) -> String {
            "n" + String(number, radix: 2).map { $0 == "1" ? composed : decomposed }.joined()
        }
        var text = "<!DOCTYPE r [<!ENTITY \(name(0)) \"x\">"
        for level in 1...900 { text += "<!ENTITY \(name(level)) \"&\(name(level - 1));\">" }
        let error = #expect(throws: XMLError.self) { try XMLNode(parsing: text + "]><r>&\(name(900));</r>") }
        #expect(error?.kind == .limit(.entityDepth))
        let two =
            "<!DOCTYPE r [<!ENTITY \(composed) \"1\"><!ENTITY \(decomposed) \"2\">]><r>&\(decomposed);</r>"
        #expect(try XMLNode(parsing: two).text() == "2")
    }
}
