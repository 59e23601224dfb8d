import Foundation
import Indivo
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("Labels in an outbox")
struct LabelTests {
    @Test(
        "a label whose response was lost does not overwrite a newer one of somebody else",
        arguments: [true, false]
    )
    func newerLabel(isStored: Bool) async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let id = try #require(document.id)
            try await document.setLabel("first")
            let sent = Flag()
            let dying = try place.outbox(
                FaultyTransport(.system) { request, _ in
                    if sent.isSet { return .loseRequest }
                    guard request.method == .put else { return nil }
                    sent.set()
                    return isStored ? .loseResponse : .loseRequest
                },
                attempts: 1
            )
            let item = try await dying.setLabel("ours", of: document)
            let other = try await dying.add(medication("B"))
            #expect(try await dying.flush().remaining == 2)
            #expect(try await record.document(id).metadata?.label == (isStored ? "ours" : "first"))
            try await document.setLabel("theirs")

            let outbox = try place.outbox()
            let report = try await outbox.flush()
            #expect(report.setAside.map(\.id) == [item.id] && report.delivered.map(\.id) == [other.id])
            #expect(report.setAside.first?.state.reason?.contains("theirs") == false)
            #expect(try await record.document(id).metadata?.label == "theirs")
            // The person decides.
            try await outbox.retry(item.id)
            #expect(try await outbox.flush().delivered.map(\.id) == [item.id])
            #expect(try await record.document(id).metadata?.label == "ours")
        }
    }

    @Test("a label whose request was lost is set once the network is back", arguments: ["", "first"])
    func lostRequest(before: String) async throws {
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            if !before.isEmpty { try await document.setLabel(before) }
            let sent = Flag()
            let dying = try place.outbox(
                FaultyTransport(.system) { request, _ in
                    if request.method == .put { sent.set() }
                    return sent.isSet ? .loseRequest : nil
                },
                attempts: 1
            )
            try await dying.setLabel("ours", of: document)
            #expect(try await dying.flush().remaining == 1)
            #expect(try await place.outbox().flush().delivered.count == 1)
            #expect(try await record.document(try #require(document.id)).metadata?.label == "ours")
        }
    }
}
