import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("Servers' answers")
struct AnswerTests {
    private let manifest = """
        {"id": "list@apps.example.org", "name": "List", "description": "Shows \\"all\\" medications", "mode": "ui",
         "requires": {"http://smartplatforms.org/terms#Medication": {"methods": ["GET", "PUT"], "more": 1},
                      "http://smartplatforms.org/terms#Problem": {"methods": []}},
         "has_ui": true, "frameable": false, "indivo_version": null, "oauth_callback_url": "", "rating": 4.50}
        """

    @Test("an app's manifest is read from JSON by reflection, the map of what it requires included")
    func readsManifest() throws {
        let app = try AppManifest.read(json: Data(manifest.utf8))
        #expect(app.id == "list@apps.example.org")
        #expect(app.details == "Shows \"all\" medications")
        #expect(app.mode == .ui)
        #expect(
            app.requirements == [
                .init(type: "http://smartplatforms.org/terms#Medication", methods: ["GET", "PUT"]),
                .init(type: "http://smartplatforms.org/terms#Problem", methods: []),
            ])
        #expect(app.hasUI == true && app.isFrameable == false)
        #expect(app.indivoVersion == nil && app.callbackURL == nil && app.smartVersion == nil)
    }

    @Test("a manifest that was not changed is written as it was, unknown members and numbers' digits included")
    func keepsManifest() throws {
        let source = Data(manifest.utf8)
        let written = try AppManifest.read(json: source).json(updating: source)
        #expect(try plain(written) == plain(source))
        #expect(String(decoding: written, as: UTF8.self).contains("4.50"))
    }

    @Test("what changed in a manifest is written, and nothing else")
    func changesManifest() throws {
        var app = try AppManifest.read(json: Data(manifest.utf8))
        app.name = nil
        app.version = "1.1"
        app.requirements[0].methods = ["GET"]
        app.requirements.append(.init(type: "x", methods: ["POST"]))
        let written = try app.json(updating: Data(manifest.utf8))
        let expected = manifest.replacing("\"name\": \"List\", ", with: "")
            .replacing("\"mode\"", with: "\"version\": \"1.1\", \"mode\"").replacing("\"GET\", \"PUT\"", with: "\"GET\"")
            .replacing("\"methods\": []}", with: "\"methods\": []}, \"x\": {\"methods\": [\"POST\"]}")
        #expect(try plain(written) == plain(Data(expected.utf8)))
        #expect(try AppManifest.read(json: written) == app)
    }

    @Test("a manifest made in code is written and read back")
    func newManifest() throws {
        var app = AppManifest()
        app.id = "a@b"
        app.hasUI = true
        app.requirements = [.init(type: "t", methods: ["GET"])]
        let written = try [app].json()
        #expect(try AppManifest.readList(json: written) == [app])
        let expected = #"[{"id": "a@b", "requires": {"t": {"methods": ["GET"]}}, "has_ui": true}]"#
        #expect(try plain(written) == plain(Data(expected.utf8)))
    }

    @Test("JSON that is no manifest is refused with the property and what was found")
    func badManifest() throws {
        func failure(_ json: String) throws -> DocumentError? {
            do { _ = try AppManifest.read(json: Data(json.utf8)) } catch let error as DocumentError { return error }
            return nil
        }
        #expect(try failure("[]")?.description == "AppManifest: found a list, expected an object")
        #expect(try failure("{}")?.description == "AppManifest.id: the value is required, and the document has none")
        #expect(try failure(#"{"id": []}"#)?.property == "id")
        #expect(try failure(#"{"id": "a", "requires": [1]}"#)?.description
            == "AppManifest.requirements: found a list, expected an object")
        #expect(try failure(#"{"id": "a", "requires": {"t": {"methods": 1}}}"#)?.property == "requirements.methods")
        #expect(throws: SDMJError.self) { try AppManifest.read(json: Data("{".utf8)) }
        #expect(throws: SDMJError.self) { try AppManifest.readList(json: Data("{}".utf8)) }
        var problems: [DocumentError] = []
        let lenient = try AppManifest.read(
            json: Data(#"{"id": "a", "mode": "loud", "has_ui": "perhaps"}"#.utf8), problems: &problems)
        #expect(problems.map(\.property) == ["mode", "hasUI"])
        #expect(lenient.id == "a" && lenient.mode == nil)
    }

    @Test("an answer that was read lenient keeps the JSON it could not read")
    func keepsUnreadableJSON() throws {
        let json = Data(#"{"id": 5, "mode": "loud", "name": {"a": 1}, "requires": 7}"#.utf8)
        var problems: [DocumentError] = []
        let app = try AppManifest.read(json: json, problems: &problems)
        #expect(problems.map(\.property) == ["name", "mode", "requirements"])
        #expect(try plain(app.json(updating: json)) == plain(json))
    }

    @Test("an answer is written as it was read, with what it does not know")
    func keepsAnswer() throws {
        let text = """
            <Document id="d-2" type="" size="216" digest="3f75" record_id="r" extra="1"><createdAt>2012-05-04T15:34:23.502840Z</createdAt>
            <creator id="ana@example.org" type="Account"><fullname>Ana Lopez</fullname></creator><new><er/></new>
            <replaces id="d-1"/><original id="d-1"/><label/><status>active</status><nevershare>0</nevershare></Document>
            """
        let source = try XMLNode(parsing: text)
        var metadata = try DocumentMetadata.read(from: source, root: DocumentMetadata.elementName)
        #expect(try metadata.xml(updating: source).canonical() == source.canonical())
        metadata.status = .void
        metadata.replaces = nil
        let changed = text.replacing("active", with: "void").replacing("<replaces id=\"d-1\"/>", with: "")
        #expect(try metadata.xml(updating: source).canonical() == XMLNode(parsing: changed).canonical())
        #expect(try source.canonical() == XMLNode(parsing: text).canonical())
    }

    @Test("an answer made in code is written with its fields in the server's order, and read back")
    func newAnswer() throws {
        var metadata = DocumentMetadata()
        metadata.id = "d"
        metadata.createdAt = "2012-05-04T15:34:23Z"
        metadata.status = .active
        metadata.label = "a & b"
        let xml = try metadata.xml()
        #expect(
            try xml.xml()
                == "<Document id=\"d\"><createdAt>2012-05-04T15:34:23Z</createdAt><label>a &amp; b</label><status>active</status></Document>"
        )
        #expect(try DocumentMetadata.read(from: xml) == metadata)
    }

    @Test("a list's values that say nothing or cannot be read stay where they are")
    func emptyItems() throws {
        let text = "<r><n>1</n><n/><n>x</n><n>3</n></r>"
        let source = try XMLNode(parsing: text)
        var problems: [DocumentError] = []
        var value = try Numbers.read(from: source, problems: &problems)
        #expect(value.numbers == [1, 3] && problems.count == 1)
        #expect(try value.xml(updating: source).xml() == text)
        value.numbers = [1, 4, 5]
        #expect(try value.xml(updating: source).xml() == "<r><n>1</n><n/><n>x</n><n>4</n><n>5</n></r>")
    }

    private struct Numbers: CompoundValue {
        @Field("n") var numbers: [Int]
        init() {}
    }

    /// Canonical JSON, by another reader and writer than ours.
    private func plain(_ json: Data) throws -> String {
        let value = try JSONSerialization.jsonObject(with: json)
        let sorted = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: sorted, as: UTF8.self)
    }
}

