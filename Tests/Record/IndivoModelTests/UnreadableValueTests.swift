import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("Values that nobody can read")
struct UnreadableValueTests {
    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    private func problem(date: String, in namespace: String = "") throws -> XMLNode {
        try XMLNode(
            parsing: """
                <Models\(namespace)><Model name="Problem" documentId="d"><Field \
                name="name_title">Cough</Field>\
                <Field name="startDate">\(date)</Field><Field name="notes">dry</Field></Model></Models>
                """
        )
    }

    @Test("a report's unreadable value costs the field alone, and the document says so")
    func report() throws {
        let root = try problem(date: "BAD DATE")
        let documents = try [Problem](readingModels: Array(root.children(named: "Model")))
        #expect(documents.count == 1 && documents[0].startDate == nil && documents[0].notes == "dry")
        #expect(documents[0].readingProblems.map(\.property) == ["startDate"])
        #expect(try SDMXDocument(stored: root).models[0].readingProblems.count == 1)
        #expect(throws: DocumentError.self) { try Problem.read(from: root) }
        #expect(Problem().readingProblems.isEmpty)
    }

    @Test("what is no document of the class is still an error, not an unreadable value")
    func structure() throws {
        let root = try XMLNode(parsing: "<Models><Model name=\"Medication\"/></Models>")
        #expect(throws: DocumentError.self) {
            try [Problem](readingModels: Array(root.children(named: "Model")))
        }
        let fill = "<Field name=\"fulfillments\"><Models><Model name=\"Problem\"/></Models></Field>"
        let other = try XMLNode(parsing: "<Models><Model name=\"Medication\">\(fill)</Model></Models>")
        #expect(throws: DocumentError.self) {
            try [Medication](readingModels: Array(other.children(named: "Model")))
        }
    }

    @Test("a document changed through such a report keeps the date that is stored")
    func changedThroughReport() throws {
        let document = try [Problem](
            readingModels: Array(problem(date: "BAD DATE").children(named: "Model"))
        )[0]
        document.isFromReport = true
        document.notes = "wet"
        #expect(try document.newProblems().isEmpty)
        let stored = try problem(date: "1899-12-31T00:00:00Z", in: " xmlns=\"\(Self.namespace)\"")
        let sent = try PreparedDocument(replacing: document, in: stored).root.xml()
        #expect(sent.contains(">1899-12-31T00:00:00Z<") && sent.contains(">wet<"))
        // Repaired.
        document.startDate = "1902-12-31T00:00:00Z"
        #expect(
            try PreparedDocument(replacing: document, in: stored).root.xml().contains(
                ">1902-12-31T00:00:00Z<"
            )
        )
    }

    @Test(
        "a stored document with an unreadable value can be changed, and repaired",
        arguments: ["nan", "NaN", "INF"]
    )
    func stored(number: String) throws {
        func root() throws -> XMLNode {
            try XMLNode(
                parsing: """
                    <Models xmlns="\(Self.namespace)"><Model name="Measurement"><Field \
                    name="type">STEPS</Field>\
                    <Field name="value">\(number)</Field><Field name="unit">steps</Field>\
                    <Field name="datetime">2026-11-21T08:00:00Z</Field></Model></Models>
                    """
            )
        }
        let value = try MeasuredValue.read(stored: root())
        #expect(
            value.value == nil && value.type == "STEPS" && value.readingProblems.map(\.property) == ["value"]
        )
        #expect(try value.problems().map(\.property) == ["value"])
        #expect(try value.newProblems().isEmpty, "it was there before")
        value.unit = "steps/d"
        #expect(try PreparedDocument(replacing: value, in: root()).root.xml().contains(">\(number)<"))
        value.value = 7
        #expect(try PreparedDocument(replacing: value, in: root()).root.xml().contains(">7.0<"))
        #expect(try value.problems().isEmpty)
    }

    @Test(
        "numbers that are none in JSON cost their fields alone",
        arguments: ["NaN", "Infinity", "-Infinity"]
    )
    func json(number: String) throws {
        let text = """
            [{"__modelname__": "Measurement", "__documentid__": "d", "type": "STEPS", "value": \(number), \
            "unit": "steps"},
             {"__modelname__": "Measurement", "type": "NaN", "value": 5.0}]
            """
        let values = try SDMXDocument(stored: SDMJ.models(parsing: Data(text.utf8))).models.compactMap {
            $0 as? MeasuredValue
        }
        #expect(values.map(\.value) == [nil, 5] && values.map(\.type) == ["STEPS", "NaN"])
        #expect(values[0].readingProblems.map(\.property) == ["value"] && values[1].readingProblems.isEmpty)
        #expect(throws: SDMJError.self) {
            try SDMXDocument(json: Data("[{\"__modelname__\": \"M\", \"v\": Nan}]".utf8))
        }
        #expect(throws: SDMJError.self) {
            try SDMXDocument(json: Data("[{\"__modelname__\": \"M\", \"v\": -In}]".utf8))
        }
        #expect(throws: SDMJError.self) { try SDMXDocument(json: Data("[I".utf8)) }
    }

    @Test("a minimal report's unreadable values cost their fields alone")
    func minimalReports() throws {
        let text = """
            <Reports><Summary total_document_count="2" limit="100" offset="0" order_by="None"/>
            <Report><Meta><Document id="d-1"/></Meta><Item><Measurement id="1" value="nan" type="STEPS" \
            unit="u" \
            datetime="2026-11-21T08:00:00Z"/></Item></Report>
            <Report><Meta><Document id="d-2"/></Meta><Item><Measurement id="2" value="5.0" type="STEPS" \
            unit="u" \
            datetime="BAD DATE"/></Item></Report>
            <Report><Meta><Document id="d-3"/></Meta><Item><Equipment \
            xmlns="\(Self.namespace)"><dateStarted>BAD DATE</dateStarted>\
            <name>Walker</name></Equipment></Item></Report></Reports>
            """
        let reports = try Reports.read(response: XMLNode(parsing: text)).reports
        let values = reports.compactMap { $0.item?.checkedMeasurement }
        #expect(values.map(\.value) == [nil, 5] && values.map(\.factID) == ["1", "2"])
        #expect(
            values.map { $0.readingProblems.map(\.property) } == [
                ["measurement.value"], ["measurement.date"],
            ]
        )
        #expect(reports[2].item?.equipment?.name == "Walker")
        #expect(reports[2].item?.equipment?.readingProblems.map(\.property) == ["dateStarted"])
        let broken = text.replacing("total_document_count=\"2\"", with: "total_document_count=\"two\"")
        #expect(throws: DocumentError.self) { try Reports.read(response: XMLNode(parsing: broken)) }
    }

    @Test("demographics with an unreadable birth date are read, and cannot be sent so")
    func demographics() throws {
        let model = try XMLNode(
            parsing: """
                <Model name="Demographics" documentId="d"><Field name="bday">BAD DATE</Field><Field \
                name="gender">female</Field>\
                <Field name="name_family">Ito</Field><Field name="name_given"/><Field \
                name="tel_1_number">1</Field>\
                <Field name="tel_1_preferred_p">true</Field><Field name="tel_2_preferred_p">false</Field>\
                <Field name="adr_city"/></Model>
                """
        )
        let person = try Demographics.read(flat: model)
        #expect(person.id == "d" && person.dateOfBirth == nil && person.gender == .female)
        #expect(person.telephones.map(\.isPreferred) == [true] && person.address == nil)
        #expect(person.readingProblems.map(\.property) == ["dateOfBirth"])
        #expect(try Set(person.problems().map(\.property)) == ["dateOfBirth", "name.givenName"])
        person.dateOfBirth = "1901-05-05"
        person.name?.givenName = ""
        #expect(try person.problems().isEmpty)
        person.dateOfBirth = "1899-12-31"
        #expect(
            try person.problems().map(\.reason) == [
                "“1899-12-31” is before 1900: servers store it, and their reports say BAD DATE instead"
            ]
        )
    }

    /// A document that may hold others of its own kind.
    private final class Nest: IndivoDocument {
        @Field var inner: [Nest]
    }

    @Test("models deep inside each other end with an error, on a small stack", arguments: [64, 65, 200, 250])
    func depth(levels: Int) async throws {
        Nest.register()
        let open = "{\"__modelname__\": \"Nest\", \"inner\": ["
        let json = Data(
            (String(repeating: open, count: levels) + String(repeating: "]}", count: levels)).utf8
        )
        let xml =
            String(repeating: "<Model name=\"Nest\"><Field name=\"inner\"><Models>", count: levels)
            + String(repeating: "</Models></Field></Model>", count: levels)
        let text = "<Models xmlns=\"\(Self.namespace)\">\(xml)</Models>"
        let results = await onSmallStack {
            [
                Result { try SDMXDocument(json: json).json().count },
                Result { try SDMXDocument(XMLNode(parsing: text)).json().count },
                Result { try Nest.read(from: XMLNode(parsing: text)).problems().count },
            ].map { (try? $0.get()) != nil }
        }
        #expect(results == Array(repeating: levels <= 64, count: 3))
        guard levels > 64 else { return }
        let error = #expect(throws: SDMJError.self) { try SDMXDocument(json: json) }
        #expect(error?.reason == "models lie more than 64 deep" && error?.column == 64 * open.utf8.count + 1)
    }

    /// As ``Nest``, in nested XML.
    private final class Shell: IndivoDocument {
        override class var format: Format { .nested(root: "Shell", namespace: nil) }
        @Field var inner: [Shell]
    }

    @Test("a document too deep to be read again, or in itself, is not written")
    func writtenDepth() throws {
        func nest(_ levels: Int) -> Nest {
            (1..<levels).reduce(Nest()) { inner, _ in Nest { $0.inner = [inner] } }
        }
        func shell(_ levels: Int) -> Shell {
            (1..<levels).reduce(Shell()) { inner, _ in Shell { $0.inner = [inner] } }
        }
        #expect(try Nest.read(from: nest(64).xml()).inner.count == 1)
        #expect(try Shell.read(from: shell(64).xml()).inner.count == 1)
        #expect(throws: DocumentError.self) { try nest(65).xml() }
        #expect(throws: DocumentError.self) { try shell(65).xml() }
        let new = Nest()
        new.inner = [new]
        let ring = Shell()
        ring.inner = [ring]
        let xml = "<Models xmlns=\"\(Self.namespace)\"><Model name=\"Nest\"/></Models>"
        let edited = try Nest.read(from: XMLNode(parsing: xml))
        edited.inner = [edited]
        // Else they would keep themselves alive.
        defer {
            for document in [new, edited] { document.inner = [] }
            ring.inner = []
        }
        for document in [new, edited] { #expect(throws: DocumentError.self) { try document.xml() } }
        #expect(throws: DocumentError.self) { try new.copy() }
        #expect(throws: DocumentError.self) { try ring.xml() }
    }

    /// Runs work on a thread with the stack that threads have beside the main one on Apple's systems.
    private func onSmallStack<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }
}
