import Foundation
import Indivo
import IndivoOutbox
import Testing

@Suite("Documents from reports in an outbox")
struct ReportChangeTests {
    /// A document with what no report tells, in a model of the document's own and beside it.
    private static let stored = """
        <!-- kept --><Models xmlns="http://indivo.org/vocab/xml/documents#">
          <Model name="Medication">
            <Field name="drugName_title">Test A</Field>
            <Field name="drugName_system">http://purl.bioontology.org/ontology/RXNORM/</Field>
            <Field name="drugName_identifier">316153</Field>
            <Field name="startDate">2026-11-21</Field><!-- kept too -->
            <Field name="fulfillments"><Models>
              <Model name="Fill"><Field name="date">2026-11-21T10:00:00Z</Field><Field \
        name="dispenseDaysSupply">30</Field><!-- of the first --></Model>
              <Model name="Fill"><Field name="date">2026-11-21T10:00:00Z</Field><Field \
        name="dispenseDaysSupply">60</Field><!-- of the second --></Model>
            </Models></Field>
          </Model>
        </Models>
        """

    private func storeMedication(_ place: Place) async throws -> IndivoRecord {
        let record = place.record()
        try await record.add(FileDocument(FileContent(text: Self.stored, contentType: "application/xml")))
        return record
    }

