import OrderedJSON
import Testing

@Suite("Parsing JSON")
struct ParsingTests {
    @Test(
        "what RFC 8259 allows is parsed, and written as it was",
        arguments: [
            "null", "true", "false", "0", "-0", "0.0", "1.10", "1e2", "1E+2", "1e-07", "-12.50E10",
            "0.00000001",
            "123456789012345678901234567890.123456789", "1e999999", "\"\"", "\"a\"", "\"é€😀\"", "[]", "{}",
            "[[]]", "[{}]",
            "{\"\":{}}", "{\"a\":[1,2,{\"b\":null}],\"c\":\"d\"}", "{\"a\":1,\"a\":2}",
            "[\"\\u0000\\u001F\"]",
            "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "\"\\uD83D\\uDE00\"", "\"\u{7F}\u{80}\u{FFFF}\u{10FFFF}\"",
            "[true,false,null]",
        ]
    )
    func accepted(text: String) throws {
        #expect(try JSONValue(parsing: text).text() == text)
        #expect(try JSONValue(parsing: " \t\r\n\(text)\n ").text() == text)
    }

    @Test(
        "what is no JSON is refused, with the reason and the location",
        arguments: [
            ("", JSONError.Reason.empty, "1:1"), (" \n ", .empty, "2:2"), ("{", .unexpectedEnd, "1:2"),
            ("[1,]", .expectedValue, "1:4"), ("[,1]", .expectedValue, "1:2"), ("{,}", .expectedName, "1:2"),
            ("{\"a\":1,}", .expectedName, "1:8"), ("{a:1}", .expectedName, "1:2"),
            ("{\"a\" 1}", .expectedColon, "1:6"),
            ("{\"a\":}", .expectedValue, "1:6"), ("[1 2]", .expectedCommaOrEnd, "1:4"),
            ("[1}", .expectedCommaOrEnd, "1:3"), ("{\"a\":1]", .expectedCommaOrEnd, "1:7"),
            ("1 1", .trailingText, "1:3"),
            ("{}}", .trailingText, "1:3"), ("nul", .expectedValue, "1:1"), ("nulL", .expectedValue, "1:1"),
            ("fals", .expectedValue, "1:1"), ("truex", .trailingText, "1:5"), ("True", .expectedValue, "1:1"),
            ("NaN", .expectedValue, "1:1"), ("'a'", .expectedValue, "1:1"),
            ("// a\n1", .expectedValue, "1:1"),
            ("[1\u{A0}]", .expectedCommaOrEnd, "1:3"), ("1\u{0C}", .trailingText, "1:2"),
            ("\u{0}", .expectedValue, "1:1"),
            ("1\u{0}", .trailingText, "1:2"), ("\"a\u{0}b\"", .controlCharacter, "1:3"),
            ("\"a\u{1F}\"", .controlCharacter, "1:3"), ("\"a\nb\"", .controlCharacter, "1:3"),
            ("\"12345678901234567\tb\"", .controlCharacter, "1:19"), ("\"abc", .unterminatedString, "1:1"),
            ("\"abc\\", .unterminatedString, "1:1"), ("\"\\x\"", .invalidEscape, "1:2"),
            ("\"\\u12\"", .invalidEscape, "1:2"),
            ("\"\\u12G4\"", .invalidEscape, "1:2"), ("\"\\U0041\"", .invalidEscape, "1:2"),
            ("\"\\uD800\"", .loneSurrogate, "1:2"), ("\"\\uDC00\"", .loneSurrogate, "1:2"),
            ("\"\\uD800x\"", .loneSurrogate, "1:2"), ("\"\\uD800\\n\"", .loneSurrogate, "1:2"),
            ("\"\\uD800\\uD800\"", .loneSurrogate, "1:2"), ("{\"a\":\n  \"é\", b}", .expectedName, "2:8"),
            ("{\"a\":\r\n  \"é\", b}", .expectedName, "2:8"), ("{\"a\":\r  \"é\", b}", .expectedName, "2:8"),
            ("\u{FEFF}[x]", .expectedValue, "1:2"), ("\u{FEFF}", .empty, "1:1"),
            ("1\u{FEFF}", .trailingText, "1:2"),
        ]
    )
    func refused(text: String, reason: JSONError.Reason, location: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == reason)
        #expect(error?.location.description == location)
    }

    @Test(
        "numbers that JSON writes otherwise are refused",
        arguments: [
            "01", "-01", "00", "1.", ".5", "-.5", "-", "+1", "1e", "1e+", "1.e1", "1.2.3", "0x10", "1a",
            "--1", "1-", "-Infinity",
            "1e1.5", "1_000", "٣",
        ]
    )
    func wrongNumbers(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[\(text)]") }
        #expect(JSONValue(number: text) == nil)
    }

    @Test(
        "bytes that are not UTF-8 are refused at the first wrong one",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]]
    )
    func invalidUTF8(bytes: [UInt8]) {
        for prefix in ["", "abc", "12345678", "é", "\\n"] {
            let text = Array("\"\(prefix)".utf8) + bytes + Array("\"".utf8)
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.reason == .invalidUTF8)
            #expect(error?.location.offset == 1 + prefix.utf8.count)
        }
    }

    @Test("every scalar of Unicode is allowed in a string, and only those")
    func everyScalar() throws {
        for number in stride(from: UInt32(0x20), through: 0x10_FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(number), scalar != "\"", scalar != "\\" else { continue }
            let text = "\"\(Character(scalar))\""
            #expect(try JSONValue(parsing: text).string?.unicodeScalars.elementsEqual([scalar]) == true)
        }
    }

    @Test("a text in UTF-16 is refused")
    func utf16() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0xFF, 0xFE, 0x5B, 0, 0x5D, 0] as [UInt8]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x5B, 0, 0x5D, 0] as [UInt8]) }
    }

    @Test("a byte order mark is dropped")
    func byteOrderMark() throws {
        let value = try JSONValue(parsing: "\u{FEFF} [1]")
        #expect(value.text() == "[1]")
        #expect(value.location?.description == "1:2")
        #expect(JSONLineTable(textOf: value)?.location(of: value)?.description == "1:2")
    }

    @Test("an error says nothing of what the text holds")
    func errorsAreDiscreet() {
        for text in ["{\"secret\": SECRET}", "{\"secret\" \"SECRET\"}", "[\"SECRET\\q\"]", "[1SECRET]"] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.description.lowercased().contains("secret") == false)
        }
    }

    // MARK: Limits

    @Test("nesting is limited")
    func depth() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try JSONValue(parsing: deep).text() == deep)
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: String(repeating: "[{\"a\":", count: 100_000))
        }
        #expect(error?.reason == .tooDeep(limit: 512))
        #expect(error?.location.offset == 256 * 6)
        var limits = JSONLimits()
        limits.depth = 1
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[[]]", limits: limits) }
        #expect(throws: Never.self) { try JSONValue(parsing: "[]", limits: limits) }
    }

    @Test("depth is counted by what is open, not by what has been opened")
    func manySiblings() throws {
        let text = "[" + Array(repeating: "[{}]", count: 10_000).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: text).elements?.count == 10_000)
    }

    @Test("bytes, values and digits are limited")
    func sizes() throws {
        var limits = JSONLimits()
        limits.bytes = 5
        #expect(throws: Never.self) { try JSONValue(parsing: "[1,2]", limits: limits) }
        var error = #expect(throws: JSONError.self) { try JSONValue(parsing: "[1,2] ", limits: limits) }
        #expect(error?.reason == .tooLong(limit: 5))

        limits = JSONLimits()
        limits.nodes = 10
        let numbers = "[" + Array(repeating: "1", count: 11).joined(separator: ",") + "]"
        error = #expect(throws: JSONError.self) { try JSONValue(parsing: numbers, limits: limits) }
        #expect(error?.reason == .tooManyNodes(limit: 10))

        error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "[\(String(repeating: "9", count: 1_025))]")
        }
        #expect(error?.reason == .numberTooLong(limit: 1_024))
        #expect(error?.location.offset == 1)
    }

    @Test(
        "the parser is right at every length around the eight bytes that it loads at once",
        arguments: 0..<40
    )
    func lengths(length: Int) throws {
        let text = String(repeating: "a", count: length)
        for (source, expected) in [
            (text, text), (text + "é", text + "é"), (text + "\\n", text + "\n"),
            (text + "\\u00e9" + text, text + "é" + text),
            (text + "😀" + text, text + "😀" + text),
        ] {
            #expect(try JSONValue(parsing: "\"\(source)\"").string == expected)
            let spaces = String(repeating: " ", count: length)
            let value = try JSONValue(
                parsing: "\(spaces){\(spaces)\"\(source)\"\(spaces):\(spaces)\"\(source)\"}\(spaces)"
            )
            #expect(value[expected]?.string == expected)
            #expect(throws: JSONError.self) { try JSONValue(parsing: "\"\(source)") }
        }
        #expect(
            try JSONValue(parsing: "[1\(String(repeating: "0", count: length))]")[0]?.number?.count == length
                + 1
        )
    }
}
