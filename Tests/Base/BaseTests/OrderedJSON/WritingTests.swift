import OrderedJSON
import Testing

@Suite("Writing JSON")
struct WritingTests {
    @Test("indented text has a line for each member and element")
    func indented() throws {
        let text = """
            {
              "a": [
                1,
                {
                  "b": []
                },
                {}
              ],
              "c": "d"
            }
            """
        let value = try JSONValue(parsing: text)
        #expect(value.text(.pretty) == text)
        let made: JSONValue = ["a": [1, ["b": []], [:]], "c": "d"]
        #expect(made.text(.pretty) == text)
        #expect(made.text() == #"{"a":[1,{"b":[]},{}],"c":"d"}"#)
        #expect(made.text(.indented(0)).split(separator: "\n").count == 10)
        #expect(JSONValue("x").text(.pretty) == #""x""#)
    }

    @Test("as written is byte for byte what was parsed")
    func asWritten() throws {
        let text = "{ \"a\" :\t[ 1 ,\r\n [ ] ] , \"b\\u0041\" : { \"c\" : 1.0e+1 } }"
        let value = try JSONValue(parsing: " \(text)\n")
        #expect(value.text(.asWritten) == text)
        #expect(value["a"]?.text(.asWritten) == "[ 1 ,\r\n [ ] ]")
        var changed = value
        changed["b"] = 2
        #expect(changed.text(.asWritten) == "{\"a\":[ 1 ,\r\n [ ] ],\"b\\u0041\":{ \"c\" : 1.0e+1 },\"b\":2}")
    }

    @Test("a parsed part is written alone, and inside what was made")
    func parts() throws {
        let value = try JSONValue(parsing: #"[{"a":[1,{}]},"x",[]]"#)
        #expect(value[0]?.text() == #"{"a":[1,{}]}"#)
        #expect(value[1]?.text() == #""x""#)
        #expect(value[2]?.text() == "[]")
        let made: JSONValue = try ["p": #require(value[0]), "q": [#require(value[1]), 2]]
        #expect(made.text() == #"{"p":{"a":[1,{}]},"q":["x",2]}"#)
        #expect(try JSONValue(parsing: made.text(.pretty)) == made)
    }

    @Test("strings are escaped where they must be, and come back")
    func escaping() throws {
        let text =
            String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init)))
            + "\u{2028}😀\u{10FFFF}"
        let written = JSONValue(text).text()
        #expect(try JSONValue(parsing: written).string?.utf8.elementsEqual(text.utf8) == true)
        #expect(
            JSONValue("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é").text() == #""\"\\/\b\f\n\r\t\u0000\u001f"#
                + "\u{7F}é\""
        )
        #expect(JSONValue(members: [JSONMember(name: "a\"\n", value: 1)]).text() == #"{"a\"\n":1}"#)
    }

    @Test("writing appends")
    func appending() throws {
        var buffer = Array("data: ".utf8)
        try JSONValue(parsing: "[1, 2]").write(to: &buffer)
        JSONValue(true).write(to: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == "data: [1,2]true")
    }

    @Test("on one line in ASCII, as Python writes, parsed values and made ones alike")
    func spacedASCII() throws {
        let made: JSONValue = ["é": ["a😀\u{7F}", 1, [:], []], "b\n": .null]
        let text = #"{"\u00e9": ["a\ud83d\ude00\u007f", 1, {}, []], "b\n": null}"#
        #expect(made.text(.spacedASCII) == text)
        #expect(try JSONValue(parsing: made.text()).text(.spacedASCII) == text)
    }
}
