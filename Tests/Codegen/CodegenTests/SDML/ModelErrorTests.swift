import SDML
import Testing

@Suite("Errors of models")
struct ModelErrorTests {
    static let faults: [(text: String, problems: [String])] = [
        (
            #"{ "a": "String" }"#,
            ["m.sdml:1:1: error: This model has no name: it needs '\"__modelname__\": \"…\"'."]
        ),
        (
            #"{ "_modelname_": "M" }"#,
            [
                """
                m.sdml:1:1: error: This model has no name: it needs '"__modelname__": "…"'. Is '_modelname_' \
                meant to be \
                it?
                """,
                """
                m.sdml:1:18: error: SDML has no type 'M'. Its types are String, Number, Date, CodedValue, \
                ValueAndUnit, \
                ValueRange, QuantitativeResult, Address, Organization, Pharmacy, Name, Telephone, Provider, \
                VitalSign, \
                BloodPressure.
                """,
            ]
        ),
        (#"{ "__modelname__": "" , "a": "Date" }"#, ["m.sdml:1:20: error: The model's name is empty."]),
        (
            #"{ "__modelname__": 5 , "a": "Date" }"#,
            ["m.sdml:1:20: error: The model's name must be a string; this is the number 5."]
        ),
        (
            #"{ "__modelname__": "M", "b": [{ "a": "Date" }] }"#,
            ["m.sdml:1:31: error: This model has no name: it needs '\"__modelname__\": \"…\"'."]
        ),
        (
            #"{ "__modelname__": "M", "b": { "a": "Date" } }"#,
            ["m.sdml:1:30: error: This model has no name: it needs '\"__modelname__\": \"…\"'."]
        ),
        (
            #"{ "__modelname__": "M", "a": "string" }"#,
            ["m.sdml:1:30: error: SDML has no type 'string'. Did you mean 'String'?"]
        ),
        (
            #"{ "__modelname__": "M", "a": "CodedValeu" }"#,
            ["m.sdml:1:30: error: SDML has no type 'CodedValeu'. Did you mean 'CodedValue'?"]
        ),
        (
            #"{ "__modelname__": "M", "a": "Boolean" }"#,
            [
                """
                m.sdml:1:30: error: SDML has no type 'Boolean'; use 'String' with the texts true and false, \
                or a \
                'CodedValue'.
                """
            ]
        ),
        (
            #"""
            { "__modelname__": "M", "a": [{ "__modelname__": "A", "x": "Date" }, \#
            { "__modelname__": "B", "x": "Date" }] }
            """#,
            [
                """
                m.sdml:1:70: error: The list of 'a' must hold exactly one model, the one it is a list of; it \
                holds 2.
                """
            ]
        ),
        (
            #"{ "__modelname__": "M", "a": ["String"] }"#,
            [
                """
                m.sdml:1:31: error: A list is one of models, '[ { … } ]'; this is a string. SDML has no \
                lists of values: \
                make a model with one field.
                """
            ]
        ),
        (
            #"{ "__modelname__": "M", "a": null, "b": true }"#,
            [
                """
                m.sdml:1:30: error: The type of 'a' must be the name of a type in quotation marks, a model, \
                or a list of \
                one model; this is null.
                """,
                """
                m.sdml:1:41: error: The type of 'b' must be the name of a type in quotation marks, a model, \
                or a list of \
                one model; this is true.
                """,
            ]
        ),
        (
            "{ \"__modelname__\": \"M\",\n\"a\": \"Date\",\n\"a\": \"Date\" }",
            ["m.sdml:3:1: error: 'a' was said before, in line 2: a server would silently take only the last."]
        ),
        (
            #"{ "__modelname__": "M", "a": "Date", "__documentid__": "String" }"#,
            ["m.sdml:1:38: error: '__documentid__' belongs into data (SDMJ), not into a model. Remove it."]
        ),
        (#"{ "__modelname__": "M", "": "Date" }"#, ["m.sdml:1:25: error: A field needs a name."]),
        ("[]", ["m.sdml:1:1: error: The list is empty: it needs at least one model, '{ … }'."]),
        (#"["M"]"#, ["m.sdml:1:2: error: A model is an object, '{ … }'; this is a string."]),
        (
            #"{ "__modelname__": "Night", "p": [{ "__modelname__": "Nihgt" }] }"#,
            ["m.sdml:1:35: error: No model 'Nihgt' is defined in these files. Did you mean 'Night'?"]
        ),
        (
            #"[{ "__modelname__": "M", "a": "Date" }, { "__modelname__": "M", "a": "Date" }]"#,
            ["m.sdml:1:41: error: The model 'M' is defined already at m.sdml:1:2. Remove one of them."]
        ),
        (
            #"""
            [{ "__modelname__": "M", "a": "Date" }, \#
            { "__modelname__": "N", "m": { "__modelname__": "M", "a": "Name" } }]
            """#,
            [
                "m.sdml:1:70: error: The model 'M' is defined differently at m.sdml:1:2 (field 'a'). "
                    + """
                    Make them alike, or leave only '\"__modelname__\": \"M\"' in one to refer to the \
                    other.
                    """
            ]
        ),
    ]

    @Test("a fault is reported at its place", arguments: faults)
    func fault(text: String, problems expected: [String]) {
        #expect(problems(text) == expected)
    }

    static let oddities: [(text: String, problems: [String])] = [
        (
            #"{ " __modelname__": "M", "a ": "Date" }"#,
            [
                """
                m.sdml:1:3: warning: ' __modelname__' is read as '__modelname__': a server takes the blanks \
                as part of \
                it. Remove them.
                """,
                """
                m.sdml:1:26: warning: 'a ' is read as 'a': a server takes the blanks as part of it. Remove \
                them.
                """,
            ]
        ),
        (
            #"{ "__modelname__": "M", "test-name": "Date" }"#,
            [
                """
                m.sdml:1:25: warning: The name 'test-name' is no ASCII identifier, as an Indivo server needs \
                for a field.
                """
            ]
        ),
        (
            #"{ "__modelname__": "M", "a": "CodedValue", "a_title": "String" }"#,
            [
                """
                m.sdml:1:44: warning: In data, 'a_title' and 'a' both use the name 'a_title': rename one of \
                them.
                """
            ]
        ),
        (#"{ "__modelname__": "M" }"#, ["m.sdml:1:1: warning: The model 'M' has no fields."]),
        (
            #"[{ "__modelname__": "M", "a": "Date" }, { "__modelname__": "m", "a": "Date" }]"#,
            [
                """
                m.sdml:1:41: warning: The models 'M' and 'm' differ only in letter case: a server has one \
                report for \
                both.
                """
            ]
        ),
    ]

    @Test("an oddity is a warning, and the models are there", arguments: oddities)
    func oddity(text: String, problems expected: [String]) {
        #expect(problems(text) == expected)
        #expect(parse(text).schema.models.isEmpty == false)
    }

    @Test("problems of all files are reported in one run, ordered by file and place")
    func allFiles() {
        let files = ["b.sdml", "a.sdml"].map { path in
            SDMLParser.Input(
                models: SourceFile(
                    path: path,
                    text: "{\n\"__modelname__\": \"\(path.prefix(1))\",\n\"x\": \"Daet\" }"
                )
            )
        }
        #expect(
            SDMLParser.parse(files).diagnostics.map(\.description) == [
                "a.sdml:3:6: error: SDML has no type 'Daet'. Did you mean 'Date'?",
                "b.sdml:3:6: error: SDML has no type 'Daet'. Did you mean 'Date'?",
            ]
        )
    }
}