@Suite("Lists in JSON")
struct JSONListTests {
    private static let requirements = """
        {"id": "a", "requires": {"one": {"methods": ["GET"], "x": 1}, "two": {"methods": ["GET"], "x": 2},
                                 "three": {"methods": ["PUT"], "x": 3}}}
        """

    private func written(_ source: String, _ change: (inout AppManifest) -> Void) throws -> String {
        var app = try AppManifest.read(json: Data(source.utf8))
        change(&app)
        return try plain(app.json(updating: Data(source.utf8)))
    }

    private func plain(_ json: Data) throws -> String {
        let value = try JSONSerialization.jsonObject(with: json)
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    @Test("what nobody knows stays under the name it belongs to, when values of a map are removed, moved or added")
    func maps() throws {
        let same = try plain(Data(Self.requirements.utf8))
        #expect(try written(Self.requirements) { _ in } == same)
        #expect(try written(Self.requirements) { $0.requirements.reverse() } == same)
        #expect(
            try written(Self.requirements) { $0.requirements.removeFirst() }
                == same.replacing("\"one\":{\"methods\":[\"GET\"],\"x\":1},", with: ""))
        #expect(
            try written(Self.requirements) { $0.requirements.insert(.init(type: "0", methods: []), at: 0) }
                == same.replacing("{\"one\"", with: "{\"0\":{},\"one\""))
        #expect(
            try written(Self.requirements) {
                $0.requirements.removeFirst()
                $0.requirements[1].methods = []
            }.contains("\"three\":{\"methods\":[],\"x\":3}"))
    }

    private struct Shelf: CompoundValue {
        struct Book: CompoundValue {
            @Field var title: String?
            @Field var pages: Int?
            init() {}
        }

        @Field var books: [Book]
        @Field var numbers: [Double]
        init() {}
    }

    @Test("values of a list take along what nobody knows of them, and what cannot be read stays where it is")
    func lists() throws {
        let source = """
            {"books":[{"title":"A","x":1},{"title":"B","x":2},7,{"title":"C","x":3}],"numbers":[1.50,"many",2.0,null]}
            """
        func written(_ change: (inout Shelf) -> Void) throws -> String {
            var problems: [DocumentError] = []
            var shelf = try Shelf.read(json: Data(source.utf8), problems: &problems)
            #expect(problems.map(\.property) == ["books", "numbers"])
            change(&shelf)
            let json = String(decoding: try shelf.json(updating: Data(source.utf8)), as: UTF8.self)
            return json.filter { !$0.isWhitespace }
        }
        #expect(try written { _ in } == source)
        #expect(
            try written { $0.books.removeFirst() } == source.replacing("{\"title\":\"A\",\"x\":1},", with: ""))
        #expect(
            try written { $0.books.swapAt(0, 1) }
                == source.replacing("A", with: "#").replacing("B", with: "A").replacing("#", with: "B")
                .replacing("\"x\":1", with: "#").replacing("\"x\":2", with: "\"x\":1").replacing("#", with: "\"x\":2"))
        #expect(
            try written { $0.books[2].pages = 9 } == source.replacing("\"C\"", with: "\"C\",\"pages\":9"))
        #expect(try written { $0.numbers = [1.5, 2] } == source)
        #expect(try written { $0.numbers = [2] } == source.replacing("1.50,", with: ""))
    }

    @Test("a list of answers finds what each was, wherever it stands now")
    func answers() throws {
        let source = Data(#"[{"id": "a", "x": 1}, {"id": "b", "x": 2}, {"id": "c", "x": 3}]"#.utf8)
        var apps = try AppManifest.readList(json: source)
        apps.removeFirst()
        apps.swapAt(0, 1)
        var new = AppManifest()
        new.id = "d"
        apps.append(new)
        #expect(
            try plain(apps.json(updating: source)) == #"[{"id":"c","x":3},{"id":"b","x":2},{"id":"d"}]"#)
    }
}
