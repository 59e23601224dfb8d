import Foundation
import IndivoModel
import IndivoXML
import Testing

private let numberWithExponent = #"""
    {"__modelname__": "Fill", "pbm": "T\"1\\", "date": null, "dispenseDaysSupply": -1.50e+2, "x": true}
    """#

@Suite("SDMJ")
struct SDMJTests {
    private let json = """
        [{"__modelname__": "Medication", "__documentid__": "d-1", "drugName_title": "Aspirin \
        \\u00e9\\ud83d\\ude00", "startDate": null,
          "fulfillments": [{"__modelname__": "Fill", "dispenseDaysSupply": 30.0, \
        "provider_tel_1_preferred_p": true}], "zzz": "kept"}]
        """

    @Test("models, numbers, booleans, nulls, related models and unknown fields are read")
    func reading() throws {
        let file = try SDMXDocument(json: Data(json.utf8))
        let medication = try #require(file.models.first as? Medication)
        #expect(medication.id == "d-1")
        #expect(medication.drugName?.title == "Aspirin é😀")
        #expect(medication.startDate == nil)
        #expect(medication.fulfillments.first?.dispenseDaysSupply == 30)
        #expect(medication.fulfillments.first?.provider?.telephone1?.isPreferred == true)
        #expect(try file.xml().xml().contains("<Field name=\"zzz\">kept</Field>"))
    }

    @Test("JSON to XML to JSON keeps values, their digits and their order")
    func roundTrip() throws {
        let first = try SDMXDocument(json: Data(json.utf8)).json()
        let second = try SDMXDocument(json: first).json()
        #expect(first == second)
        let text = String(decoding: first, as: UTF8.self)
        #expect(text.contains("\"dispenseDaysSupply\": 30.0"))
        #expect(text.contains("\"provider_tel_1_preferred_p\": true"))
        #expect(text.contains("\"startDate\": null"))
    }

    @Test(
        "what is no SDMJ is refused with the place",
        arguments: [
            ("[{\"__modelname__\": \"Fill\" \"pbm\": 1}]", "line 1, column 27"),
            ("[{\"__modelname__\": \"Fill\",\n \"pbm\": \"x]", "line 2, column 9"),
            ("[{\" __modelname__\": \"Fill\"}]", "[0]: the model has no “__modelname__”"),
            (
                "[{\"__modelname__\": \"Fill\", \"a\": [1]}]",
                "line 1, column 34: [0].a[0]: expected a model (an object), found a number"
            ),
            ("", "line 1, column 1"), ("[01]", "line 1, column 2"), ("[{}] x", "line 1, column 6"),
            ("\"x\"", "expected a list of models"), ("[\"\\ud800\"]", "surrogate"),
            ("{\"a\": tru}", "line 1, column 7"),
        ]
    )
    func refused(text: String, place: String) throws {
        let error = try #require(throws: SDMJError.self) { try SDMXDocument(json: Data(text.utf8)) }
        #expect(error.description.contains(place), "\(error)")
    }

    @Test(
        "what XML cannot carry is refused with position and character, wherever it is",
        arguments: [
            (#"[{"__modelname__": "Fill",\n "pbm": "a\u0001b"}]"#, 2, 9, "[0].pbm", "character 2 is U+0001"),
            (
                #"[{"__modelname__": "Fill", "b": [{"__modelname__": "C", "d": "\u000b"}]}]"#, 1, 62,
                "[0].b[0].d", "U+000B"
            ),
            (#"{"__modelname__": "Fill", "p\u001f": 1}"#, 1, 27, "[0].p\u{1F}", "character 2 is U+001F"),
            (#"[{"__modelname__": "F\u0000"}]"#, 1, 20, "[0].__modelname__", "character 2 is U+0000"),
            (#"[{"__modelname__": "F", "__documentid__": "\ufffe"}]"#, 1, 43, "[0].__documentid__", "U+FFFE"),
            (
                "[{\"__modelname__\": \"F\", \"long\": \"ab\u{FFFF}\"}]", 1, 33, "[0].long",
                "character 3 is U+FFFF"
            ),
        ]
    )
    func forbidden(text: String, line: Int, column: Int, path: String, reason: String) throws {
        let text = text.replacing(",\\n", with: ",\n")
        let error = try #require(throws: SDMJError.self) { try SDMXDocument(json: Data(text.utf8)) }
        #expect((error.line, error.column) == (line, column))
        #expect(error.path == path)
        #expect(error.reason.contains(reason), "\(error)")
    }

    @Test(
        "a text that is spelled as servers spell it and one that is not are read alike",
        arguments: [
            numberWithExponent,
            #"[{"__modelname__": "A", "__documentid__": "d", "b": [], "#
                + #""c": [{"__modelname__": "B", "d": "é 😀 \u00e9\n"}],"#
                + #""e": {"__modelname__": "C"}, "b": "", "long": "12345678901234567890 <&>"}, "#
                + #"{"__modelname__": "A"}]"#,
            "[]", " [ ] ", "[{\"__modelname__\":\"Fill\",\"pbm\":\"\u{7F}\"}]",
        ]
    )
    func spellings(text: String) throws {
        let escaped = text.replacing("\"__modelname__\"", with: "\"\\u005f_modelname__\"")
        let last = text.replacing(
            #"{"__modelname__": "Fill", "#,
            with: #"{"x": false, "__modelname__": "Fill", "#
        )
        let read = try canonical(text)
        #expect(try canonical(escaped) == read)
        #expect(try canonical(last).replacing("<Field name=\"x\">false</Field>", with: "") == read)
        #expect(throws: SDMJError.self) { try SDMXDocument(json: Data((text + "]").utf8)) }
    }

    private func canonical(_ json: String) throws -> String {
        String(decoding: try SDMXDocument(json: Data(json.utf8)).xml().canonical(), as: UTF8.self)
    }

    @Test("nesting without end is refused, not followed")
    func depth() {
        #expect(throws: SDMJError.self) {
            try SDMXDocument(json: Data(String(repeating: "[", count: 100_000).utf8))
        }
    }

    @Test(
        "every sample goes to SDMJ and back and still says the same",
        .enabled(if: Samples.areWanted, "no samples beside the package; name their folder in INDIVO_SAMPLES")
    )
    func samples() throws {
        for file in try Samples.files() {
            let root = try XMLNode(parsing: Data(contentsOf: file))
            guard root.name == "Models" else { continue }
            let document = try SDMXDocument(root)
            let again = try SDMXDocument(json: document.json())
            #expect(try fields(again.xml()) == fields(root), "\(file.pathComponents.suffix(2))")
        }
    }

    /// Every field's name and text, in order.
    private func fields(_ node: XMLNode) -> [String] {
        node.children().flatMap { child -> [String] in
            let text = child.name == "Field" && child.children().isEmpty ? "=" + child.text() : ""
            return ["\(child.name) \(child.attr("name") ?? "")\(text)"] + fields(child)
        }
    }
}
