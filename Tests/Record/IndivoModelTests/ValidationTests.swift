import IndivoModel
import Testing

@Suite("Validation")
struct ValidationTests {
    private func medication() -> Medication {
        let medication = Medication()
        medication.drugName = CodedValue(title: "Aspirin", system: .rxNorm, identifier: "1191")
        medication.startDate = "2026-11-21"
        return medication
    }

    @Test("a document that a server takes has no problems")
    func valid() throws {
        try medication().validate()
    }

    @Test("all problems are told at once with their properties, also of related documents")
    func allAtOnce() throws {
        let medication = Medication()
        medication.drugName = CodedValue(title: "Aspirin", system: .snomed)
        medication.provenance = CodedValue(
            title: "x",
            system: .smart("MedicationProvenance"),
            identifier: "hearsay"
        )
        medication.instructions = String(repeating: "x", count: 256)
        let fill = Fill()
        var provider = Provider()
        provider.email = "nobody"
        provider.telephone1 = Telephone("123456789012345678901")
        fill.provider = provider
        medication.fulfillments = [fill]
        let problems = try medication.problems()
        #expect(
            Set(problems.map(\.property)) == [
                "drugName.identifier", "drugName.system", "startDate", "provenance.identifier",
                "instructions",
                "fulfillments[0].date", "fulfillments[0].dispenseDaysSupply",
                "fulfillments[0].provider.email",
                "fulfillments[0].provider.telephone1.number",
            ],
            "\(problems)"
        )
        let error = #expect(throws: ValidationError.self) { try medication.validate() }
        #expect(error?.problems == problems)
        #expect(problems.allSatisfy { $0.model == "Medication" })
    }

    @Test("vital signs have fixed names and units")
    func vitalSigns() throws {
        let signs = VitalSigns()
        signs.date = "2026-11-21T08:00:00Z"
        signs.weight = VitalSign(
            150,
            "lb",
            name: CodedValue(title: "Body weight", system: .loinc, identifier: "3141-9")
        )
        signs.height = VitalSign(1.7, "m", name: CodedValue(title: "?", system: .snomed, identifier: "1"))
        var pressure = BloodPressure(systolic: VitalSign(120, "kPa"), diastolic: nil)
        pressure.position = CodedValue(title: "flying", system: .snomed, identifier: "1")
        signs.bp = pressure
        #expect(
            Set(try signs.problems().map(\.property)) == [
                "weight.unit", "height.name.system", "height.name.identifier", "bp.systolic.unit",
                "bp.position.identifier",
            ]
        )
    }

    @Test("text may be as long as the model says")
    func lengths() throws {
        let problem = Problem()
        problem.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
        problem.startDate = "2026-11-21T08:00:00Z"
        problem.notes = String(repeating: "x", count: 10_000)
        #expect(try problem.problems().isEmpty)
        problem.name?.title = String(repeating: "é", count: 256)
        #expect(try problem.problems().map(\.property) == ["name.title"])
    }
}
