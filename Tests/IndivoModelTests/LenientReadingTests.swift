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
                == model(XMLNode(parsing: source.replacing(">30<", with: ">60.0<"))).canonical())
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
            <gender>unknown</gender><Name><familyName>Lopez</familyName><givenName>Ana</givenName></Name></Demographics>
            """
        var problems: [DocumentError] = []
        let demographics = try Demographics.read(from: XMLNode(parsing: text), problems: &problems)
        #expect(problems.map(\.property) == ["dateOfBirth", "gender"])
        #expect(demographics.name?.familyName == "Lopez")
        #expect(try demographics.xml().canonical() == XMLNode(parsing: text).canonical())

        var missing: [DocumentError] = []
        let record = try RecordInformation.read(
            from: XMLNode(parsing: "<Record label='x'><created at='noon'/></Record>"), problems: &missing)
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
            <Field name="name_title">x</Field><Field name="colour">blue</Field><Field name="fulfillments"/></Model>
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
}
