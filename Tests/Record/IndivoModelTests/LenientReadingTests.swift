import IndivoModel
import IndivoXML
import Testing

@Suite("Reading as much as can be read")
struct LenientReadingTests {
    private let source = """
        <Models xmlns="http://indivo.org/vocab/xml/documents#">
        <Model name="Medication">
        <Field name="drugName_title">Aspirin</Field>
        <Field name="startDate">in spring</Field>
        <Field name="endDate">2012-05-01</Field>
        <Field name="fulfillments"><Models><Model name="Fill">
        <Field name="date">never</Field>
        <Field name="dispenseDaysSupply">30</Field>
        </Model></Models></Field>
        </Model>
        </Models>
        """

    @Test("every unreadable value is noted with its line, and everything else is read")
    func collects() throws {
        var problems: [DocumentError] = []
        let medication = try Medication.read(from: XMLNode(parsing: source), problems: &problems)
        #expect(problems.map(\.line) == [4, 7])
        #expect(problems.map(\.document) == ["Medication", "Fill"])
        #expect(problems.map(\.property) == ["startDate", "date"])
        #expect(medication.startDate == nil)
        #expect(medication.drugName?.title == "Aspirin")
        #expect(medication.endDate == "2012-05-01")
        #expect(medication.fulfillments.first?.dispenseDaysSupply == 30)
        #expect(throws: DocumentError.self) { try Medication.read(from: XMLNode(parsing: source)) }
    }

    @Test("an unreadable value's text is written back until another value takes its place")
    func keepsText() throws {
        var problems: [DocumentError] = []
        let medication = try Medication.read(from: XMLNode(parsing: source), problems: &problems)
        func model(_ root: XMLNode) throws -> XMLNode { try #require(root.child(named: "Model")) }
        #expect(try model(medication.xml()).canonical() == model(XMLNode(parsing: source)).canonical())
        medication.fulfillments.first?.dispenseDaysSupply = 60
        #expect(
            try model(medication.xml()).canonical()
                == model(XMLNode(parsing: source.replacing(">30<", with: ">60.0<"))).canonical()
        )
        medication.startDate = "2012-03-20"
        #expect(try medication.xml().xml().contains("<Field name=\"startDate\">2012-03-20</Field>"))
    }

    @Test("all models of a document are read, and all of their problems noted")
    func wholeDocument() throws {
        let fill = "<Model name=\"Fill\"><Field name=\"date\">x</Field></Model>"
        let two = source.replacing("</Model>\n</Models>", with: "</Model>\(fill)</Models>")
        var problems: [DocumentError] = []
        let document = try SDMXDocument(XMLNode(parsing: two), problems: &problems)
        #expect(document.models.count == 2)
        #expect(problems.count == 3)
        #expect(try document.xml().canonical() == XMLNode(parsing: two).canonical())
    }

    @Test("nested XML is read in the same way, attributes and missing values included")
    func nested() throws {
        let text = """
            <Demographics xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>long ago</dateOfBirth>
            <gender>unknown</gender><Name><familyName>Lopez</familyName><givenName>Ana</givenName></Name>\
            </Demographics>
            """
        var problems: [DocumentError] = []
        let demographics = try Demographics.read(from: XMLNode(parsing: text), problems: &problems)
        #expect(problems.map(\.property) == ["dateOfBirth", "gender"])
        #expect(demographics.name?.familyName == "Lopez")
        #expect(try demographics.xml().canonical() == XMLNode(parsing: text).canonical())

        var missing: [DocumentError] = []
        let record = try RecordInformation.read(
            from: XMLNode(parsing: "<Record label='x'><created at='noon'/></Record>"),
            problems: &missing
        )
        #expect(missing.map(\.property) == ["id", "created.at"])
        #expect(missing.first?.reason == .missingValue)
        #expect(record.label == "x")
    }

    @Test("a message of a severity that nobody has heard of is read")
    func severity() throws {
        let text = "<Messages><Message id='1'><severity>extreme</severity></Message></Messages>"
        let messages = try Messages.read(from: XMLNode(parsing: text))
        #expect(messages.messages.first?.severity == "extreme")
        #expect(messages.messages.first?.severity != .high)
    }

