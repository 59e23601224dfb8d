import IndivoXML
import Testing

@Suite("Limits and attacks")
struct LimitTests {
    private func limit(_ text: String, _ change: (inout XMLLimits) -> Void = { _ in }) -> XMLError.Kind? {
        var options = XMLParseOptions()
        change(&options.limits)
        do {
            _ = try XMLNode(parsing: text, options: options)
            return nil
        } catch let error as XMLError {
            return error.kind
        } catch {
            return nil
        }
    }

    @Test("depth is bounded, and the bound can be moved")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "<a>", count: levels) + String(repeating: "</a>", count: levels)
        }
        #expect(limit(nested(1_024)) == nil)
        #expect(limit(nested(1_025)) == .limit(.depth))
        #expect(limit(nested(5_000)) { $0.depth = 5_000 } == nil)
        #expect(limit(nested(1_000_000)) == .limit(.depth))
    }

    @Test("attributes are bounded before they are compared with each other")
    func attributes() {
        func element(_ number: Int) -> String {
            "<a " + (0..<number).map { "a\($0)=''" }.joined(separator: " ") + "/>"
        }
        #expect(limit(element(4_096)) == nil)
        #expect(limit(element(4_097)) == .limit(.attributes))
        #expect(limit(element(300_000)) == .limit(.attributes))
        #expect(limit(element(11)) { $0.attributes = 10 } == .limit(.attributes))
    }

    @Test("what looks like a tag inside CDATA or a comment is no tag")
    func lookalikes() {
        let tag = "<a " + (0..<9_000).map { "a\($0)=''" }.joined(separator: " ")
        #expect(limit("<r><![CDATA[\(tag)]]></r>") == nil)
        #expect(limit("<r><!-- \(tag) --></r>") == nil)
        #expect(limit("<r>\(String(repeating: "long text ", count: 100_000))</r>") == nil)
    }

    @Test("texts, attribute values, comments and sections are bounded")
    func texts() {
        let long = String(repeating: "x", count: 2_000)
        for text in [
            "<a>\(long)</a>", "<a b='\(long)'/>", "<a><!--\(long)--></a>", "<a><![CDATA[\(long)]]></a>",
        ] {
            #expect(limit(text) { $0.textBytes = 2_000 } == nil)
            #expect(limit(text) { $0.textBytes = 1_999 } == .limit(.textBytes))
        }
        // Pieces add up.
        #expect(limit("<a>\(long)&amp;\(long)</a>") { $0.textBytes = 3_000 } == .limit(.textBytes))
    }

    @Test("names and the whole input are bounded")
    func namesAndInput() {
        #expect(limit("<\(String(repeating: "n", count: 60_000))/>") == .limit(.nameBytes))
        #expect(limit("<a \(String(repeating: "n", count: 60_000))='1'/>") == .limit(.nameBytes))
        #expect(limit("<a/>") { $0.inputBytes = 3 } == .limit(.inputBytes))
    }

    @Test("the error names the limit that was hit")
    func message() throws {
        var options = XMLParseOptions()
        options.limits.depth = 2
        let error = try #require(throws: XMLError.self) {
            try XMLNode(parsing: "<a>\n<b>\n<c/></b></a>", options: options)
        }
        #expect(error.description == "line 3, column 3: elements lie more than 2 deep (limits.depth)")
    }

    @Test("entities inside the document are replaced")
    func entities() throws {
        let root = try XMLNode(
            parsing: """
                <!DOCTYPE r [<!ENTITY who "you &amp; <b>me</b>"><!ENTITY both "&who;, &who;">]>
                <r a="&#65;">&both;</r>
                """
        )
        #expect(root.text() == "you & me, you & me")
        #expect(root.children().count == 2)
        #expect(root.attr("a") == "A")
    }

    @Test("a billion laughs are not laughed")
    func billionLaughs() {
        var text = "<!DOCTYPE r [<!ENTITY l0 \"lol lol lol lol lol lol lol lol lol lol\">"
        for level in 1...9 {
            text += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        #expect(limit(text + "]><r>&l9;</r>") == .limit(.entityExpansionBytes))
        #expect(limit(text + "]><r a='&l9;'/>") == .limit(.entityExpansionBytes))
    }

    @Test("quadratic blow-up by a large entity or attribute default used often is stopped")
    func quadratic() {
        let large = String(repeating: "x", count: 100_000)
        let entity =
            "<!DOCTYPE r [<!ENTITY e \"\(large)\">]><r>" + String(repeating: "&e;", count: 50_000) + "</r>"
        #expect(limit(entity) == .limit(.entityExpansionBytes))
        let value =
            "<!DOCTYPE r [<!ATTLIST a b CDATA \"\(large)\">]><r>" + String(repeating: "<a/>", count: 5_000)
            + "</r>"
        #expect(limit(value) == .limit(.entityExpansionBytes))
    }

    @Test("entities that hold themselves, or each other too deep, are refused")
    func loops() {
        let kind = limit("<!DOCTYPE r [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]><r>&a;</r>")
        #expect(kind == .limit(.entityDepth))
        var text = "<!DOCTYPE r [<!ENTITY e0 \"x\">"
        for level in 1...40 { text += "<!ENTITY e\(level) \"&e\(level - 1);\">" }
        #expect(limit(text + "]><r>&e40;</r>") == .limit(.entityDepth))
    }

    @Test(
        "nothing outside the document is ever read",
        arguments: [
            "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><r>&x;</r>",
            "<!DOCTYPE r [<!ENTITY x SYSTEM \"http://127.0.0.1:1/x\">]><r>&x;</r>",
            "<!DOCTYPE r [<!ENTITY x PUBLIC \"p\" \"file:///etc/passwd\">]><r>&x;</r>",
            "<!DOCTYPE r [<!ENTITY % x SYSTEM \"file:///etc/passwd\">%x;]><r/>",
            "<!DOCTYPE r [<!ENTITY % x SYSTEM \"http://127.0.0.1:1/x\">%x;]><r/>",
        ]
    )
    func external(text: String) {
        #expect(limit(text) == .externalEntity)
    }

    @Test("a document type that names an outside DTD is kept but not followed")
    func externalSubset() throws {
        let root = try XMLNode(parsing: "<!DOCTYPE r SYSTEM \"file:///etc/passwd\"><r/>")
        #expect(root.text() == "")
        #expect(root.document.contents().first?.kind == .documentType)
    }

    @Test(
        "UTF-7, which hides markup, is refused under all its names",
        arguments: [
            "UTF_7", "utf 7", "UTF07", "windows-65000", "unicode-1-1-utf-7", "UTF-7,version=1", "UTF-7-IMAP",
        ]
    )
    func namesOfUTF7(name: String) throws {
        for text in ["+ADw-a/+AD4-", "&ADw-a/&AD4-"] {
            var options = XMLParseOptions()
            options.encoding = name
            for attempt in [
                { try XMLNode(parsing: Array(text.utf8), options: options) },
                { try XMLNode(parsing: Array("<?xml version=\"1.0\" encoding=\"\(name)\"?>\(text)".utf8)) },
            ] {
                let error = #expect(throws: XMLError.self) { try attempt() }
                #expect(error?.kind == .encoding)
            }
        }
    }

    @Test("UTF-7, which hides markup, is refused")
    func utf7() throws {
        let error = try #require(throws: XMLError.self) {
            try XMLNode(parsing: Array("<?xml version=\"1.0\" encoding=\"UTF-7\"?>+ADw-a/+AD4-".utf8))
        }
        #expect(error.kind == .encoding)
    }
}
