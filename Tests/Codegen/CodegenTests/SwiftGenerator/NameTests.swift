import SwiftGenerator
import Testing

@Suite("Names")
struct NameTests {
    static let properties: [(field: String, declaration: String)] = [
        ("drugName", "@Field public var drugName: String?"),
        ("test_name", "@Field(\"test_name\") public var testName: String?"),
        ("product_class_2", "@Field(\"product_class_2\") public var productClass2: String?"),
        ("a_1_2", "@Field(\"a_1_2\") public var a1_2: String?"),
        ("record_id", "@Field(\"record_id\") public var recordID: String?"),
        ("home_url", "@Field(\"home_url\") public var homeURL: String?"),
        ("test-name", "@Field(\"test-name\") public var testName: String?"),
        ("test name", "@Field(\"test name\") public var testName: String?"),
        ("Name", "@Field(\"Name\") public var name: String?"),
        ("URL", "@Field(\"URL\") public var url: String?"),
        ("HDLCholesterol", "@Field(\"HDLCholesterol\") public var hdlCholesterol: String?"),
        ("DATE_OF_BIRTH", "@Field(\"DATE_OF_BIRTH\") public var dateOfBirth: String?"),
        ("__private", "@Field(\"__private\") public var `private`: String?"),
        ("2nd", "@Field(\"2nd\") public var _2nd: String?"),
        ("größe", "@Field public var größe: String?"),
        ("Ärger", "@Field(\"Ärger\") public var ärger: String?"),
        ("%%", "@Field(\"%%\") public var field: String?"),
        ("class", "@Field public var `class`: String?"),
        ("init", "@Field(\"init\") public var nightInit: String?"),
        ("self", "@Field(\"self\") public var nightSelf: String?"),
        ("Type", "@Field(\"Type\") public var type: String?"),
        ("id", "@Field(\"id\") public var nightID: String?"),
        ("record", "@Field(\"record\") public var nightRecord: String?"),
        ("hash", "@Field(\"hash\") public var nightHash: String?"),
        ("a\\\"b\\\\", "@Field(\"a\\\"b\\\\\") public var aB: String?"),
    ]

    @Test("a field's name becomes a name of Swift, and data keeps its own", arguments: properties)
    func property(field: String, declaration: String) {
        let lines = code("{ \"__modelname__\": \"Night\", \"\(field)\": \"String\" }")
        #expect(lines.last == declaration)
    }

    static let classes: [(model: String, declarations: [String])] = [
        ("VitalSigns", ["public class VitalSigns: IndivoDocument {"]),
        (
            "sleep_night",
            [
                "public class SleepNight: IndivoDocument {",
                "override public class var modelName: String { \"sleep_night\" }",
            ]
        ),
        (
            "2 fast",
            [
                "public class _2Fast: IndivoDocument {",
                "override public class var modelName: String { \"2 fast\" }",
            ]
        ),
        (
            "Type",
            [
                "public class TypeDocument: IndivoDocument {",
                "override public class var modelName: String { \"Type\" }",
            ]
        ),
        (
            "CodedValue",
            [
                "public class CodedValueDocument: IndivoDocument {",
                "override public class var modelName: String { \"CodedValue\" }",
            ]
        ),
        (
            "Indivo",
            [
                "public class IndivoDocument2: IndivoDocument {",
                "override public class var modelName: String { \"Indivo\" }",
            ]
        ),
        (
            "!",
            ["public class Model: IndivoDocument {", "override public class var modelName: String { \"!\" }"]
        ),
    ]

    @Test("a model's name becomes a name of Swift, and data keeps its own", arguments: classes)
    func modelName(model: String, declarations: [String]) {
        let lines = code(#"{ "__modelname__": "\#(model)", "x": "String" }"#)
        #expect(Array(lines.dropFirst().dropLast()) == declarations)
    }

    @Test("names that would become the same are told apart, and plain ones stay as they are")
    func clashes() {
        let lines = code(
            #"{ "__modelname__": "M", "test-name": "String", "test_name": "Date", "testName": "Number" }"#
        )
        #expect(
            lines.suffix(3) == [
                "@Field(\"test-name\") public var testName2: String?",
                "@Field(\"test_name\") public var testName3: XMLDateTime?",
                "@Field public var testName: Double?",
            ]
        )
    }

