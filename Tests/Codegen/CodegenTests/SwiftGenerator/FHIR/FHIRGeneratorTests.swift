import FHIRGenerator
import FHIRTables
import Testing

@Suite("Swift from the tables of FHIR")
struct FHIRGeneratorTests {
    private static let datatypes = """
        # A comment.
        datatype Element - abstract
         id 0..1 string A
         extension 0..* Extension
        datatype BackboneElement Element abstract
         modifierExtension 0..* Extension SM
        datatype Extension Element
         url 1..1 uri A
         value[x] 0..1 string|Quantity
        datatype Quantity Element
         value 0..1 decimal S
        datatype Range Element
         low 0..1 Quantity
        datatype Reference Element
         reference 0..1 string
        primitive string Element
        primitive code string
        primitive uri Element
        primitive decimal Element
        resource Resource - abstract
         id 0..1 string A
        resource Location Resource
         name 0..1 string
        """
    private static let resource = """
        resource Visit Resource
         status 1..1 code required=visit-status
         class 0..* code example=visit-status
         age[x] 0..1 Range|string
         open[x] 0..1 *
         location 1..* BackboneElement
          location 1..1 Reference(Location)
          any 0..1 Reference(Location,Visit)
          part 0..* #Visit.location
        """
    private static let codes =
        """
        visit-status\n http://x\n  in-progress\tUnder way\n  -all\n  other\n  <\tLess than\n  GET\n  \
        in.progress
        """

    private func texts() throws -> [String: String] {
        let files = try FHIRGenerator.views(
            [
                "datatypes": Self.datatypes, "resources": Self.resource, "codes": Self.codes, "rules": "",
                "descriptions": "Visit.status How far it is.",
            ])
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
    }

    @Test("accessors have the type that cardinality, binding, choice and target give them")
    func accessors() throws {
        let text = try #require(texts()["Visit.swift"])
        #expect(text.hasPrefix(FHIRGenerator.marker))
        #expect(text.contains("public struct Visit: FHIRResource {"))
        #expect(text.contains("public init(status: VisitStatus, location: [Visit.Location]) {"))
        #expect(
            text.contains(
                "    /// How far it is. `Visit.status`, 1..1.\n    @_alwaysEmitIntoClient public var status: VisitStatus? {"
            )
        )
        #expect(
            text.contains(
                """
                public var `class`: [String] {\n        get { tree.getList(\"class\") } set { \
                tree.setList(\"class\", newValue) }
                """
            )
        )
        #expect(text.contains("public var age: Age? {\n        get { tree.getChoice(\"age\") }"))
        #expect(text.contains("case range(FHIRRange)"))
        #expect(text.contains("public var open: AnyValue? {"))
        #expect(text.contains("public struct Location: FHIRBackboneElement {"))
        #expect(text.contains("public var part: [Visit.Location] {"))
    }

    @Test("the page lists every view by category, what has none, and the codes")
    func page() throws {
        let page = try FHIRGenerator.page(
            [
                "datatypes": Self.datatypes, "resources": Self.resource, "codes": Self.codes,
                "categories":
                    "# A comment.\nPlaces\n Location Unknown\nNumbers\n Range\n Quantity\nEmpty\n Unknown",
            ])
        #expect(page.text.hasPrefix(FHIRGenerator.pageMarker))
        #expect(
            page.text.hasSuffix(
                """
                ### Places

                - ``Location``

                ### Numbers

                - ``FHIRRange``
                - ``Quantity``

                ### Other types

                - ``Extension``
                - ``Visit``

                ### Codes

                - ``VisitStatus``

                """
            )
        )
    }

    @Test("a type that a nested one hides is named with the module")
    func hiddenNames() throws {
        let text = try #require(texts()["Visit.swift"])
        #expect(text.contains("public var location: Reference<FHIR.Location>? {"))
        #expect(text.contains("public var any: Reference<AnyResource>? {"))
    }

    @Test("types with a name of Swift's own get another, abstract ones no view")
    func names() throws {
        let files = try texts()
        #expect(files["FHIRRange.swift"]?.contains("public struct FHIRRange: FHIRElement {") == true)
        #expect(files["FHIRRange.swift"]?.contains("typeName = \"Range\"") == true)
        #expect(
            files.keys.sorted() == [
                "AnyValue.swift", "Extension.swift", "FHIRRange.swift", "Location.swift", "Quantity.swift",
                "Visit.swift",
                "VisitStatus.swift",
            ]
        )
    }

    @Test("codes become cases by their words or displays, and never twice the same one")
    func codes() throws {
        let text = try #require(texts()["VisitStatus.swift"])
        for (name, code) in [
            ("inProgress", "in-progress"), ("codedOther", "other"), ("lessThan", "<"), ("get", "GET"),
            ("inProgress_", "in.progress"),
        ] {
            #expect(text.contains("    case \(name)\n"))
            #expect(text.contains("case \"\(code)\": .\(name)\n"))
            #expect(text.contains("case .\(name): \"\(code)\"\n"))
        }
        #expect(!text.contains("\"all\""))
    }

    @Test("tables that are compiled in are the texts without their comments")
    func tables() throws {
        let files = FHIRGenerator.tables(["datatypes": Self.datatypes], FHIRGenerator.typeTables)
        #expect(files.map(\.name).contains("Table+OtherResources.swift"))
        let text = try #require(files.first { $0.name == "Table+Datatypes.swift" }?.text)
        #expect(
            text.contains("static let datatypes = #\"\"\"\ndatatype Element - abstract\n id 0..1 string A\n")
        )
        #expect(!text.contains("# A comment."))
    }

    @Test("a table that cannot be read is an error with its line")
    func wrongTable() {
        #expect(throws: TableError.self) {
            try FHIRGenerator.views([
                "datatypes": Self.datatypes, "resources": "resource A Nothing", "codes": "", "rules": "",
            ])
        }
    }
}
