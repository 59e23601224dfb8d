import Foundation
import IndivoXML
import Testing

@Suite("Parsing")
struct ParsingTests {
    @Test("a document's root, names, attributes and text are read")
    func readsDocument() throws {
        let root = try XMLNode(
            parsing: """
                <?xml version="1.0"?>
                <!-- before --><m:Models xmlns:m="urn:m" xmlns="urn:d" a="1" m:b="2&amp;3">
                  <Model name="X">one<![CDATA[ <two> ]]>three</Model>
                  <Empty/>
                </m:Models>
                <?after it?>
                """
        )
        #expect(root.kind == .element)
        #expect(root.name == "Models")
        #expect(root.qualifiedName == "m:Models")
        #expect(root.prefix == "m")
        #expect(root.namespace == "urn:m")
        #expect(root.attr("a") == "1")
        #expect(root.attr("m:b") == "2&3")
        #expect(root.attr("b", namespace: "urn:m") == "2&3")
        #expect(root.attr("b") == nil)
        #expect(root.attributes.map(\.qualifiedName) == ["a", "m:b"])
        let model = try #require(root.child(named: "Model"))
        #expect(model.namespace == "urn:d")
        #expect(model.text() == "one <two> three")
        #expect(model.contents().map(\.kind) == [.text, .cdata, .text])
        #expect(model.next()?.name == "Empty")
        #expect(model.next()?.previous() == model)
        #expect(model.parent() == root)
        #expect(root.parent()?.kind == .document)
        #expect(root.document.contents().map(\.kind) == [.comment, .element, .processingInstruction])
        #expect(root.document.root == root)
        #expect(root.line == 2)
        #expect(model.line == 3)
        #expect(model.next()?.line == 4)
    }

    @Test("the lines of a long document are right, also where many lie between two nodes")
    func lines() throws {
        var text = "<r>"
        var expected: [Int] = []
        var line = 1
        for index in 0..<2_000 {
            let gap = index % 97 == 0 ? 300 : index % 3
            text += String(repeating: "\n", count: gap)
            line += gap
            expected.append(line)
            text += "<a\n/>"
            line += 1
        }
        let root = try XMLNode(parsing: text + "</r>")
        #expect(root.children().map(\.line) == expected)
    }

    @Test(
        "what is not well-formed is an error with its place",
        arguments: [
            ("<a>\n  <b></a>", 2), ("<a b='1' b='2'/>", 1), ("<a>&nope;</a>", 1), ("<a/>junk", 1), ("", 1),
            ("<a>\n\n<p:b/></a>", 3), ("<a", 1), ("<a/><b/>", 1), ("<a>\u{1}</a>", 1), ("   ", 1),
            ("text", 1),
        ]
    )
    func syntaxErrors(text: String, line: Int) throws {
        let error = try #require(throws: XMLError.self) { try XMLNode(parsing: text) }
        #expect(error.kind == .syntax)
        #expect(error.line == line)
        #expect(error.column != nil)
        #expect(error.description.hasPrefix("line \(line), column "))
    }

    @Test("an error shows the source around its place")
    func excerpt() throws {
        let error = try #require(throws: XMLError.self) { try XMLNode(parsing: "<r>\n<née>x</oops>\n</r>") }
        #expect(error.line == 2)
        #expect(error.excerpt?.contains("<née>x</oops>") == true)
    }

    @Test("a zero byte does not hide what follows it")
    func zeroByte() {
        #expect(throws: XMLError.self) { try XMLNode(parsing: Array("<a/>\0<b/>".utf8)) }
    }

    @Test(
        "every encoding that a document names is read",
        arguments: ["UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "windows-1252", "UCS-4"]
    )
    func encodings(name: String) throws {
        let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?>\n<größe>é</größe>"
        let encoding: String.Encoding =
            switch name {
            case "UTF-16": .utf16
            case "UTF-16LE": .utf16LittleEndian
            case "UTF-16BE": .utf16BigEndian
            case "ISO-8859-1": .isoLatin1
            case "windows-1252": .windowsCP1252
            case "UCS-4": .utf32BigEndian
            default: .utf8
            }
        let root = try XMLNode(parsing: try #require(text.data(using: encoding)))
        #expect(root.name == "größe")
        #expect(root.text() == "é")
        #expect(root.line == 2)
    }

    @Test("a byte order mark is no part of the document")
    func byteOrderMark() throws {
        #expect(try XMLNode(parsing: [0xEF, 0xBB, 0xBF] + Array("<a>x</a>".utf8)).text() == "x")
    }

    @Test("bytes that are not in the document's encoding are an error")
    func wrongEncoding() throws {
        let latin = Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)
        let error = try #require(throws: XMLError.self) { try XMLNode(parsing: latin) }
        #expect(error.kind == .encoding)
        var options = XMLParseOptions()
        options.encoding = "ISO-8859-1"
        #expect(try XMLNode(parsing: latin, options: options).text() == "é")
        let label = "<?xml version=\"1.0\" encoding=\"no-such-thing\"?><a/>"
        #expect(throws: XMLError.self) { try XMLNode(parsing: Array(label.utf8)) }
    }

    @Test("white space between elements is kept, and left out on demand")
    func whitespace() throws {
        let text = "<a>\n <b> </b>x <c/>\n</a>"
        #expect(try XMLNode(parsing: text).xml() == text)
        let dropped = try XMLNode(parsing: text, options: XMLParseOptions(dropsWhitespace: true))
        #expect(try dropped.xml() == "<a><b/>x <c/></a>")
        #expect(dropped.child(named: "c")?.line == 2)
    }

    @Test("long texts of many pieces come out whole")
    func longText() throws {
        for length in [126, 127, 128, 129, 16_383, 16_384, 20_000] {
            let text = String(repeating: "x", count: length)
            let root = try XMLNode(parsing: "<a b=\"\(text)\">\(text)&lt;\(text)&#233;</a>")
            #expect(root.attr("b") == text)
            #expect(root.text() == text + "<" + text + "é")
            #expect(root.contents().count == 1)
        }
    }

    @Test("a default for an attribute whose name is none is refused", arguments: [":", "a:", "a:b:c"])
    func defaultNames(name: String) throws {
        let text = "<!DOCTYPE r [<!ATTLIST r \(name) CDATA 'v'>]><r xmlns:a='u'/>"
        let error = try #require(throws: XMLError.self) { try XMLNode(parsing: text) }
        #expect(error.kind == .syntax)
    }
}
