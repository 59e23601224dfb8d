import Foundation
import HTTPTypes
import Indivo
import IndivoOutbox
import IndivoTesting
import OAuth1
import Testing

/// Documents that went out with a call whose outcome is not known, and are then queued.
@Suite("What may be stored already, in an outbox")
struct UnconfirmedTests {
    /// The record, over a network that fails for good while a request with this method is sent.
    /// - Parameter isStored: Whether the server gets that request; then only its response is lost.
    private func record(_ place: Place, isStored: Bool, failingOn method: HTTPRequest.Method = .put)
        -> IndivoRecord
    {
        let sent = Flag()
        let transport = FaultyTransport(.system) { request, _ in
            if sent.isSet { return .loseRequest }
            guard request.method == method else { return nil }
            sent.set()
            return isStored ? .loseResponse : .reset
        }
        return IndivoServer(
            api: place.sandbox.apiURL,
            ui: place.sandbox.uiURL,
            app: place.record().server.app,
            transport: transport,
            options: IndivoServer.Options(retry: .never)
        ).record(id: place.recordID, token: place.token)
    }

    @Test(
        "what is queued after an add whose outcome is not known is stored once",
        arguments: [true, false],
        [nil, "mine"]
    )
    func add(isStored: Bool, externalID: String?) async throws {
        try await Place.use { place in
            let document = medication("A")
            let lossy = record(place, isStored: isStored)
            let chosen = externalID.map { ExternalID.chosen($0) } ?? .generated
            await #expect(throws: IndivoError.self) { try await lossy.add(document, externalID: chosen) }
            let outbox = try place.outbox()
            let item = try await outbox.add(document)
            if let externalID { #expect(item.id == externalID) }
            #expect(try await outbox.flush().delivered.map(\.id) == [item.id])
            #expect(try await outbox.confirmDelivery(of: document))
            #expect(try await place.medications() == ["Test A"])
            #expect(try await document.versions().count == 1)
            #expect(document.state == .pushed)
        }
    }

    @Test(
        "what changed since an add whose outcome is not known becomes the next version",
        arguments: [true, false]
    )
    func changedSince(isStored: Bool) async throws {
        try await Place.use { place in
            let document = medication("A")
            let lossy = record(place, isStored: isStored)
            await #expect(throws: IndivoError.self) { try await lossy.add(document) }
            document.instructions = "two a day"
            let outbox = try place.outbox()
            try await outbox.add(document)
            document.frequency = ValueAndUnit("2", "/d")
            try await outbox.replace(document)
            #expect(try await outbox.flush().delivered.count == 3)
            #expect(try await outbox.confirmDelivery(of: document))
            #expect(try await place.medications() == ["Test A"])
            #expect(try await document.versions().count == 3)
            let stored = try await place.record().document(try #require(document.id), as: Medication.self)
            #expect(stored == document && stored.instructions == "two a day")
        }
    }

    @Test(
        "a version queued after a replace of unknown outcome is stored once",
        arguments: [true, false]
    )
    func replace(isStored: Bool) async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            let lossy = record(place, isStored: isStored)
            let same = try await place.record().document(try #require(document.id), as: Medication.self)
            let other = FileDocument(id: try #require(document.id), in: lossy)
            try await other.refreshMetadata()
            try await other.fetchContent()
            let changed = try other.read(as: Medication.self)
            #expect(changed == same)
            changed.instructions = "two a day"
            await #expect(throws: IndivoError.self) { try await changed.replace() }
            let outbox = try place.outbox()
            try await outbox.replace(changed)
            #expect(try await outbox.flush().delivered.count == 1)
            #expect(try await outbox.confirmDelivery(of: changed))
            #expect(try await changed.versions().count == 2)
            #expect(
                try await place.record().document(try #require(changed.id), as: Medication.self) == changed
            )
        }
    }

    @Test("a relation whose outcome is not known is not queued as a mere document")
    func related() async throws {
        try await Place.use { place in
            let subject = medication("A")
            try await place.record().add(subject)
            let document = medication("B")
            let known = FileDocument(
                id: try #require(subject.id),
                in: record(place, isStored: true, failingOn: .put)
            )
            await #expect(throws: IndivoError.self) { try await known.addRelated(document, as: .annotation) }
            let error = await #expect(throws: OutboxError.self) { try await place.outbox().add(document) }
            #expect(error?.description.contains("may be stored already") == true)
            #expect(try await place.outbox().items().isEmpty)
        }
    }

    @Test("a document that was replaced through the outbox can be replaced again at once")
    func replaceAgain() async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            try await document.refreshMetadata()
            document.instructions = "one a day"
            let outbox = try place.outbox()
            try await outbox.replace(document)
            try await outbox.flush()
            #expect(try await outbox.confirmDelivery(of: document))
            #expect(!document.isOutdated)
            document.instructions = "two a day"
            try await document.replace()
            #expect(try await document.versions().count == 3)
        }
    }
}
