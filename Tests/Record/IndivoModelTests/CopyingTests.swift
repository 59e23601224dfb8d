import IndivoModel
import IndivoXML
import Testing

@Suite("Making, copying and comparing documents")
struct CopyingTests {
    @Test("a document is made in one expression")
    func building() {
        let medication = Medication {
            $0.drugName = CodedValue(title: "Vitamin C")
            $0.startDate = "2026-11-21"
        }
        #expect(medication.drugName?.title == "Vitamin C")
        #expect(
            medication
                == Medication {
                    $0.drugName = CodedValue(title: "Vitamin C")
                    $0.startDate = "2026-11-21"
                }
        )
        #expect(medication != Medication { $0.startDate = "2026-11-21" })
    }

    @Test("a copy says the same, keeps the unknown, and goes its own way")
    func copying() throws {
        let original = try Medication.read(
            from: XMLNode(
                parsing: """
                    <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication" \
                    documentId="d-1">\
                    <Field name="drugName_title">Aspirin</Field><Field name="mood">calm</Field><Field \
                    name="fulfillments">\
                    <Models><Model name="Fill"><Field \
                    name="pbm">T1</Field></Model></Models></Field></Model></Models>
                    """
            )
        )
        let copy = try original.copy()
        #expect(copy == original)
        #expect(copy.id == nil && original.id == "d-1")
        #expect(try copy.xml().xml().contains("<Field name=\"mood\">calm</Field>"))
        copy.fulfillments[0].pbm = "T2"
        copy.drugName?.title = "ASA"
        #expect(original.fulfillments[0].pbm == "T1" && original.drugName?.title == "Aspirin")
        #expect(copy != original)
        let ofAnyClass: IndivoDocument = original
        #expect(try ofAnyClass.copy() is Medication)
    }

    @Test("spelling makes no difference, values do")
    func comparing() throws {
        func night(_ score: String) throws -> SleepNight {
            try SleepNight.read(
                from: XMLNode(
                    parsing: "<Model name=\"SleepNight\"><Field name=\"score\">\(score)</Field></Model>"
                )
            )
        }
        #expect(try night("0.50") == night("0.5"))
        #expect(try night("0.50") != night("0.51"))
    }

    private final class Moment: IndivoDocument {
        @Field var at: XMLDateTime?
        @Field var time: XMLTime?
        @Field var span: XMLDuration?
        @Field var share: Double?
    }

    @Test(
        "values of every type are compared, not their spellings",
        arguments: [
            ("at", "2026-11-21T08:00:00.50Z", "2026-11-21T08:00:00.5Z", true),
            ("at", "2026-11-21T08:00:00Z", "2026-11-21T08:00:00", false),
            ("at", "2026-11-21T08:00:00.000000001Z", "2026-11-21T08:00:00Z", false),
            ("time", "08:00:00.0", "08:00:00", true), ("time", "24:00:00", "00:00:00", true),
            ("span", "P14M", "P1Y2M", true), ("span", "P1M", "P30D", false), ("share", "1e3", "1000", true),
        ]
    )
    func comparingTypes(field: String, a: String, b: String, areSame: Bool) throws {
        let moments = try [a, b].map { text in
            try Moment.read(
                from: XMLNode(
                    parsing: "<Model name=\"Moment\"><Field name=\"\(field)\">\(text)</Field></Model>"
                )
            )
        }
        #expect((moments[0] == moments[1]) == areSame)
    }
}

@Suite("Descriptions")
struct DescriptionTests {
    private let source = """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication" documentId="d-1">\
        <Field name="drugName_title">Aspirin</Field><Field name="mood">calm</Field>\
        <Field name="instructions">one\ntwo</Field><Field name="fulfillments"><Models><Model name="Fill">\
        <Field name="dispenseDaysSupply">30.0</Field><Field \
        name="provider_name_family">Ito</Field></Model></Models></Field>\
        <Field name="moods"><Models><Model name="Mood"><Field \
        name="kind">good</Field></Model></Models></Field>\
        </Model></Models>
        """

    @Test("the short one tells the kind and the id, and nothing of the patient")
    func short() throws {
        let medication = try Medication.read(from: XMLNode(parsing: source))
        #expect(medication.description == "Medication d-1")
        #expect("\([medication])".contains("Aspirin") == false)
        #expect(Medication().description == "Medication (new)")
    }

    @Test("the full description has all values, related documents and unknown content")
    func full() throws {
        let medication = try Medication.read(from: XMLNode(parsing: source))
        medication.startDate = "2026-11-21"
        #expect(
            medication.fullDescription == """
                Medication d-1
                  drugName.title: Aspirin
                  startDate: 2026-11-21
                  instructions: one
                    two
                  fulfillments[0]: Fill
                    dispenseDaysSupply: 30.0
                    provider.name.family: Ito
                  mood: calm
                  moods: Mood
                    kind: good
                """
        )
        let mood = "<Model name=\"Mood\"><Field name=\"kind\">good</Field></Model>"
        #expect(
            try GenericDocument.read(from: XMLNode(parsing: mood)).fullDescription == "Mood\n  kind: good"
        )
        let demographics = Demographics {
            $0.gender = .female
            var phone = Demographics.Phone()
            phone.number = "555-0101"
            $0.telephones = [phone]
        }
        #expect(
            demographics.fullDescription == """
                Demographics
                  gender: female
                  telephones[0].number: 555-0101
                """
        )
    }
}
