import Foundation
import Indivo
import IndivoSandbox
import Testing

/// The main job through the library and over HTTP: read, add, replace, archive.
@Suite("The main job")
struct MedicationTests {
    private func vitaminC() -> Medication {
        let medication = Medication()
        medication.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
        medication.startDate = "2026-11-21"
        return medication
    }

    @Test("a medication is added, reported, replaced and archived, as its history tells")
    func wholeLife() async throws {
        try await SandboxServer.run { place in
            let medication = vitaminC()
            let fill = Fill()
            fill.date = "2026-11-22T09:30:00Z"
            fill.dispenseDaysSupply = 30
            medication.fulfillments = [fill]
            try await place.record.add(medication)
            let first = try #require(medication.id)
            #expect(medication.metadata?.status == .active)
            #expect(medication.record?.id == place.record.id)

            let reported = try await place.record.reports(of: Medication.self).all()
            let found = try #require(reported.first { $0.id == first })
            #expect(found.drugName == medication.drugName)
            #expect(found.startDate == medication.startDate)
            #expect(found.fulfillments.map(\.date) == [fill.date])
            #expect(found.fulfillments.map(\.dispenseDaysSupply) == [30])

            found.instructions = "one a day"
            try await found.replace()
            let second = try #require(found.id)
            #expect(second != first)
            #expect(found.metadata?.replaces?.id == first)

            try await found.setStatus(.archived, reason: "finished")
            let left = try await place.record.reports(of: Medication.self).all()
            #expect(!left.contains { $0.id == second })
            let archived = try await place.record.reports(
                of: Medication.self,
                matching: ReportQuery(status: .archived)
            ).all()
            #expect(archived.map(\.instructions) == ["one a day"])
            // The fill was found again in the stored document, not stored a second time.
            #expect(archived.map(\.fulfillments.count) == [1])
            #expect(try await found.versions().map(\.id) == [first, second])
            let history = try await found.statusHistory()
            #expect(history.map(\.status) == [.archived])
            #expect(history.map(\.reason) == ["finished"])
        }
    }

    @Test("replacing a document that came from a report keeps what the report left out")
    func keepsTheRest() async throws {
        try await SandboxServer.run { place in
            let signs = VitalSigns()
            signs.date = "2026-11-20T08:00:00Z"
            signs.weight = VitalSign(70.5, "kg")
            let visit = Encounter()
            visit.startDate = "2026-11-20T08:00:00Z"
            visit.encounterType = CodedValue(
                title: "Ambulatory",
                system: .smart("EncounterType"),
                identifier: "ambulatory"
            )
            signs.encounter = visit
            try await place.record.add(signs)

            let reported = try #require(
                try await place.record.reports(of: VitalSigns.self).all().first { $0.id == signs.id }
            )
            #expect(reported.encounter == nil, "a server does not report it")
            reported.weight?.value = 71
            try await reported.replace()
            reported.weight?.value = 72
            try await reported.replace()

            #expect(
                reported.encounter?.encounterType?.identifier == "ambulatory",
                "it is known once it was read"
            )
            let encounters = try await place.record.reports(of: Encounter.self).all()
            #expect(encounters.contains { $0.id == reported.id }, "the encounter is in the newest version")
        }
    }

    @Test("several models are one document with one id; replacing one keeps the others")
    func severalModels() async throws {
        try await SandboxServer.run { place in
            let problem = Problem()
            problem.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
            problem.startDate = "2026-11-20T00:00:00Z"
            let medication = vitaminC()
            try await place.record.add(SDMXDocument([problem, medication]))
            #expect(problem.id != nil && problem.id == medication.id)

            medication.instructions = "one a day"
            try await medication.replace()
            let problems = try await place.record.reports(of: Problem.self).all()
            #expect(problems.contains { $0.id == medication.id && $0.name?.title == "Cough" })
        }
    }

    @Test("adding twice and replacing a new or an outdated document send nothing")
    func refusedBeforeSending() async throws {
        try await SandboxServer.run { place in
            let medication = vitaminC()
            await #expect(throws: IndivoError.self) { try await medication.replace() }
            try await place.record.add(medication)
            await #expect(throws: IndivoError.self) { try await place.record.add(medication) }
            let old = try #require(
                try await place.record.reports(of: Medication.self).all().first { $0.id == medication.id }
            )
            try await medication.replace()
            try await old.refreshMetadata()
            let error = await #expect(throws: IndivoError.self) { try await old.replace() }
            #expect(error?.status == nil, "refused here, not by the server")
            await #expect(throws: IndivoError.self) { try await medication.setStatus(.void, reason: "") }
        }
    }

    @Test("what the server refuses is told in its own words")
    func refusedByTheServer() async throws {
        try await SandboxServer.run { place in
            let medication = vitaminC()
            medication.instructions = String(repeating: "x", count: 300)
            let error = await #expect(throws: IndivoError.self) {
                try await place.record.add(medication, validation: .none)
            }
            #expect(error?.status == 400)
            #expect(error?.description.contains("at most 255 characters") == true)
            #expect(medication.id == nil)
            let reported = try await place.record.reports(of: Medication.self).all()
            #expect(!reported.contains { $0.drugName?.identifier == "316153" }, "nothing was stored")
        }
    }

    @Test("more documents than a page holds are all read")
    func paging() async throws {
        try await SandboxServer.run { place in
            let fills = (0..<205).map { number in
                let fill = Fill()
                fill.date = "2026-01-01T00:00:00Z"
                fill.dispenseDaysSupply = Double(number)
                return fill
            }
            try await place.record.add(SDMXDocument(fills))
            let supplies = try await place.record.reports(of: Fill.self).all().compactMap(
                \.dispenseDaysSupply
            )
            #expect(Set(supplies).isSuperset(of: (0..<205).map(Double.init)))
        }
    }

    @Test("an app's own class of documents is stored and replaced as others are")
    func ownClass() async throws {
        final class Note: RecordDocument {
            var documentPlace = DocumentPlace()
            var text: String

            init(_ text: String) { self.text = text }

            init(reading file: FileDocument) throws {
                text = try file.contentToStore().text
                documentPlace = file.documentPlace
            }

            func contentToStore() -> FileContent { FileContent(text: text) }
        }
        try await SandboxServer.run { place in
            let note = Note("slept well")
            #expect(note.state == .new)
            try await place.record.add(note)
            #expect(note.state == .pushed)
            let first = try #require(note.documentPlace.id)
            #expect(note.record?.id == place.record.id)
            note.text = "slept badly"
            #expect(note.state == .changed)
            try await note.replace()
            let second = try #require(note.documentPlace.id)
            #expect(second != first)
            let again = try await Note(reading: place.record.document(second))
            #expect(again.text == "slept badly")
            #expect(again.state == .pushed)
            again.text = "slept at last"
            try await again.replace()
        }
    }
}
