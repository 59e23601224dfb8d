import IndivoModel
import IndivoXML
import SDML
import Testing

/// Runs the classes of `Generated/TestModels.swift`, which ``SnapshotTests`` compares with what the
/// generator writes.
@Suite("Generated classes, compiled")
struct GeneratedCodeTests {
    /// The fields that a schema says a model has in data.
    static func fields(of model: SDMLModel) -> [String: DataModel.FieldType] {
        var fields: [String: DataModel.FieldType] = [:]
        for leaf in model.fields.flatMap(\.leaves) {
            fields[leaf.name] =
                switch leaf.kind {
                case .string: .string
                case .number: .number
                case .boolean: .boolean
                case .day: .date
                case .dateTime: .dateTime
                }
        }
        return fields
    }

    /// The schema that the test models are generated from.
    static func testSchema() throws -> SDMLSchema {
        SDMLParser.parse(
            try ["everything", "oddities"].map { name in
                let text = try #require(read("\(testFolder)/Models/\(name).sdml"))
                let notes = read("\(testFolder)/Models/\(name).notes.json")
                return .init(
                    models: SourceFile(path: name, text: text),
                    notes: notes.map { SourceFile(path: "\(name) notes", text: $0) }
                )
            }
        ).schema
    }

    @Test("classes hold exactly the fields of their models, with their names and types")
    func shapes() throws {
        for (schema, shapes) in [
            (try Self.testSchema(), IndivoDocument.testModels.map { DataModel($0) }),
            (try CoreModelTests.parse(), DataModel.core),
        ] {
            #expect(Set(shapes.map(\.name)) == Set(schema.models.map(\.name)))
            #expect(!shapes.isEmpty)
            for shape in shapes {
                let model = try #require(schema.model(named: shape.name))
                let fields = Dictionary(uniqueKeysWithValues: shape.fields.map { ($0.name, $0.type) })
                #expect(fields == Self.fields(of: model), "\(shape.name)")
                let relations = model.fields.compactMap { field -> DataModel.Relation? in
                    switch field.type {
                    case .value: nil
                    case .one(let name): DataModel.Relation(name: field.name, isList: false, model: name)
                    case .many(let name): DataModel.Relation(name: field.name, isList: true, model: name)
                    }
                }
                #expect(shape.relations == relations, "\(shape.name)")
            }
        }
    }

    @Test("a document of odd names is written under the names of data, and read back")
    func oddNames() throws {
        let odd = Odd()
        odd.testName = "a"
        odd.testName2 = "b"
        odd._2ndOpinion = "c"
        odd.größe = 1.5
        odd.mood😀 = "d"
        odd.oddInit = "e"
        odd.oddSelf = "f"
        odd.type = "g"
        odd.class = "h"
        odd.default = "i"
        odd.oddID = "j"
        odd.quoteD = "k"
        odd.backSlash = "l"
        odd.oddRelated = SleepNight()
        odd.oddRelated?.sleepNightID = "m"
        odd.times = [_2Fast(), _2Fast()]
        odd.times[1].x = "n"
        let xml = try odd.xml()
        let fields =
            xml.children(named: "Model").first?.children(named: "Field") ?? XMLNode("none").children()
        let texts = Dictionary(
            fields.map { ($0.attr("name") ?? "", $0.text()) },
            uniquingKeysWith: { first, _ in first }
        )
        for (name, text) in [
            "test-name": "a", "test_name": "b", "2nd opinion": "c", "mood 😀": "d", "init": "e", "self": "f",
            "Type": "g",
            "class": "h", "default": "i", "id": "j", "quote\"d": "k", "back\\slash": "l", "related": "m",
            "times": "n",
        ] {
            #expect(texts[name] == text, "\(name)")
        }
        let back = try Odd.read(from: xml)
        #expect(back.hasSameContent(as: odd))
        #expect(back.id == nil)
    }

    @Test("a document with fields of every type, relations and nesting comes back as it was")
    func everything() throws {
        let all = Everything()
        all.string = "text"
        all.number = 1.5
        all.date = try XMLDateTime(lexical: "2026-11-21T10:00:00Z")
        all.day = try XMLDate(lexical: "2026-11-21")
        all.codedValue = CodedValue(title: "t", system: nil, identifier: "1")
        all.part = Piece()
        all.part?.label = "part"
        all.part?.whole = Everything()
        all.part?.whole?.string = "inner"
        all.extras = [Piece(), Piece()]
        all.extras[1].label = "second"
        let parent = Everything()
        parent.number = 2
        all.parents = [parent]
        let back = try Everything.read(from: all.xml())
        #expect(back.hasSameContent(as: all))
        #expect(back.part?.whole?.string == "inner")
        #expect(back.extras.map(\.label) == [nil, "second"])
        #expect(back.parents.first?.number == 2)
    }

    @Test("fields are read under their former names")
    func formerNames() throws {
        let all = try Everything.read(
            from: XMLNode(
                parsing: """
                    <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Everything">
                    <Field name="words">old</Field><Field name="date_of_it">2001-02-03</Field></Model></Models>
                    """
            )
        )
        #expect(all.string == "old")
        #expect(all.day?.lexical == "2001-02-03")
    }
}
