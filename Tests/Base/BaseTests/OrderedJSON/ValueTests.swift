import OrderedJSON
import Testing

@Suite("JSON values")
struct ValueTests {
    private let patient = try? JSONValue(
        parsing: """
            {
              "resourceType": "Patient",
              "active": true,
              "name": [ { "family": "Müller", "given": ["Änne", "\\u004d\\u00e9\\ud83d\\ude00"] }, {} ],
              "weight": 70.50,
              "count": -12,
              "deceased": null,
              "a": 1, "a": 2
            }
            """
    )

    @Test("members keep their order, and repeated ones are all there")
    func order() throws {
        let members = try #require(patient?.members)
        #expect(
            members.map(\.name) == [
                "resourceType", "active", "name", "weight", "count", "deceased", "a", "a",
            ]
        )
        #expect(members.count == 8)
        #expect(members.compactMap(\.value.integer) == [-12, 1, 2])
    }

    @Test("of members with the same name the last is the value")
    func lastWins() throws {
        #expect(patient?["a"]?.integer == 2)
        #expect(patient?.member("a")?.integer == 2)
    }

    @Test("each kind answers to its own accessor, and to no other")
    func kinds() throws {
        let values: [(String, JSONValue.Kind)] = [
            ("null", .null), ("true", .boolean), ("1.0", .number), ("\"1\"", .string), ("[1]", .array),
            ("{\"a\":1}", .object),
        ]
        for (text, kind) in values {
            let parsed = try JSONValue(parsing: text)
            var made = parsed
            switch kind {
            case .null: made = .null
            case .boolean: made = true
            case .number: made = try #require(JSONValue(number: "1.0"))
            case .string: made = "1"
            case .array: made = [1]
            case .object: made = ["a": 1]
            }
            for value in [parsed, made] {
                #expect(value.kind == kind)
                #expect(value.isNull == (kind == .null))
                #expect(value.boolean == (kind == .boolean ? true : nil))
                #expect(value.number == (kind == .number ? "1.0" : nil))
                #expect(value.string == (kind == .string ? "1" : nil))
                #expect((value.elements != nil) == (kind == .array))
                #expect((value.members != nil) == (kind == .object))
                #expect((value["a"] != nil) == (kind == .object))
                #expect((value[0] != nil) == (kind == .array))
                #expect((value.withUTF8 { $0.count } != nil) == (kind == .number || kind == .string))
                #expect(value.isString("1") == (kind == .string))
                #expect(value.text() == text)
            }
        }
    }

    @Test("text is decoded with its escapes, in names as in values")
    func escapes() throws {
        #expect(patient?["name"]?[0]?["given"]?.elements?.compactMap(\.string) == ["Änne", "Mé😀"])
        let value = try JSONValue(parsing: #"{"\u0061\n": 1, "a\n": 2, "a\\n": 3}"#)
        #expect(value["a\n"]?.integer == 2)
        #expect(value["a\\n"]?.integer == 3)
        #expect(value.member("a\\n")?.integer == 3)
        #expect(value.members?.map(\.name) == ["a\n", "a\n", "a\\n"])
    }

    @Test("names are compared as bytes: the two spellings of é are two names")
    func bytewise() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\": 1, \"e\u{301}\": 2}")
        #expect(value["\u{E9}"]?.integer == 1)
        #expect(value["e\u{301}"]?.integer == 2)
        #expect(JSONValue("\u{E9}") != JSONValue("e\u{301}"))
        var edited = value
        edited["\u{E9}"] = 3
        #expect(edited.text() == "{\"\u{E9}\":3,\"e\u{301}\":2}")
    }

    @Test(
        "integers are read where they fit",
        arguments: [
            ("0", 0), ("-0", 0), ("12", 12), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil),
            ("99999999999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func integers(text: String, expected: Int?) throws {
        #expect(try JSONValue(parsing: text).integer == expected)
        #expect(JSONValue(number: text)?.integer == expected)
    }

    @Test("doubles are read from any number")
    func doubles() throws {
        #expect(patient?["weight"]?.double == 70.5)
        #expect(patient?["weight"]?.number == "70.50")
        #expect(try JSONValue(parsing: "1e999").double == .infinity)
        for (double, text) in [
            (0.1, "0.1"), (2, "2"), (1e300, "1e+300"), (-0.0, "-0"), (2.5e-300, "2.5e-300"),
        ] {
            #expect(JSONValue(double)?.number == text)
        }
        #expect(JSONValue(Double.infinity) == nil)
        #expect(JSONValue(Double.nan) == nil)
    }

    @Test("every value knows where it is in the text")
    func locations() throws {
        let patient = try #require(patient)
        #expect(patient.location?.description == "1:1")
        #expect(patient["active"]?.location?.description == "3:13")
        let given = try #require(patient["name"]?[0]?["given"])
        #expect(given.location?.description == "4:44")
        #expect(given[1]?.location?.description == "4:53")
        let table = try #require(JSONLineTable(textOf: patient))
        for member in patient.members ?? [] {
            #expect(table.location(of: member.value) == member.value.location)
            #expect(table.location(ofNameOf: member) == member.nameValue.location)
        }
        #expect(table.location(of: try JSONValue(parsing: "1")) == nil)
        #expect(JSONValue("made").location == nil)
        #expect(JSONLineTable(textOf: "made") == nil)
    }

    @Test("a table finds columns in a long line, in scalars")
    func longLines() throws {
        let texts = (0..<500).map { "\"\(String(repeating: "ä😀", count: $0 % 7))\"" }
        let value = try JSONValue(
            parsing: "\u{FEFF}[" + texts.joined(separator: ",") + ",\r\n[" + texts.joined(separator: ", ")
                + "]]"
        )
        let table = try #require(JSONLineTable(textOf: value))
        let inner = try #require(value[500]?.elements)
        for element in Array(try #require(value.elements)) + Array(inner) {
            #expect(table.location(of: element) == element.location)
        }
        #expect(value[500]?.location?.line == 2)
    }

    @Test("a table finds lines of all three ends, wherever its marks are", arguments: 0..<8)
    func lineEnds(shift: Int) throws {
        let spaces = ["\r", "\n", "\r\n", "\r\r\n", "\n\r", " ", ""]
        let texts = (0..<4_000).map { spaces[($0 * 5 + $0 / 11) % spaces.count] + "\($0 % 13)" }
        let value = try JSONValue(
            parsing: String(repeating: " ", count: shift) + "[" + texts.joined(separator: ",") + "\r]"
        )
        let table = try #require(JSONLineTable(textOf: value))
        for element in try #require(value.elements) {
            #expect(table.location(of: element) == element.location)
        }
    }

    @Test("the range of each value's text is its text")
    func sourceRanges() throws {
        let text = Array(
            #" { "a" : [ 1 , [ ] , { "b" : { } } ] , "c" : "d\n" , "e" : [ [ [ true ] ] ] } "#.utf8
        )
        var values = [try JSONValue(parsing: text)]
        var count = 0
        while let value = values.popLast() {
            let range = try #require(value.sourceRange)
            #expect(try JSONValue(parsing: text[range]) == value)
            #expect(text[range].first != 0x20 && text[range].last != 0x20)
            values += value.members?.map(\.value) ?? []
            values += value.elements.map(Array.init) ?? []
            count += 1
        }
        #expect(count == 11)
    }

    @Test("values go between tasks")
    func sendable() async throws {
        let patient = try #require(patient)
        let names = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { patient["name"]?[0]?["family"]?.string } }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(names == ["Müller"])
    }
}
