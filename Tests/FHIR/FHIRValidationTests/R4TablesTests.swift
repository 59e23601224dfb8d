import FHIRTables
import FHIRValidation
import Testing

@Suite("The tables of rules, searches and compartments")
struct R4TablesTests {
    @Test("all types have search parameters, and references to any type")
    func searchParameters() {
        let named = Set(SearchParameter.r4.map(\.resource))
        let without = Definitions.r4.resourceNames.subtracting(named)
        // Types that are only found by what all have.
        let none: Set = [
            "Binary", "BiologicallyDerivedProduct", "CatalogEntry", "MedicinalProductIngredient",
            "MedicinalProductManufactured", "ObservationDefinition", "OperationOutcome", "Parameters",
            "SubstanceNucleicAcid", "SubstancePolymer", "SubstanceProtein", "SubstanceReferenceInformation",
            "SubstanceSourceMaterial",
        ]
        #expect(without == none)
        let entity = SearchParameter.r4.first { $0.resource == "AuditEvent" && $0.name == "entity" }
        #expect(entity?.targets.contains("VisionPrescription") == true)
    }

    @Test("what belongs to a patient")
    func compartments() {
        let patient = Compartment.parameters(of: "Patient")
        #expect(patient["Observation"] == ["subject", "performer"])
        #expect(patient["Coverage"]?.contains("beneficiary") == true && patient["Organization"] == nil)
        #expect(Compartment.parameters(of: "Nothing").isEmpty)
        for (type, names) in patient {
            for name in names {
                #expect(
                    SearchParameter.r4.contains { $0.resource == type && $0.name == name },
                    "\(type).\(name)"
                )
            }
        }
    }

    @Test("a rule has what it means")
    func rules() {
        #expect(RuleTable.r4["obs-3"]?.human == "Must have at least a low or a high or text")
        #expect(RuleTable.r4.keys.allSatisfy { RuleTable.r4[$0]?.human.isEmpty == false })
        #expect(RuleTable.r4["nothing-1"] == nil)
    }
}
