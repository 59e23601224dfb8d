import Foundation
import Indivo
import IndivoOutbox
import Testing

@Suite("Numbers of an outbox's items")
struct NumberingTests {
    @Test(
        "foreign files in the folder take no item's number",
        arguments: [
            "1795300000123.tmp", "000000000001.tmp", "9223372036854775806.item", "4294967297.item", "７.item",
            "+3.item",
            "999999999999.item", "000000000000.item", "-00000000001.item",
        ]
    )
    func foreignFiles(name: String) async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            try Data("not ours".utf8).write(to: outbox.location.appending(path: name))
            var ids: [OutboxItem.ID] = []
            for number in 1...4 { ids.append(try await outbox.add(medication("\(number)")).id) }
            let items = try await outbox.items()
            #expect(items.filter { $0.state == .queued }.map(\.id) == ids)
            #expect(items.filter { $0.state == .queued }.map(\.sequence) == [1, 2, 3, 4])
            #expect(try await outbox.flush().delivered.map(\.id) == ids)
            #expect(try await place.medications() == ["Test 1", "Test 2", "Test 3", "Test 4"])
        }
    }

    @Test("the largest number as a file's name does no harm")
    func largest() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            for name in ["9223372036854775807.x", "9223372036854775807.item", "99999999999999999999999.item"]
            {
                try Data().write(to: outbox.location.appending(path: name))
            }
            try await outbox.add(medication("A"))
            #expect(try await outbox.items().map(\.sequence) == [1])
        }
    }

    @Test("a number is given once, also after its item was discarded or forgotten")
    func neverReused() async throws {
        try await Place.use { place in
            let first = try await place.outbox().add(medication("A"))
            try await place.outbox().discard(first.id)
            let second = try await place.outbox().add(medication("B"))
            #expect(second.sequence == 2)
            try await place.outbox(receipts: 1).flush()
            let outbox = try place.outbox(receipts: 1)
            for item in try await outbox.itemsAndDelivered() { try await outbox.discard(item.id) }
            #expect(try await outbox.itemsAndDelivered().isEmpty)
            #expect(try await place.outbox().add(medication("C")).sequence == 3)
        }
    }

    @Test("what stands where an item should go is not deleted")
    func inTheWay() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let foreign = outbox.location.appending(path: "000000000001.item")
            try Data("not ours".utf8).write(to: foreign)
            try await outbox.add(medication("A"))
            #expect(try Data(contentsOf: foreign) == Data("not ours".utf8))
            #expect(try await outbox.flush().delivered.count == 1)
            // A number that a damaged file has is not given again either.
            let damaged = try #require(try await outbox.items().first { $0.state.isSetAside })
            try await outbox.discard(damaged.id)
            #expect(try await outbox.add(medication("B")).sequence == 3)
        }
    }
}
