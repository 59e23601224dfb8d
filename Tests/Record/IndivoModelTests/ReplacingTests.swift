import IndivoModel
import IndivoXML
import Testing

/// What a new version of a stored document holds, when the object came from a report on it.
@Suite("Replacing without losing")
struct ReplacingTests {
    private let namespace = "http://indivo.org/vocab/xml/documents#"

    @Test("fields, models and comments that the report left out stay")
    func keepsTheRest() throws {
        let stored = try XMLNode(
            parsing: """
                <Models xmlns="\(namespace)"><!-- kept --><Model name="Problem"><Field \
                name="name_title">Cough</Field></Model>\
                <Model name="VitalSigns"><Field name="date">2026-11-20</Field><Field \
                name="weight_value">70.50</Field>\
                <Field name="extra">1</Field><Field name="encounter"><Model name="Encounter">\
                <Field name="startDate">2026-11-20T08:00:00Z</Field></Model></Field></Model></Models>
                """
        )
        let report = try XMLNode(
            parsing: """
                <Models><Model name="VitalSigns" documentId="d-1"><Field \
                name="date">2026-11-20T00:00:00Z</Field>\
                <Field name="weight_value">70.5</Field><Field name="weight_unit"/></Model></Models>
                """
        )
        let signs = try VitalSigns.read(from: report)
        signs.weight?.value = 71
        let prepared = try PreparedDocument(replacing: signs, in: stored)
        #expect(
            try prepared.root.xml()
                == stored.xml().replacing("70.50", with: "71.0")
        )
    }

    @Test("of several models of one kind the one that was read is changed")
    func findsTheModel() throws {
        let stored = try XMLNode(
            parsing: """
                <Models xmlns="\(namespace)"><Model name="Problem"><Field \
                name="name_title">Cough</Field></Model>\
                <Model name="Problem"><Field name="name_title">Fever</Field></Model></Models>
                """
        )
        let fever = try Problem.read(
            from: XMLNode(
                parsing:
                    """
                    <Model name="Problem" documentId="d"><Field name="name_title">Fever</Field></Model>
                    """
            )
        )
        fever.notes = "since Monday"
        let written = try SDMXDocument(PreparedDocument(replacing: fever, in: stored).root)
        #expect(written.models.map { ($0 as? Problem)?.notes } == [nil, "since Monday"])
    }

    @Test("when none of several models is the one that was read, nothing is replaced")
    func refusesToGuess() throws {
        let stored = try XMLNode(
            parsing: """
                <Models xmlns="\(namespace)"><Model name="Problem"><Field \
                name="name_title">Cough</Field></Model>\
                <Model name="Problem"><Field name="name_title">Fever</Field></Model></Models>
                """
        )
        let other = try Problem.read(
            from: XMLNode(
                parsing:
                    "<Model name=\"Problem\" documentId=\"d\"><Field name=\"name_title\">Rash</Field></Model>"
            )
        )
        #expect(throws: DocumentError.self) { try PreparedDocument(replacing: other, in: stored) }
    }

    @Test("related documents are matched by content and keep what the report does not know")
    func relatedDocuments() throws {
        let stored = try XMLNode(
            parsing: """
                <Models xmlns="\(namespace)"><Model name="Medication"><Field \
                name="drugName_title">Aspirin</Field>\
                <Field name="fulfillments"><Models>\
                <Model name="Fill"><Field name="date">2026-01-01</Field><Field name="batch">A</Field></Model>\
                <Model name="Fill"><Field name="date">2026-02-01</Field><Field name="batch">B</Field></Model>\
                </Models></Field></Model></Models>
                """
        )
        // A report lists related models in any order.
        let medication = try Medication.read(
            from: XMLNode(
                parsing: """
                    <Models><Model name="Medication" documentId="d"><Field \
                    name="drugName_title">Aspirin</Field>\
                    <Field name="fulfillments"><Models>\
                    <Model name="Fill" documentId="d"><Field name="date">2026-02-01T00:00:00Z</Field></Model>\
                    <Model name="Fill" documentId="d"><Field name="date">2026-01-01T00:00:00Z</Field></Model>\
                    </Models></Field></Model></Models>
                    """
            )
        )
        medication.fulfillments[0].pbm = "new"
        let root = try PreparedDocument(replacing: medication, in: stored).root
        let fills = try Medication.read(from: root).fulfillments
        #expect(Set(fills.map { "\($0.date?.month ?? 0) \($0.pbm ?? "-")" }) == ["2 new", "1 -"])
        let text = try root.xml()
        #expect(
            text.contains("<Field name=\"batch\">A</Field>")
                && text.contains("<Field name=\"batch\">B</Field>")
        )
    }

    private final class Box: IndivoDocument {
        @Field var labels: [Label]
    }

    private final class Label: IndivoDocument {
        @Field var text: String
    }

    @Test("what could not be read back is not sent, in a new related document neither")
    func refusesTheUnreadable() throws {
        let stored = try XMLNode(
            parsing: """
                <Models xmlns="\(namespace)"><Model name="Medication"><Field \
                name="drugName_title">Aspirin</Field></Model></Models>
                """
        )
        let medication = try Medication.read(from: stored)
        let fill = Fill()
        fill.dispenseDaysSupply = .nan
        medication.fulfillments = [fill]
        let error = #expect(throws: DocumentError.self) {
            try PreparedDocument(replacing: medication, in: stored)
        }
        #expect(error?.document == "Fill" && error?.property == "dispenseDaysSupply")
        let root = try PreparedDocument(replacing: medication, in: stored, isChecked: false).root
        #expect(try root.xml().lowercased().contains(">nan<"))

        let source = try XMLNode(parsing: "<Models><Model name=\"Box\"/></Models>")
        let box = try Box.read(from: source)
        box.labels = [Label()]
        let missing = #expect(throws: DocumentError.self) {
            try PreparedDocument(replacing: box, in: source)
        }
        #expect(missing?.reason == .missingValue && missing?.property == "text")
        box.labels[0].text = "A"
        #expect(try PreparedDocument(replacing: box, in: source).root.xml().contains(">A<"))
    }
}
