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
        #expect(medication == Medication { $0.drugName = CodedValue(title: "Vitamin C"); $0.startDate = "2026-11-21" })
        #expect(medication != Medication { $0.startDate = "2026-11-21" })
    }

    @Test("a copy says the same, keeps the unknown, and goes its own way")
    func copying() throws {
        let original = try Medication.read(
            from: XMLNode(
                parsing: """
                    <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication" documentId="d-1">\
                    <Field name="drugName_title">Aspirin</Field><Field name="mood">calm</Field><Field name="fulfillments">\
                    <Models><Model name="Fill"><Field name="pbm">T1</Field></Model></Models></Field></Model></Models>
                    """))
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
            try SleepNight.read(from: XMLNode(parsing: "<Model name=\"SleepNight\"><Field name=\"score\">\(score)</Field></Model>"))
        }
        #expect(try night("0.50") == night("0.5"))
        #expect(try night("0.50") != night("0.51"))
    }
}
