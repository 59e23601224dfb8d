import Foundation
import IndivoModel
import IndivoXML
import TestSupport
import Testing

@Suite("XML Schemas")
struct SchemaTests {
    private let namespace = "http://indivo.org/vocab/xml/documents#"

    @Test(
        "every sample document is valid",
        .enabled(if: Samples.areWanted, "no samples beside the package; name their folder in INDIVO_SAMPLES")
    )
    func samples() throws {
        let files = try Samples.files()
        #expect(!files.isEmpty, "\(Samples.folder.path) holds no XML files")
        for file in files {
            let problems = try IndivoSchemas.problems(of: XMLNode(parsing: Data(contentsOf: file)))
            #expect(problems == [], "\(file.lastPathComponent)")
        }
    }

    @Test(
        "every answer of the recorded server that a schema describes is valid",
        .enabled(
            if: ServerRecordings.areWanted,
            "no recordings beside the package; name their folder in INDIVO_RECORDINGS"
        )
    )
    func recordings() throws {
        var counts: [String: Int] = [:]
        for (name, body) in try ServerRecordings.xmlAnswers() {
            let root = try XMLNode(parsing: body)
            guard let problems = try IndivoSchemas.problems(of: root) else { continue }
            counts[root.name, default: 0] += 1
            #expect(problems.isEmpty, "\(name): \(problems)")
        }
        let expected: Set = [
            "Document", "Documents", "DocumentStatusHistory", "Record", "Records", "Reports",
            "AggregateReports",
            "Models", "Message", "Messages", "Notifications", "Carenets", "Account", "Shares", "RequestToken",
            "Equipment",
        ]
        #expect(
            expected.isSubset(of: counts.keys),
            "\(expected.subtracting(counts.keys)) are not among the recordings"
        )
    }

    @Test("a broken document is refused with line and message", arguments: SchemaTests.brokenDocuments)
    func brokenDocument(_ text: String, _ line: Int, _ message: String) throws {
        let problems = try #require(try IndivoSchemas.problems(of: XMLNode(parsing: text)))
        #expect(problems.contains { $0.line == line && $0.message.contains(message) }, "\(problems)")
    }

    static let brokenDocuments: [(String, Int, String)] = [
        ("<Models xmlns='\(ns)'>\n<Model><Field name='x'/></Model></Models>", 2, "'name' is required"),
        ("<Models xmlns='\(ns)'><Model name='A'>\n\n<Other/></Model></Models>", 3, "Other"),
        ("<Demographics xmlns='\(ns)'><dateOfBirth>x</dateOfBirth></Demographics>", 1, "xs:date"),
        (
            """
            <Demographics xmlns='\(ns)'><dateOfBirth>1979-04-02</dateOfBirth>
            <gender>other</gender></Demographics>
            """, 2, "'other' is not an element of the set"
        ),
        ("<Equipment xmlns='\(ns)'>\n<vendor>x</vendor></Equipment>", 2, "vendor"),
        (
            "<Equipment xmlns='\(ns)'>\n<name>\(String(repeating: "x", count: 41))</name></Equipment>", 2,
            "maximum length of '40'"
        ),
        (
            """
            <Procedure \
            xmlns='\(ns)'>\n<datePerformed>2011-05-16T12:00:00+02:00</datePerformed><name/></Procedure>
            """,
            2,
            "pattern"
        ),
        (
            """
            <SimpleClinicalNote \
            xmlns='\(ns)'><dateOfVisit>2012-02-02T12:00:00Z</dateOfVisit></SimpleClinicalNote>
            """,
            1,
            "signature"
        ),
        ("<Annotation xmlns='\(ns)'/>", 1, "text"),
        ("<Records>\n<Record label='x'/></Records>", 2, "'id' is required"),
        (
            "<Document id='1' type='' size='many' digest=''><nevershare>false</nevershare></Document>", 1,
            "size"
        ),
        (
            "<Reports><Summary total_document_count='1' limit='1' offset='0' order_by=''/>\n</Reports>", 1,
            "QueryParams"
        ),
        (
            """
            <Reports><Summary total_document_count='1' limit='1' offset='0' order_by=''/><QueryParams/>
            <Report><Meta><Document id='' type='' size='' \
            digest=''><nevershare>false</nevershare></Document></Meta>
            <Item><Equipment xmlns='\(ns)'/></Item></Report></Reports>
            """, 3, "name"
        ),
    ]

    private static let ns = "http://indivo.org/vocab/xml/documents#"

    @Test("no schema describes what the server does not look into")
    func unknown() throws {
        for text in ["<x/>", "<Equipment/>", "<Other xmlns='\(namespace)'/>", "<Models xmlns='urn:other'/>"] {
            #expect(try IndivoSchemas.problems(of: XMLNode(parsing: text)) == nil, "\(text)")
        }
    }

    @Test("an object is checked as it would be sent")
    func objects() throws {
        let equipment = EquipmentDocument()
        equipment.vendor = "Acme"
        let error = #expect(throws: ValidationError.self) {
            try equipment.validate(against: IndivoSchemas.documents)
        }
        #expect(error?.problems.first?.reason.contains("vendor") == true)
        equipment.name = "Pacemaker"
        try equipment.validate(against: IndivoSchemas.documents)

        let medication = Medication()
        medication.fulfillments = [Fill()]
        try medication.validate(against: IndivoSchemas.documents)
    }

    @Test("an object that was read tells the line of what is wrong")
    func objectLines() throws {
        let text = """
            <Equipment xmlns='\(namespace)'>
            <dateStarted>2012-01-01</dateStarted>
            <vendor>Acme</vendor></Equipment>
            """
        let equipment = try EquipmentDocument.read(from: XMLNode(parsing: text))
        #expect(try equipment.problems(against: IndivoSchemas.documents).map(\.line) == [3])
    }
}

extension ServerRecordings {
    /// The names and bodies of successful answers in XML.
    static func xmlAnswers() throws -> [(name: String, body: String)] {
        try exchanges().compactMap { exchange in
            let body = exchange.responseText.trimmingCharacters(in: .whitespacesAndNewlines)
            return (200..<300).contains(exchange.status) && body.hasPrefix("<") ? (exchange.name, body) : nil
        }
    }
}
