import IndivoModel
import IndivoXML
import Testing

@Suite("Field projections")
struct ProjectionTests {
    private let source = """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication">
        <Field name="name_title">Aspirin</Field>
        <Field name="startDate">2012-05-01</Field><Field name="endDate"/>
        <Field name="fulfillments"><Models/></Field></Model></Models>
        """

    @Test("a field tells its names, its place and whether the document has it")
    func dataModel() throws {
        let medication = try Medication.read(from: XMLNode(parsing: source))
        let drug = medication.$drugName
        #expect(drug.property == "drugName" && drug.name == "drugName" && drug.formerNames == ["name"])
        #expect(drug.path == "Medication/drugName")
        #expect(drug.leafNames == ["drugName_title", "drugName_system", "drugName_identifier"])
        #expect(drug.presence == .present && drug.isPresent && drug.line == 2)
        #expect(medication.$startDate.presence == .present && medication.$startDate.line == 3)
        #expect(medication.$endDate.presence == .empty && !medication.$endDate.isPresent)
        #expect(medication.$instructions.presence == .absent && medication.$instructions.line == nil)
        #expect(
            medication.$fulfillments.presence == .empty
                && medication.$fulfillments.leafNames == ["fulfillments"]
        )
        medication.instructions = "daily"
        #expect(medication.$instructions.presence == .absent, "it is the source's, not the property's")
        #expect(Medication().$startDate.presence == .absent)
    }

    @Test("inherited fields and fields with another name have projections too")
    func inherited() throws {
        let nap = NapAtWork()
        #expect(nap.$excuse.path == "Nap/excuse")
        #expect(nap.$nightOf.name == "night-of" && nap.$nightOf.property == "nightOf")
        #expect((nap as SleepNight).$score.path == "Nap/score")
    }

    private final class Note: IndivoDocument {
        override class var format: Format { .nested(root: "note", namespace: nil) }
        @Field("by", in: .attribute) var author: String?
        @Field(in: .attribute) var at: XMLDateTime?
        @Field("t") var title: String?
        @Field var tags: [String]
        @Field(in: .text) var text: String?
    }

    @Test("in nested XML too: elements, attributes and text")
    func nested() throws {
        let note = try Note.read(from: XMLNode(parsing: "<note by=''><t>x</t><tags/></note>"))
        #expect(note.$author.path == "note/@by" && note.$author.presence == .empty)
        #expect(note.$at.presence == .absent)
        #expect(note.$title.path == "note/t" && note.$title.presence == .present)
        #expect(note.$tags.presence == .empty)
        // The text of the elements in it is not its own.
        #expect(note.$text.path == "note" && note.$text.presence == .empty && note.text == nil)
        #expect(try Note.read(from: XMLNode(parsing: "<note>so<t>x</t></note>")).$text.presence == .present)
    }
}
