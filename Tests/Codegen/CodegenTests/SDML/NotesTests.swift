import SDML
import Testing

@Suite("Notes")
struct NotesTests {
    static let models = """
        { "__modelname__": "M", "text": "String", "when": "Date", "code": "CodedValue", "pressure": \
        "BloodPressure",
          "weight": "VitalSign", "others": [{ "__modelname__": "N", "x": "Number" }] }
        """

    @Test("what notes say is in the models")
    func content() throws {
        let result = parse(
            Self.models,
            notes: """
                { "M": { "documentation": "An M.", "swiftName": "Em", "fields": {
                    "text": { "documentation": "Words.", "required": true, "maxLength": 40, "formerly": \
                "words" },
                    "when": { "type": "day", "formerly": ["date", "time"] },
                    "code": { "system": "RxNorm", "valueSet": ["1", "2"] },
                    "weight": { "system": "LOINC", "valueSet": { "3141-9": "weight" }, "unit": "kg" },
                    "pressure": { "parts": { "systolic": { "unit": "mm[Hg]" },
                    "site": { "system": "http://x.org/" } } },
                    "others": { "documentation": "The others.", "swiftName": "rest" } } },
                  "N": { "documentation": "An N.", "fields": { "x": { "unit": "m" } } } }
                """
        )
        #expect(result.diagnostics.isEmpty)
        let model = try #require(result.schema.model(named: "M"))
        #expect(model.notes == ModelNotes(documentation: "An M.", swiftName: "Em"))
        let notes = Dictionary(uniqueKeysWithValues: model.fields.map { ($0.name, $0.notes) })
        #expect(notes["text"]?.documentation == "Words.")
        #expect(notes["text"]?.isRequired == true)
        #expect(notes["text"]?.maximumLength == .limited(40))
        #expect(notes["text"]?.formerly == ["words"])
        #expect(notes["when"]?.isDay == true)
        #expect(notes["when"]?.formerly == ["date", "time"])
        #expect(notes["code"]?.codeSystem?.uri == "http://purl.bioontology.org/ontology/RXNORM/")
        #expect(notes["code"]?.valueSet == [AllowedValue(identifier: "1"), AllowedValue(identifier: "2")])
        #expect(notes["weight"]?.valueSet == [AllowedValue(identifier: "3141-9", title: "weight")])
        #expect(notes["weight"]?.unit == "kg")
        #expect(notes["pressure"]?.parts.map(\.name) == ["site", "systolic"])
        #expect(notes["pressure"]?.parts.first?.notes.codeSystem == SDMLCodeSystem(uri: "http://x.org/"))
        #expect(notes["pressure"]?.parts.last?.notes.unit == "mm[Hg]")
        #expect(notes["others"]?.swiftName == "rest")
        #expect(result.schema.model(named: "N")?.fields.first?.notes.unit == "m")
    }

    @Test("a length of null is no limit")
    func unlimited() {
        let result = parse(Self.models, notes: #"{ "M": { "fields": { "text": { "maxLength": null } } } }"#)
        #expect(result.schema.model(named: "M")?.fields.first?.notes.maximumLength == .unlimited)
    }

    static let faults: [(notes: String, problems: [String])] = [
        (#"{ "MM": {} }"#, ["m.notes.json:1:3: error: m.sdml defines no model 'MM'. Did you mean 'M'?"]),
        (
            #"{ "M": { "fields": { "txt": {} } } }"#,
            ["m.notes.json:1:22: error: The model 'M' has no field 'txt'. Did you mean 'text'?"]
        ),
        (
            #"{ "M": { "documentaton": "" } }"#,
            ["m.notes.json:1:10: error: Notes have no 'documentaton' here. Did you mean 'documentation'?"]
        ),
        (
            #"{ "M": { "fields": { "text": { "requird": true } } } }"#,
            ["m.notes.json:1:32: error: Notes have no 'requird' here. Did you mean 'required'?"]
        ),
        (
            #"{ "M": { "fields": { "text": { "required": "yes" } } } }"#,
            ["m.notes.json:1:44: error: 'required' must be true or false; this is a string."]
        ),
        (
            #"{ "M": { "fields": { "text": { "type": "day" } } } }"#,
            ["m.notes.json:1:32: error: 'type' can be said about a Date; 'text' is a String."]
        ),
        (
            #"{ "M": { "fields": { "when": { "type": "hour" } } } }"#,
            [#"m.notes.json:1:40: error: 'hour' is no refinement of a Date: it is a "day" or an "instant"."#]
        ),
        (
            #"{ "M": { "fields": { "text": { "maxLength": -1 } } } }"#,
            ["m.notes.json:1:45: error: -1 is no number of characters."]
        ),
        (
            #"{ "M": { "fields": { "code": { "system": "RxNrom" } } } }"#,
            [
                """
                m.notes.json:1:42: error: 'RxNrom' is neither the URI of a code system nor the title of a \
                known one. Did \
                you mean 'RxNorm'?
                """
            ]
        ),
        (
            #"{ "M": { "fields": { "pressure": { "parts": { "sistolic": {} } } } } }"#,
            [
                """
                m.notes.json:1:47: error: A BloodPressure has no part 'sistolic'; it has position, site, \
                method, \
                diastolic, systolic.
                """
            ]
        ),
        (
            #"{ "M": { "fields": { "others": { "unit": "kg", "parts": {} } } } }"#,
            [
                """
                m.notes.json:1:34: error: 'unit' can be said about a ValueAndUnit or VitalSign or Number; \
                'others' is a \
                relation.
                """,
                "m.notes.json:1:48: error: 'others' has no parts: only fields of compound types have.",
            ]
        ),
        (
            #"{ "M": { "swiftName": "a b" }, "M": {} }"#,
            [
                "m.notes.json:1:23: error: 'a b' is no name that Swift takes.",
                "m.notes.json:1:32: error: 'M' was said before, in line 1.",
            ]
        ),
        ("{ \"M\": {}", ["m.notes.json:1:1: error: This '{' is never closed: a '}' is missing."]),
        ("[]", ["m.notes.json:1:1: error: A notes file must be an object, '{ … }'; this is a list."]),
    ]

    @Test("a fault in notes is reported at its place", arguments: faults)
    func fault(notes: String, problems expected: [String]) {
        #expect(problems(Self.models, notes: notes) == expected)
    }

    @Test("notes are not blamed for what is broken in the models")
    func brokenModels() {
        #expect(problems("{", notes: #"{ "M": { "fields": { "text": {} } } }"#).count == 1)
    }
}
