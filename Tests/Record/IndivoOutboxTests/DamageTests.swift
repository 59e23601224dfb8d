import Foundation
import Indivo
import IndivoOutbox
import Testing

@Suite("Damaged files of an outbox")
struct DamageTests {
    private static let kinds = ["version", "folder", "link", "pipe", "unreadable", "empty"]

    private func damage(_ kind: String, _ file: URL) throws {
        switch kind {
        case "version":
            var content = try Data(contentsOf: file)
            content[content.startIndex + 4] ^= 0x40
            try content.write(to: file)
        case "folder":
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case "link":
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                at: file,
                withDestinationURL: URL(filePath: "/dev/zero")
            )
        case "pipe":
            try FileManager.default.removeItem(at: file)
            mkfifo(file.path, 0o600)
        case "unreadable": chmod(file.path, 0)
        default: try Data().write(to: file)
        }
    }

    @Test("one damaged item is set aside and can be discarded; the others go on", arguments: kinds)
    func item(kind: String) async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            for name in ["A", "B", "C"] { try await outbox.add(medication(name)) }
            let second = outbox.location.appending(path: "000000000002.item")
            try damage(kind, second)
            // The superuser reads what is forbidden.
            let isReadable = kind == "unreadable" && access(second.path, R_OK) == 0
            for opened in [outbox, try place.outbox()] {
                #expect(try await opened.items().map(\.state.isSetAside) == [false, !isReadable, false])
            }
            #expect(try await outbox.flush().delivered.count == (isReadable ? 3 : 2))
            guard !isReadable else { return }
            #expect(try await place.medications() == ["Test A", "Test C"])
            for item in try await outbox.items().filter(\.state.isSetAside) {
                try await outbox.discard(item.id)
            }
            #expect(try await outbox.itemsAndDelivered().count == 2)
            #expect(access(second.path, F_OK) != 0)
        }
    }

    @Test("damaged notes on an item's delivery set that item aside; the others go on", arguments: kinds)
    func progress(kind: String) async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let bad = try await outbox.add(refused("A"), validation: .none)
            try await outbox.flush()
            let file = outbox.location.appending(path: "00000000000\(bad.sequence).progress")
            try damage(kind, file)
            if kind == "unreadable", access(file.path, R_OK) == 0 { return }
            try await outbox.add(medication("B"))
            #expect(try await outbox.flush().delivered.count == 1)
            #expect(try await outbox.item(bad.id).state.reason?.contains("cannot be read") == true)
            try await outbox.discard(bad.id)
            #expect(access(file.path, F_OK) != 0)
        }
    }

    @Test("a damaged head of the folder does not block what is queued", arguments: kinds)
    func head(kind: String) async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            try await outbox.add(medication("A"))
            let names = try FileManager.default.contentsOfDirectory(atPath: outbox.location.path)
            let head = try #require(names.first { !$0.contains(".") })
            try damage(kind, outbox.location.appending(path: head))
            #expect(try await place.outbox().flush().delivered.count == 1)
            #expect(try await place.outbox().itemsAndDelivered().count == 1)
        }
    }

    @Test("the head of one item and the body of another make no item")
    func spliced() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let record = place.record()
            let a = medication("A")
            let b = medication("B")
            for document in [a, b] { try await record.add(document) }
            let id = try #require(a.id)
            a.instructions = "of A"
            let discarded = try await outbox.replace(a)
            let file = outbox.location.appending(path: "00000000000\(discarded.sequence).item")
            let first = try Data(contentsOf: file)
            try await outbox.discard(discarded.id)
            b.instructions = "of B"
            let queued = try await outbox.replace(b)
            let second = outbox.location.appending(path: "00000000000\(queued.sequence).item")
            let content = try Data(contentsOf: second)
            for prefix in [12, 28] {
                func headLength(_ data: Data) -> Int { prefix + data[8..<12].reduce(0) { $0 << 8 | Int($1) } }
                guard headLength(first) < first.count, headLength(content) < content.count else { continue }
                for place in [file, second] {
                    try (first.prefix(headLength(first)) + content.dropFirst(headLength(content))).write(
                        to: place
                    )
                }
                let report = try await outbox.flush()
                #expect(report.delivered.isEmpty)
            }
            #expect(try await record.document(id).metadata?.replacedBy == nil)
        }
    }
}
