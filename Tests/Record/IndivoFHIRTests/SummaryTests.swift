import FHIR
import Foundation
import Indivo
import Testing

@testable import IndivoFHIR

@Suite("The International Patient Summary")
struct SummaryTests {
    private func summary(_ models: [(String, KeyValuePairs<String, String>)]) -> FHIRExport {
        RecordContent(
            id: "r1",
            documents: models.enumerated().map { index, model in
                .init(id: "d\(index)", content: TestDocument.sdmx(model.0, TestDocument.fields(model.1)))
            }
        ).patientSummary(at: "2026-11-25T12:00:00Z")
    }

    private func composition(_ export: FHIRExport) throws -> Composition {
        try #require(export.bundle.entry.first?.resource?.as(Composition.self))
    }

    private func codes(_ export: FHIRExport) throws -> [String] {
        try composition(export).section.compactMap { $0.code?.firstCode }
    }

    @Test("problems, allergies and medications without entries say that nothing is known")
    func empty() throws {
        let export = summary([])
        #expect(try codes(export) == ["11450-4", "48765-2", "10160-0"])
        for section in try composition(export).section {
            #expect(section.emptyReason?.firstCode == "unavailable")
            #expect(section.text?.status == .generated)
        }
        Structure.check(export.bundle)
    }

    @Test("each fact is in its section, past problems apart, and references lead to entries")
    func sections() throws {
        let export = summary([
            ("Problem", ["name_title": "Asthma"]),
            ("Problem", ["name_title": "Flu", "endDate": "2012-05-04"]),
            ("Allergy", ["drug_allergen_title": "Penicillin"]), ("Medication", ["drugName_title": "Aspirin"]),
            ("Immunization", ["product_name_title": "MMR", "date": "2012-05-04"]),
            ("LabResult", ["test_name_title": "Sodium", "narrative_result": "fine"]),
            ("Procedure", ["name": "Knee"]), ("Equipment", ["name": "Pacemaker"]),
            ("VitalSigns", ["date": "2012-05-04", "weight_value": "70", "weight_unit": "kg"]),
            ("SimpleClinicalNote", ["content": "a note"]),
        ])
        #expect(
            try codes(export) == [
                "11450-4", "48765-2", "10160-0", "11369-6", "30954-2", "47519-4", "46264-8", "11348-0",
                "8716-3",
            ]
        )
        let urls = Set(export.bundle.entry.compactMap { $0.fullUrl?.rawValue })
        for section in try composition(export).section {
            #expect(section.entry.count == 1)
            #expect(section.entry.allSatisfy { urls.contains($0.reference ?? "") })
            #expect(section.emptyReason == nil)
        }
        #expect(export.bundle.resources(of: Provenance.self).isEmpty)
        #expect(
            export.bundle.resources(of: MedicationStatement.self).first?.tree["_effectiveDateTime"] != nil
        )
        #expect(export.bundle.type == .document && export.bundle.identifier != nil)
        Structure.check(export.bundle)
    }

    @Test("the same record and time give the same document")
    func repeatable() {
        let facts: [(String, KeyValuePairs<String, String>)] = [("Problem", ["name_title": "Asthma"])]
        #expect(summary(facts).bundle == summary(facts).bundle)
    }
}