    private func report(_ record: IndivoRecord) async throws -> Medication {
        try #require(
            try await record.reports(of: Medication.self).all().first { $0.drugName?.title == "Test A" }
        )
    }

    @Test("demographics are not queued as the next version of a document")
    func demographics() async throws {
        try await Place.use { place in
            let record = place.record()
            let person = try await record.demographics()
            let id = try #require(person.id)
            let outbox = try place.outbox()
            person.email = "ann@example.org"
            await #expect(throws: OutboxError.self) { try await outbox.replace(person) }
            await #expect(throws: OutboxError.self) {
                try await outbox.replace(.document(id: id), with: Demographics(), validation: .none)
            }
            #expect(try await outbox.items().isEmpty)
            try await record.setDemographics(person)
        }
    }

    @Test(
        "a queued change goes into the stored document: what a report left out is kept"
    )
    func merged() async throws {
        try await Place.use { place in
            let record = try await storeMedication(place)
            let medication = try await report(record)
            let id = try #require(medication.id)
            let outbox = try place.outbox()
            medication.instructions = "one a day"
            let thirty = try #require(medication.fulfillments.first { $0.dispenseDaysSupply == 30 })
            thirty.dispenseDaysSupply = 31
            let third = Fill()
            third.date = "2026-11-22T10:00:00Z"
            third.dispenseDaysSupply = 90
            medication.fulfillments.append(third)
            let item = try await outbox.replace(medication)
            #expect(item.change == .replace && item.target == .document(id: id) && item.model == "Medication")
            #expect(try await outbox.content(of: item).models().models.first == medication)

            // Another change on top, of the object and then of the one that is read back after a new start.
            medication.endDate = "2026-12-24"
            let second = try await outbox.replace(medication)
            #expect(second.target == .item(item.id))
            let again = try await place.outbox().document(of: second, as: Medication.self)
            #expect(again == medication)
            again.instructions = "two a day"
            let last = try await place.outbox().replace(again)

            let delivered = try await outbox.flush()
            #expect(delivered.delivered.map(\.id) == [item.id, second.id, last.id] && delivered.stop == nil)
            let newest = try #require(try await record.document(externalID: last.id))
            let text = try #require(newest.content?.text)
            for kept in [
                "<!-- kept -->", "<!-- kept too -->", "<!-- of the first -->", "<!-- of the second -->",
            ] {
                #expect(text.contains(kept), "\(kept)")
            }
            let result = try await record.document(try #require(newest.id), as: Medication.self)
            #expect(
                result.instructions == "two a day" && result.startDate == "2026-11-21"
                    && result.endDate == "2026-12-24"
            )
            #expect(
                result.fulfillments.map(\.dispenseDaysSupply).sorted { ($0 ?? 0) < ($1 ?? 0) } == [
                    31, 60, 90,
                ]
            )
        }
    }

    @Test("a number that is not finite is refused when it is queued, and erases nothing")
    func notFinite() async throws {
        try await Place.use { place in
            let record = try await storeMedication(place)
            let medication = try await report(record)
            let outbox = try place.outbox()
            let fill = try #require(medication.fulfillments.first { $0.dispenseDaysSupply == 30 })
            fill.dispenseDaysSupply = .nan
            await #expect(throws: IndivoError.self) { try await outbox.replace(medication) }
            let error = try await #require(throws: OutboxError.self) {
                try await outbox.replace(medication, validation: .none)
            }
            #expect("\(error)".contains("a finite number"))
            #expect(try await outbox.items().isEmpty)
            fill.dispenseDaysSupply = 31
            medication.instructions = "one a day"
            try await outbox.replace(medication, validation: .none)
            #expect(try await outbox.flush().delivered.count == 1)
            let supplies = try await report(record).fulfillments.map(\.dispenseDaysSupply)
            #expect(Set(supplies) == [31, 60])
        }
    }

    @Test("an item of a minimal report is changed in the same way")
    func minimal() async throws {
        try await Place.use { place in
            let record = place.record()
            let device = EquipmentDocument()
            device.dateStarted = "2026-01-01"
            device.name = "Test pump"
            device.vendor = "V"
            device.details = "a pump"
            try await record.add(device)
            let found = try #require(try await record.equipment().all().first { $0.name == "Test pump" })
            found.vendor = "W"
            let outbox = try place.outbox()
            let item = try await outbox.replace(found)
            #expect(try await outbox.flush().delivered.map(\.id) == [item.id])
            let newest = try #require(try await record.document(externalID: item.id)?.id)
            let result = try await record.document(newest, as: EquipmentDocument.self)
            #expect(result.vendor == "W" && result.details == "a pump" && result.dateStarted == "2026-01-01")
        }
    }

    @Test("a document replaced meanwhile is not overwritten: the change is set aside")
    func overtaken() async throws {
        try await Place.use { place in
            let record = try await storeMedication(place)
            let medication = try await report(record)
            let other = try await record.document(try #require(medication.id), as: Medication.self)
            other.instructions = "by another app"
            try await other.replace()
            medication.instructions = "by this one"
            let outbox = try place.outbox()
            try await outbox.replace(medication)
            let report = try await outbox.flush()
            #expect(report.setAside.count == 1 && report.delivered.isEmpty)
        }
    }

    @Test("a network that answers with a page of its own sets no change aside", arguments: [200, 404, 503])
    func captivePortal(status: Int) async throws {
        try await Place.use { place in
            let record = try await storeMedication(place)
            let medication = try await report(record)
            medication.instructions = "one a day"
            let portal = try place.outbox(PortalTransport(status: status), networkFailures: 1)
            let item = try await portal.replace(medication)
            let report = try await portal.flush()
            #expect(report.setAside.isEmpty && report.remaining == 1 && report.stop != nil)
            #expect(try await place.outbox().flush().delivered.map(\.id) == [item.id])
        }
    }

    @Test("a class unknown at delivery is refused with an error that says what to do")
    func unregistered() async throws {
        final class Own: IndivoDocument {
            override class var modelName: String { "Medication" }
            @Field var instructions: String?
        }
        try await Place.use { place in
            let record = try await storeMedication(place)
            let found = try #require(try await record.reports(of: Own.self).all().first)
            found.instructions = "x"
            let outbox = try place.outbox()
            let error = await #expect(throws: OutboxError.self) { try await outbox.replace(found) }
            #expect(error?.description.contains("Own.register()") == true)
            #expect(try await outbox.items().isEmpty)
        }
    }
}
