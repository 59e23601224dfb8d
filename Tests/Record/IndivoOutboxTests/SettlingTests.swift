import Foundation
import Indivo
import IndivoOutbox
import Testing

@Suite("What is left of deliveries")
struct SettlingTests {
    @Test("a document gets its id also when its delivery is forgotten")
    func forgotten() async throws {
        try await Place.use { place in
            let outbox = try place.outbox(receipts: 1)
            let first = medication("A")
            let changed = medication("B")
            try await outbox.add(first)
            try await outbox.add(changed)
            changed.instructions = "one a day"
            try await outbox.replace(changed)
            for name in ["C", "D"] { try await outbox.add(medication(name)) }
            #expect(try await outbox.confirmDelivery(of: first) == false)
            #expect(try await outbox.flush().delivered.count == 5)
            #expect(try await outbox.delivered().count == 1)
            #expect(try await outbox.items().isEmpty)
            for document in [first, changed] {
                #expect(try await outbox.confirmDelivery(of: document))
                #expect(document.record?.id == place.recordID)
            }
            #expect(
                try await place.record().document(try #require(changed.id), as: Medication.self) == changed
            )
            #expect(try await first.versions().count == 1)
        }
    }

    @Test("a document whose item was discarded is not confirmed")
    func discarded() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("A")
            let item = try await outbox.add(document)
            try await outbox.discard(item.id)
            #expect(try await outbox.confirmDelivery(of: document) == false)
            #expect(document.id == nil)
        }
    }

    @Test("a key's draft that a dead process left is deleted, and others' files are not")
    func keyDrafts() async throws {
        try await Place.use { place in
            let store = place.keys
            let folder = store.file.deletingLastPathComponent()
            try await place.outbox().add(medication("A"))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!left.contains { $0.hasPrefix(".new-") })
            let draft = folder.appending(path: ".new-outbox.key-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11")
            let foreign = folder.appending(path: ".new-something")
            for file in [draft, foreign] { try Data(repeating: 1, count: 32).write(to: file) }
            #expect(try await place.outbox().items().count == 1)
            #expect(!FileManager.default.fileExists(atPath: draft.path))
            #expect(FileManager.default.fileExists(atPath: foreign.path))
        }
    }

    @Test("a draft left by a dead process while the outbox was open goes with a delivery")
    func itemDrafts() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let draft = outbox.location.appending(path: ".new-half-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11")
            try Data("half".utf8).write(to: draft)
            try await outbox.flush()
            #expect(!FileManager.default.fileExists(atPath: draft.path))
        }
    }
}
