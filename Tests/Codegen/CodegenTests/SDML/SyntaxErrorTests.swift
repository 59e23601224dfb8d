import SDML
import Testing

@Suite("Errors of syntax")
struct SyntaxErrorTests {
    static let slips: [(text: String, problems: [String])] = [
        ("", ["m.sdml:1:1: error: The file is empty: it needs an object, '{ … }'."]),
        (
            "{\n  \"__modelname__\": \"M\"\n  \"a\": \"String\" }",
            ["m.sdml:2:23: error: A comma is missing here."]
        ),
        (
            "[{ \"__modelname__\": \"M\", \"a\": \"Date\" } { \"__modelname__\": \"N\", \"a\": \"Date\" }]",
            ["m.sdml:1:39: error: A comma is missing here."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"String\", }",
            ["m.sdml:1:38: error: The last comma is one too many: nothing follows it. Remove it."]
        ),
        (
            "{ \"__modelname__\": \"M\",, \"a\": \"String\" }",
            ["m.sdml:1:24: error: There is one comma too many. Remove it."]
        ),
        (
            "{ \"__modelname__\": \"M\"\", \"a\": \"String\" }",
            ["m.sdml:1:23: error: There is one quotation mark too many. Remove it."]
        ),
        (
            "{ \"__modelname__\": \"M\",\n  \"a\": \"String,\n  \"b\": \"Date\" }",
            ["m.sdml:2:8: error: This string is not closed: a '\"' is missing before the end of the line."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a",
            [
                "m.sdml:1:1: error: This '{' is never closed: a '}' is missing.",
                """
                m.sdml:1:25: error: This string is not closed: a '"' is missing before the end of the file.
                """,
            ]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"Date\"",
            ["m.sdml:1:1: error: This '{' is never closed: a '}' is missing."]
        ),
        (
            "[{ \"__modelname__\": \"M\", \"a\": \"Date\" }",
            ["m.sdml:1:1: error: This '[' is never closed: a ']' is missing."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\" \"Date\" }",
            ["m.sdml:1:28: error: A colon is missing after the key \"a\"."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": , \"b\": \"Date\" }",
            ["m.sdml:1:30: error: The value of \"a\" is missing."]
        ),
        (
            "{ \"__modelname__\": \"M\", a: \"Date\" }",
            ["m.sdml:1:25: error: The key a needs double quotation marks: \"a\"."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": Date }",
            ["m.sdml:1:30: error: The text Date needs double quotation marks: \"Date\"."]
        ),
        (
            "{ \"__modelname__\": \"M\", “a”: \"Date\" }",
            ["m.sdml:1:25: error: Text stands in double quotation marks (\") in JSON; this is “. Replace it."]
        ),
        (
            "{ \"__modelname__\": \"M\", 'a': \"Date\" }",
            ["m.sdml:1:25: error: Text stands in double quotation marks (\") in JSON; this is '. Replace it."]
        ),
        (
            "{ \"__modelname__\": \"M\", // a model\n \"a\": \"Date\" }",
            [
                """
                m.sdml:1:25: error: JSON has no comments: what is to be said about a model goes into its \
                notes file.
                """
            ]
        ),
        (
            "{ \"__modelname__\": \"M\", /* … */ \"a\": \"Date\" }",
            [
                """
                m.sdml:1:25: error: JSON has no comments: what is to be said about a model goes into its \
                notes file.
                """
            ]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"Date\" } x",
            ["m.sdml:1:39: error: There is text after the end of the value. Remove it."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"Date\" } { }",
            [
                """
                m.sdml:1:39: error: There is text after the end of the value. Several models in one file go \
                into a list: \
                '[ { … }, { … } ]'.
                """
            ]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"Da\\qte\" }",
            [
                """
                m.sdml:1:33: error: This escape means nothing in JSON. Known are \\" \\\\ \\/ \\b \\f \\n \
                \\r \\t and \\u \
                with four digits.
                """
            ]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": ] }",
            ["m.sdml:1:30: error: Here should be a value, but there is ']'."]
        ),
        (
            "{ \"__modelname__\": \"M\", \"a\": \"Date\" ]",
            ["m.sdml:1:37: error: Here should be ',' or '}', but there is ']'."]
        ),
        (
            "\"M\"",
            ["m.sdml:1:1: error: A file of models holds an object or a list of objects; this is a string."]
        ),
    ]

    @Test("a slip is reported at its place", arguments: slips)
    func slip(text: String, problems expected: [String]) {
        #expect(problems(text) == expected)
    }

    @Test("several slips in one file are all reported")
    func several() {
        let text = """
            { "__modelname__": "M"
              "a": "String",
              "b": "Sting",
              "c": "Date,
              "d": [],
              "e": 5, }
            """
        #expect(
            problems(text) == [
                "m.sdml:1:23: error: A comma is missing here.",
                "m.sdml:3:8: error: SDML has no type 'Sting'. Did you mean 'String'?",
                "m.sdml:4:8: error: This string is not closed: a '\"' is missing before the end of the line.",
                """
                m.sdml:5:8: error: The list of 'd' must hold exactly one model, the one it is a list of; it \
                holds none.
                """,
                """
                m.sdml:6:8: error: The type of 'e' must be the name of a type in quotation marks, a model, \
                or a list \
                of one model; this is the number 5.
                """,
                "m.sdml:6:9: error: The last comma is one too many: nothing follows it. Remove it.",
            ]
        )
    }

    @Test(
        "columns count characters, not bytes; every kind of line end counts once",
        arguments: ["\n", "\r\n", "\r"]
    )
    func places(lineEnd: String) {
        let text = "{ \"__modelname__\": \"Ä\",\(lineEnd)  \"é😀\": \"Sting\" }"
        #expect(problems(text).last?.hasPrefix("m.sdml:2:9: error: ") == true)
    }

    @Test("a byte order mark is tolerated with a warning")
    func byteOrderMark() {
        let result = parse("\u{FEFF}{ \"__modelname__\": \"M\", \"a\": \"Date\" }")
        #expect(result.schema.models.count == 1)
        #expect(result.diagnostics.map(\.severity) == [.warning])
        #expect(result.diagnostics.first?.location == SourceLocation(path: "m.sdml", line: 1, column: 1))
    }

    @Test("blanks at the end are fine; blanks that JSON does not know are worth a warning")
    func trailingBlanks() {
        let model = #"{ "__modelname__": "M", "a": "Date" }"#
        #expect(problems(model + "  \n\t\r\n\n") == [])
        let result = parse(model + "\u{A0}\n")
        #expect(result.diagnostics.map(\.severity) == [.warning])
        #expect(!result.hasErrors)
    }

    @Test("other encodings than UTF-8 are refused with the place")
    func encodings() {
        let latin = SourceFile(path: "m.sdml", bytes: Array("{\n  \"".utf8) + [0xE9] + Array("\": 1 }".utf8))
        #expect(
            SDMLParser.parse([.init(models: latin)]).diagnostics.map(\.description) == [
                "m.sdml:2:4: error: The file is not UTF-8 from here on. Save it as UTF-8."
            ]
        )
        let utf16 = SourceFile(path: "m.sdml", bytes: [0xFF, 0xFE, 0x7B, 0x00])
        #expect(
            SDMLParser.parse([.init(models: utf16)]).diagnostics.map(\.description) == [
                "m.sdml:1:1: error: The file is UTF-16. Save it as UTF-8."
            ]
        )
    }

    @Test("values nested too deep are refused")
    func depth() {
        #expect(problems(String(repeating: "[", count: 100_000)).count == 1)
        #expect(problems(String(repeating: "{\"a\":", count: 100_000)).count == 1)
    }

    @Test("every prefix of a file is an error and none a crash")
    func prefixes() {
        let text =
            #"[{ "__modelname__": "M", "a": "D\u0061te", "b": [{ "__modelname__": "N", "é": "Name" }] }]"#
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count {
            let file = SourceFile(path: "m.sdml", bytes: Array(bytes[..<length]))
            #expect(SDMLParser.parse([.init(models: file)]).hasErrors)
        }
    }

    @Test("a byte that is changed anywhere crashes nothing")
    func mutations() {
        let text =
            #"[{ "__modelname__": "M", "a": "D\u0061te", "b": [{ "__modelname__": "N", "é": "Name" }] }]"#
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for byte in Array("\u{0}\n\"',:[\\]{}".utf8) + [0x80, 0xE2, 0xFF] {
                var changed = bytes
                changed[index] = byte
                let result = SDMLParser.parse([.init(models: SourceFile(path: "m.sdml", bytes: changed))])
                #expect(result.diagnostics.allSatisfy { $0.location.line >= 1 && $0.location.column >= 1 })
            }
        }
    }
}