    @Test("what is no such document is refused all the same")
    func otherDocument() throws {
        var problems: [DocumentError] = []
        #expect(throws: DocumentError.self) {
            try Medication.read(from: XMLNode(parsing: "<Equipment/>"), problems: &problems)
        }
        #expect(problems.isEmpty)
    }

    @Test("a document tells which of its fields its model knows, by which names")
    func sourceFields() throws {
        let text = """
            <Model name="Medication"><Field name="startDate">2012-01-01</Field>
            <Field name="name_title">x</Field><Field name="colour">blue</Field><Field \
            name="fulfillments"><Models/></Field></Model>
            """
        let fields = try Medication.read(from: XMLNode(parsing: text)).sourceFields
        #expect(fields.map(\.name) == ["startDate", "name_title", "colour", "fulfillments"])
        #expect(fields.map(\.meaning) == [.known, .formerly("drugName_title"), .unknown, .known])
        #expect(fields.map(\.line) == [1, 2, 2, 2])
        #expect(Medication().sourceFields.isEmpty)
    }

    @Test("problems of a document that was read tell the line")
    func problemLines() throws {
        var unreadable: [DocumentError] = []
        let medication = try Medication.read(from: XMLNode(parsing: source), problems: &unreadable)
        let problems = try medication.problems()
        #expect(problems.first { $0.property == "drugName.system" }?.line == 2)
        #expect(problems.first { $0.property == "fulfillments[0].date" }?.line == 7)
        #expect(try Medication().problems().allSatisfy { $0.line == nil })
    }

    /// A class with values that must be there, as few are.
    private final class Counter: IndivoDocument {
        @Field var label: String
        @Field var count: Int
        @Field var isOpen: Bool
        @Field var fill: Fill?
        @Field var fills: [Fill]
    }

    @Test("required values that cannot be read keep their text until the property is set")
    func standIns() throws {
        for (label, text) in [
            (
                "all unreadable",
                """
                <Field name=\"label\">x</Field><Field name=\"count\">many</Field><Field \
                name=\"isOpen\">perhaps</Field>
                """
            ),
            ("all missing", "<Field name=\"other\">x</Field>"),
            ("empty", "<Field name=\"count\"/><Field name=\"isOpen\"/>"),
        ] {
            let source = try XMLNode(
                parsing:
                    """
                    <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
                    name=\"Counter\">\(text)</Model></Models>
                    """
            )
            var problems: [DocumentError] = []
            let counter = try Counter.read(from: source, problems: &problems)
            #expect(!problems.isEmpty || label == "empty")
            #expect(counter.count == 0 && !counter.isOpen)
            #expect(try counter.xml().canonical() == source.canonical(), "\(label)")
            counter.count = 3
            #expect(try counter.xml().xml().contains("<Field name=\"count\">3</Field>"))
            #expect(try !counter.xml().xml().contains(">false<"))
        }
    }

    @Test("a relation that holds a model of another kind is noted, and kept")
    func wrongRelation() throws {
        let other = "<Model name=\"Problem\"><Field name=\"notes\">n</Field></Model>"
        let fill = "<Model name=\"Fill\"><Field name=\"pbm\">T1</Field></Model>"
        let text = """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Counter"><Field \
            name="label">x</Field>\
            <Field name="count">1</Field><Field name="isOpen">true</Field><Field name="fill">\(other)</Field>\
            <Field name="fills"><Models>\(fill)\(other)\(fill)</Models></Field></Model></Models>
            """
        #expect(throws: DocumentError.self) { try Counter.read(from: XMLNode(parsing: text)) }
        var problems: [DocumentError] = []
        let counter = try Counter.read(from: XMLNode(parsing: text), problems: &problems)
        #expect(problems.map(\.reason) == [.otherModel("Problem"), .otherModel("Problem")])
        #expect(counter.fill == nil && counter.fills.count == 2)
        #expect(try counter.xml().canonical() == XMLNode(parsing: text).canonical())
        counter.fills.removeFirst()
        #expect(
            try counter.xml().canonical()
                == XMLNode(parsing: text.replacing("<Models>\(fill)", with: "<Models>")).canonical()
        )
        counter.fill = Fill { $0.pbm = "T2" }
        let changed = try Counter.read(from: counter.xml(), problems: &problems)
        #expect(changed.fill?.pbm == "T2" && changed.fills.count == 1)
    }

    @Test("nested XML keeps what it has for values that must be there")
    func nestedStandIns() throws {
        let text = "<Records><Record label=\"x\"/><Record id=\"2\" label=\"y\"/></Records>"
        var problems: [DocumentError] = []
        var list = try RecordList.read(from: XMLNode(parsing: text), problems: &problems)
        #expect(problems.map(\.property) == ["records.id"] || problems.map(\.property) == ["id"])
        #expect(try list.xml(updating: XMLNode(parsing: text)).xml() == text)
        list.records[0].id = "1"
        #expect(try list.xml(updating: XMLNode(parsing: text)).xml().contains("id=\"1\""))
    }
}
