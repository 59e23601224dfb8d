import SDML
import Testing

@Suite("Models")
struct ModelTests {
    @Test("a model has its name and its fields in the order of the file")
    func fields() throws {
        let result = parse(
            """
            { "__modelname__": "SleepNight", "started": "Date", "score": "Number", "device": "CodedValue" }
            """
        )
        #expect(result.diagnostics.isEmpty)
        let model = try #require(result.schema.models.first)
        #expect(model.name == "SleepNight")
        #expect(model.fields.map(\.name) == ["started", "score", "device"])
        #expect(model.fields.map(\.type) == [.value(.date), .value(.number), .value(.codedValue)])
    }

    @Test("the name of a model may stand anywhere in it")
    func nameLast() {
        #expect(parse(#"{ "a": "String", "__modelname__": "M" }"#).schema.models.map(\.name) == ["M"])
    }

    @Test("every type that SDML names is known", arguments: SDMLType.allCases)
    func types(type: SDMLType) {
        let result = parse(#"{ "__modelname__": "M", "f": "\#(type.rawValue)" }"#)
        #expect(result.diagnostics.isEmpty)
        #expect(result.schema.models.first?.fields.first?.type == .value(type))
    }

    @Test("there are fifteen types")
    func typeCount() {
        #expect(SDMLType.allCases.count == 15)
    }

    @Test("a nested object is a model of its own and a relation to one object")
    func oneToOne() {
        let schema = parse(#"{ "__modelname__": "A", "b": { "__modelname__": "B", "x": "String" } }"#).schema
        #expect(schema.models.map(\.name) == ["A", "B"])
        #expect(schema.model(named: "A")?.fields.map(\.type) == [.one("B")])
    }

    @Test("a list of one object is a model of its own and a relation to many objects")
    func oneToMany() {
        let schema = parse(#"{ "__modelname__": "A", "b": [{ "__modelname__": "B", "x": "String" }] }"#)
            .schema
        #expect(schema.models.map(\.name) == ["A", "B"])
        #expect(schema.model(named: "A")?.fields.map(\.type) == [.many("B")])
    }

    @Test("a list at the top holds independent models")
    func list() {
        let schema = parse(
            #"[{ "__modelname__": "B", "x": "String" }, { "__modelname__": "A", "y": "Date" }]"#
        ).schema
        #expect(schema.models.map(\.name) == ["A", "B"])
    }

    @Test("an object with nothing but a name refers to a model, even to the one around it")
    func references() {
        let result = parse(
            """
            [{ "__modelname__": "Person", "name": "Name",
               "mother": { "__modelname__": "Person" }, "children": [{ "__modelname__": "Person" }],
               "house": { "__modelname__": "House" } },
             { "__modelname__": "House", "adr": "Address" }]
            """
        )
        #expect(result.diagnostics.isEmpty)
        #expect(
            result.schema.model(named: "Person")?.fields.map(\.type)
                == [.value(.name), .one("Person"), .many("Person"), .one("House")]
        )
    }

    @Test("a model of another file can be referred to, in whatever order the files come")
    func acrossFiles() {
        let a = SDMLParser.Input(
            models: SourceFile(
                path: "a.sdml",
                text: #"{ "__modelname__": "A", "b": { "__modelname__": "B" } }"#
            )
        )
        let b = SDMLParser.Input(
            models: SourceFile(path: "b.sdml", text: #"{ "__modelname__": "B", "x": "String" }"#)
        )
        let result = SDMLParser.parse([a, b])
        #expect(result.diagnostics.isEmpty)
        #expect(result.schema.models.map(\.fileName) == ["a.sdml", "b.sdml"])
        #expect(SDMLParser.parse([b, a]).schema == result.schema)
    }

    @Test("a model defined elsewhere can be referred to when its name is given")
    func external() {
        let input = SDMLParser.Input(
            models: SourceFile(
                path: "a.sdml",
                text: #"""
                    { "__modelname__": "A", "m": { "__modelname__": "Medication" } }
                    """#
            )
        )
        #expect(SDMLParser.parse([input]).hasErrors)
        #expect(SDMLParser.parse([input], externalModels: ["Medication"]).diagnostics.isEmpty)
    }

    @Test("a nested definition may be repeated as long as it says the same, in any order")
    func repetition() {
        let result = parse(
            """
            { "__modelname__": "A",
              "first": { "__modelname__": "B", "x": "String", "y": "Date" },
              "second": [{ "__modelname__": "B", "y": "Date", "x": "String" }] }
            """
        )
        #expect(result.diagnostics.isEmpty)
        #expect(result.schema.models.map(\.name) == ["A", "B"])
    }

    @Test("the example of SDML's description is read without a problem")
    func example() {
        let result = parse(
            """
            { "__modelname__": "SleepNight", "started": "Date", "ended": "Date", "score": "Number",
            "device": "CodedValue",
              "phases": [ { "__modelname__": "SleepPhase", "kind": "String", "duration": "ValueAndUnit" } ] }
            """
        )
        #expect(result.diagnostics.isEmpty)
        #expect(result.schema.models.map(\.name) == ["SleepNight", "SleepPhase"])
    }

    @Test("escapes in names are understood")
    func escapes() {
        let schema = parse(#"{ "__modelname__": "\u0041", "caf\u00e9 \ud83d\ude00": "String" }"#).schema
        #expect(schema.models.first?.name == "A")
        #expect(schema.models.first?.fields.first?.name == "café 😀")
    }
}