    @Test("classes whose names differ only in letter case are told apart, as disks may not")
    func classClashes() {
        let files = generate(
            #"""
            [{ "__modelname__": "LABResult", "x": "String" }, { "__modelname__": "LabResult", "x": "String" }]
            """#
        ).files
        #expect(files.map(\.name) == ["LABResult.swift", "LabResult2.swift"])
    }

    @Test("a property is not called like a class, which it would hide")
    func propertyLikeClass() {
        let lines = code(#"{ "__modelname__": "年齢", "年齢": { "__modelname__": "年齢" } }"#)
        #expect(lines.last == "@Field(\"年齢\") public var 年齢年齢: 年齢?")
    }

    @Test("notes choose names")
    func chosenNames() {
        let lines = code(
            #"{ "__modelname__": "M", "dt": "Date", "when": "String" }"#,
            notes: #"{ "M": { "swiftName": "Moment", "fields": { "dt": { "swiftName": "when" } } } }"#
        )
        #expect(
            lines.dropFirst() == [
                "public class Moment: IndivoDocument {",
                "override public class var modelName: String { \"M\" }",
                "@Field(\"dt\") public var when: XMLDateTime?", "@Field(\"when\") public var when2: String?",
            ]
        )
    }

    static let badChoices: [(notes: String, message: String)] = [
        (#"{ "M": { "swiftName": "CodedValue" } }"#, "The class of 'M' cannot be called 'CodedValue'"),
        (
            #"{ "M": { "swiftName": "N" }, "N": { "swiftName": "N" } }"#,
            "The class of 'N' cannot be called 'N'"
        ),
        (
            #"{ "M": { "fields": { "a": { "swiftName": "id" } } } }"#,
            "The property of 'a' cannot be called 'id'"
        ),
        (
            #"{ "M": { "fields": { "a": { "swiftName": "N" } } } }"#,
            "The property of 'a' cannot be called 'N'"
        ),
        (
            #"{ "M": { "fields": { "a": { "swiftName": "c" }, "b": { "swiftName": "c" } } } }"#,
            "The property of 'b' cannot be called 'c'"
        ),
    ]

    @Test("a name that notes choose and that cannot be is an error", arguments: badChoices)
    func badChoice(notes: String, message: String) {
        let result = generate(
            #"{ "__modelname__": "M", "a": "Date", "b": { "__modelname__": "N", "x": "String" } }"#,
            notes: notes
        )
        #expect(result.files.isEmpty)
        #expect(result.diagnostics.count == 1)
        #expect(result.diagnostics.first?.message.hasPrefix(message) == true)
    }

    @Test("a field named as a document's own member gets a warning unless notes rename it")
    func documentMember() {
        let model = #"{ "__modelname__": "M", "description": "String", "other": "String" }"#
        #expect(generate(model).diagnostics.map(\.severity) == [.warning])
        #expect(generate(model).diagnostics.first?.message.contains("'mDescription'") == true)
        let notes = #"{ "M": { "fields": { "description": { "swiftName": "words" } } } }"#
        #expect(generate(model, notes: notes).diagnostics.isEmpty)
    }

    @Test("prefix and suffix are part of every class's name, also where it is referred to")
    func prefixAndSuffix() {
        let lines = code(#"{ "__modelname__": "A", "b": [{ "__modelname__": "Address", "x": "Address" }] }"#)
        {
            $0.prefix = "My"
            $0.suffix = "Doc"
        }
        #expect(lines.contains("public class MyADoc: IndivoDocument {"))
        #expect(lines.contains("@Field public var b: [MyAddressDoc]"))
        #expect(lines.contains("public class MyAddressDoc: IndivoDocument {"))
        #expect(lines.contains("@Field public var x: Address?"))
    }

    @Test("a class that exists elsewhere is referred to by its own name")
    func external() {
        let lines = code(#"{ "__modelname__": "A", "m": { "__modelname__": "Medication" } }"#) {
            $0.prefix = "My"
            $0.externalModels = ["Medication"]
        }
        #expect(lines.last == "@Field public var m: Medication?")
    }
}
