import IndivoModel
import IndivoXML
import Testing

@Suite("Writing SDMX")
struct SDMXWritingTests {
    private func canonical(_ node: XMLNode) throws -> String {
        String(decoding: try node.canonical(), as: UTF8.self)
    }

    @Test("a document made in code is written in declared order, without missing values")
    func fresh() throws {
        let night = SleepNight()
        night.score = 0.5
        night.device = CodedValue(title: "Wrist band")
        night.nightOf = "2026-11-20"
        let deep = SleepPhase()
        deep.kind = "deep"
        night.phases = [deep]
        #expect(
            try night.xml().xml() == """
                <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="SleepNight">\
                <Field name="score">0.5</Field><Field name="device_title">Wrist band</Field>\
                <Field name="night-of">2026-11-20</Field><Field name="phases"><Models><Model \
                name="SleepPhase">\
                <Field name="kind">deep</Field></Model></Models></Field></Model></Models>
                """
        )
    }

    @Test("an unchanged document is written as it was, whatever the class knows of it")
    func unchanged() throws {
        let source = """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><!-- kept -->
            <Model name="SleepNight"><Field name="zzz">unknown</Field><Field name="score">0.750</Field>
            <Field name="tracker_title">old name</Field><Field name="night-of">2026-11-20T08:00:00Z</Field>
            <Field name="visits"><Models><Model name="Visit"><Field \
            name="a">1</Field></Model></Models></Field>
            <Field name="phases"><Models><Model name="SleepPhase"><Field \
            name="mood">calm</Field></Model></Models></Field>
            </Model></Models>
            """
        let file = try SDMXDocument(XMLNode(parsing: source))
        #expect(try canonical(file.xml()) == canonical(XMLNode(parsing: source)))
    }

    @Test("a change touches its field alone")
    func oneChange() throws {
        SleepNight.register()
        let source =
            "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"SleepNight\">"
                + """
                <Field name=\"mood\">calm</Field><Field name=\"score\">0.750</Field><Field \
                name=\"restful\">True</Field></Model></Models>
                """
        let file = try SDMXDocument(XMLNode(parsing: source))
        let night = try #require(file.models.first as? SleepNight)
        night.score = 0.8
        night.started = "2026-11-20T23:10:00Z"
        #expect(
            try file.xml().xml()
                == source.replacing("0.750", with: "0.8").replacing(
                    "</Model>",
                    with: "<Field name=\"started\">2026-11-20T23:10:00Z</Field></Model>"
                )
        )
    }

    @Test("a value that is taken away leaves an empty field")
    func takenAway() throws {
        let night = try SleepNight.read(from: XMLNode(parsing: SDMXReadingTests.night))
        night.device = nil
        let again = try SleepNight.read(from: night.xml())
        #expect(again.device == nil)
        #expect(again.score == 0.75)
    }

    @Test("older names are kept in a file and become today's for a server")
    func naming() throws {
        let source =
            "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\">"
            + "<Field name=\"name_title\">Aspirin</Field><Field name=\"name_code_identifier\">1191</Field>"
            + "<Field name=\"name_code_title\">Aspirin</Field></Model></Models>"
        let file = try SDMXDocument(XMLNode(parsing: source))
        #expect(try file.xml().xml() == source)
        #expect(
            try file.xml(naming: .current).xml()
                == "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\">"
                    + """
                    <Field name=\"drugName_title\">Aspirin</Field><Field \
                    name=\"drugName_identifier\">1191</Field></Model></Models>
                    """
        )
    }

    @Test("two older names with different values are both kept: nothing is dropped unseen")
    func conflictingNames() throws {
        let source =
            "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\">"
                + """
                <Field name=\"name_title\">Aspirin</Field><Field \
                name=\"name_code_title\">ASA</Field></Model></Models>
                """
        let file = try SDMXDocument(XMLNode(parsing: source))
        let written = try file.xml(naming: .current).xml()
        #expect(written.contains("<Field name=\"drugName_title\">Aspirin</Field>"))
        #expect(written.contains("ASA"))
    }

    @Test("related documents can be added, moved, changed and removed")
    func relatedDocuments() throws {
        SleepNight.register()
        let file = try SDMXDocument(XMLNode(parsing: SDMXReadingTests.night))
        let night = try #require(file.models.first as? SleepNight)
        night.phases[0].kind = "very deep"
        let rem = SleepPhase()
        rem.kind = "REM"
        night.phases = [night.phases[1], rem, night.phases[0]]
        night.place = nil
        let written = try file.xml()
        let again = try SleepNight.read(from: written)
        #expect(again.phases.map(\.kind) == ["light", "REM", "very deep"])
        #expect(again.phases[2].interruptions.map(\.kind) == ["awake"])
        #expect(again.place == nil)
        #expect(again.hasSameContent(as: night))
        night.phases.removeAll()
        #expect(try SleepNight.read(from: file.xml()).phases.isEmpty)
    }

    @Test("a report's model is written as a server takes it, without what only reports have")
    func fromReport() throws {
        let medication = try Medication.read(
            from: XMLNode(
                parsing: """
                    <Models><Model name="Medication" documentId="d-1"><Field \
                    name="drugName_title">Aspirin</Field>\
                    <Field name="endDate"/><Field name="fulfillments"/></Model></Models>
                    """
            )
        )
        #expect(
            try medication.xml().xml()
                == "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model name=\"Medication\">"
                + "<Field name=\"drugName_title\">Aspirin</Field></Model></Models>"
        )
    }

    @Test(
        "text that needs escaping comes back the same",
        arguments: ["<&>\"'", "a\nb\tc", "日本語 🩺", "]]>", "&amp;"]
    )
    func escaping(text: String) throws {
        let phase = SleepPhase()
        phase.kind = text
        #expect(try SleepPhase.read(from: XMLNode(parsing: phase.xml().xml())).kind == text)
    }
}
