import FHIR
import FHIRValidation
import Testing

/// The code of the page “Making resources”, as it stands there.
@Suite("The page on making resources")
struct MakingResourcesPageTests {
    @Test("its patient and observation are valid, and say what they were given")
    func page() throws {
        var patient = Patient(
            name: HumanName(family: "Lovelace", given: ["Ada", "Augusta"], use: .official),
            identifier: Identifier(system: "https://clinic.example.org/patients", value: "4711"),
            gender: .female,
            birthDate: "1815-12-10"
        )
        patient.telecom = [ContactPoint(system: .phone, value: "+44 20 7946 0000", use: .home)]
        patient.active = true

        var address = Address()
        address.line = ["12 St James's Square"]
        address.city = "London"
        patient.address = [address]

        for issue in patient.issues() { print(issue) }
        print(patient.tree.text(.pretty))

        var weight = Observation(status: .final, code: .loinc("29463-7", "Body weight"))
        weight.category = [
            CodeableConcept(
                Coding(
                    system: "http://terminology.hl7.org/CodeSystem/observation-category",
                    code: "vital-signs"
                )
            )
        ]
        weight.subject = Reference("Patient/7")
        weight.effective = .dateTime("2026-11-22T07:05:00+01:00")
        weight.value = .quantity(Quantity(value: 74.8, unit: "kg", system: .ucum, code: "kg"))
        let bundle = FHIRBundle(type: .collection, resources: [AnyResource(patient), AnyResource(weight)])
        #expect(bundle.issues().filter(\.isError).isEmpty && patient.issues().isEmpty)
        #expect(patient.name.first?.displayName == "Ada Augusta Lovelace")
        #expect(patient.tree.text().contains(#""birthDate":"1815-12-10""#))
    }
}
