import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("Servers' answers")
struct AnswerTests {
    private let manifest = """
        {"id": "list@apps.example.org", "name": "List", "description": "Shows \\"all\\" medications", \
        "mode": "ui",
         "requires": {"http://smartplatforms.org/terms#Medication": {"methods": ["GET", "PUT"], "more": 1},
                      "http://smartplatforms.org/terms#Problem": {"methods": []}},
         "has_ui": true, "frameable": false, "indivo_version": null, "oauth_callback_url": "", "rating": 4.50}
        """

    @Test("an app's manifest is read from JSON by reflection, its required map included")
    func readsManifest() throws {
        let app = try AppManifest.read(json: Data(manifest.utf8))
        #expect(app.id == "list@apps.example.org")
        #expect(app.details == "Shows \"all\" medications")
        #expect(app.mode == .ui)
        #expect(
            app.requirements == [
                .init(type: "http://smartplatforms.org/terms#Medication", methods: ["GET", "PUT"]),
                .init(type: "http://smartplatforms.org/terms#Problem", methods: []),
            ]
        )
        #expect(app.hasUI == true && app.isFrameable == false)
        #expect(app.indivoVersion == nil && app.callbackURL == nil && app.smartVersion == nil)
    }

    @Test("JSON that is no manifest is refused with the property and what was found")
    func badManifest() throws {
        func failure(_ json: String) throws -> DocumentError? {
            do { _ = try AppManifest.read(json: Data(json.utf8)) } catch let error as DocumentError {
                return error
            }
            return nil
        }
        #expect(try failure("[]")?.description == "AppManifest: found a list, expected an object")
        #expect(
            try failure("{}")?.description
                == "AppManifest.id: the value is required, and the document has none"
        )
        #expect(try failure(#"{"id": []}"#)?.property == "id")
        #expect(
            try failure(#"{"id": "a", "requires": [1]}"#)?.description
                == "AppManifest.requirements: found a list, expected an object"
        )
        #expect(
            try failure(#"{"id": "a", "requires": {"t": {"methods": 1}}}"#)?.property
                == "requirements.methods"
        )
        #expect(throws: SDMJError.self) { try AppManifest.read(json: Data("{".utf8)) }
        #expect(throws: SDMJError.self) { try AppManifest.readList(json: Data("{}".utf8)) }
        #expect(try failure(#"{"id": "a", "mode": "loud"}"#)?.property == "mode")
        #expect(try failure(#"{"id": "a", "name": {"a": 1}}"#)?.property == "name")
        #expect(try failure(#"{"id": "a", "has_ui": "perhaps"}"#)?.property == "hasUI")
    }

    @Test("a list of manifests keeps its order, and a number is read as text")
    func readsManifests() throws {
        let apps = try AppManifest.readList(json: Data(#"[{"id": 5}, {"id": "b", "requires": null}]"#.utf8))
        #expect(apps.map(\.id) == ["5", "b"])
        #expect(apps.allSatisfy { $0.requirements.isEmpty })
    }

    @Test("an answer is written as it was read, with what it does not know")
    func keepsAnswer() throws {
        let text = """
            <Document id="d-2" type="" size="216" digest="3f75" record_id="r" \
            extra="1"><createdAt>2012-05-04T15:34:23.502840Z</createdAt>
            <creator id="ana@example.org" type="Account"><fullname>Ana \
            Lopez</fullname></creator><new><er/></new>
            <replaces id="d-1"/><original \
            id="d-1"/><label/><status>active</status><nevershare>0</nevershare></Document>
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

    @Test("an answer made in code is written in the server's order of fields, and read back")
    func newAnswer() throws {
        var metadata = DocumentMetadata()
        metadata.id = "d"
        metadata.createdAt = "2012-05-04T15:34:23Z"
        metadata.status = .active
        metadata.label = "a & b"
        let xml = try metadata.xml()
        #expect(
            try xml.xml()
                == """
                <Document id="d"><createdAt>2012-05-04T15:34:23Z</createdAt><label>a &amp; b</label>\
                <status>active</status></Document>
                """
        )
        #expect(try DocumentMetadata.read(from: xml) == metadata)
    }

    @Test("an answer is written as JSON: texts, numbers, booleans, lists and nested values")
    func json() throws {
        let text = """
            <Document id="d" size="216"><creator id="a"><fullname>Ana \
            "A"</fullname></creator><nevershare>1</nevershare>\
            <relatesTo><relation type="t" count="2"/></relatesTo></Document>
            """
        let metadata = try DocumentMetadata.read(from: XMLNode(parsing: text))
        let expected = """
            {"id":"d","size":216,"creator":{"id":"a","fullname":"Ana \\"A\\""},"nevershare":true,\
            "relatesTo":{"relation":[{"type":"t","count":2}]}}
            """
        #expect(
            try JSONSerialization.jsonObject(with: metadata.json()) as? NSDictionary
                == JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary
        )
        #expect(
            try JSONSerialization.jsonObject(with: [metadata, metadata].json()) as? NSArray
                == JSONSerialization.jsonObject(with: Data("[\(expected),\(expected)]".utf8)) as? NSArray
        )
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
}
