import Foundation
import Indivo
import IndivoBase
import IndivoOutbox
import IndivoTesting
import Synchronization
import Testing

@Suite("How an outbox is kept")
struct StorageTests {
    /// A disk that fails at one step, or from one step on.
    private final class FailingDisk: Sendable {
        private let count = Mutex(0)
        private let failing: Range<Int>
        private let code: Int32
        private let hit = Mutex<DiskStep?>(nil)

        init(at steps: Range<Int>, code: Int32) {
            failing = steps
            self.code = code
        }

        var step: DiskStep? { hit.withLock { $0 } }

        func fault(_ step: DiskStep) -> Int32 {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            guard failing.contains(number) else { return 0 }
            hit.withLock { if $0 == nil { $0 = step } }
            return code
        }
    }

    @Test(
        "a disk that fails at any step refuses the change and keeps what was accepted",
        arguments: [ENOSPC, EROFS, EIO],
        [true, false]
    )
    func failingDisk(code: Int32, forGood: Bool) async throws {
        try await Place.use { place in
            let before = try place.outbox()
            try await before.add(medication("before"))
            var accepted = ["Test before"]
            var seen: Set<DiskStep> = []
            for number in 0..<20 {
                let disk = FailingDisk(at: number..<(forGood ? .max : number + 1), code: code)
                do {
                    let outbox = try place.outbox(diskFault: disk.fault)
                    try await outbox.add(medication("\(number)"))
                    accepted.append("Test \(number)")
                } catch OutboxError.storage(_, let told, let mayBeQueued) {
                    #expect(told == code)
                    // Only when the file could not be taken away again is it there.
                    #expect(!mayBeQueued || forGood)
                    if mayBeQueued { accepted.append("Test \(number)") }
                }
                if let step = disk.step { seen.insert(step) }
            }
            #expect(seen.isSuperset(of: [.create, .write, .syncFile, .rename, .syncFolder]))
            let outbox = try place.outbox()
            #expect(try await outbox.items().count == accepted.count)
            #expect(try await outbox.flush().delivered.count == accepted.count)
            #expect(try await place.medications() == accepted)
        }
    }

    @Test("a disk that fails while something is delivered loses nothing and doubles nothing")
    func failingDelivery() async throws {
        try await Place.use { place in
            for number in 0..<32 {
                let document = medication("\(number)")
                let first = try place.outbox()
                try await first.add(document)
                try await first.setStatus(.archived, of: document, reason: "finished")
                let disk = FailingDisk(at: number..<number + 1, code: ENOSPC)
                do {
                    try await place.outbox(diskFault: disk.fault).flush()
                } catch OutboxError.storage(_, let code, _) {
                    #expect(code == ENOSPC)
                }
                #expect(try await place.outbox().flush().remaining == 0)
                try await first.confirmDelivery(of: document)
                #expect(try await document.statusHistory().count == 1)
            }
            #expect(try await place.medications(status: .archived) == (0..<32).map { "Test \($0)" })
        }
    }

    @Test("neither files nor their names tell anything of the patient, and they are private")
    func sealed() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("Secretine")
            try await outbox.add(document)
            try await outbox.setLabel("Planted label", of: document)
            try await outbox.setStatus(.void, of: document, reason: "Planted reason")
            try await outbox.add(refused("Planted refusal"), validation: .none)
            try await outbox.flush()
            let paths = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path)
            #expect(paths.count > 8)
            for path in paths {
                let file = place.folder.appending(path: path)
                let mode = try #require(
                    FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
                )
                #expect(mode & 0o077 == 0, "\(path)")
                #expect(!path.contains(place.recordID) && !path.contains("Medication"), "\(path)")
                guard let content = FileManager.default.contents(atPath: file.path) else { continue }
                for planted in [
                    "Secretine", "Planted", "Models", "Medication", place.recordID, "finished", "add",
                ] {
                    #expect(content.range(of: Data(planted.utf8)) == nil, "\(path) holds \(planted)")
                }
            }
            for item in try await outbox.items() {
                #expect(!"\(item)".contains("Planted") && !"\(item.change)".contains("Planted"))
            }
        }
    }

    @Test("a changed, cut, foreign or exchanged file is set aside, and others are delivered")
    func damaged() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            for number in 1...6 { try await outbox.add(medication("\(number)")) }
            func file(_ number: Int) -> URL { outbox.location.appending(path: "00000000000\(number).item") }
            var content = try Data(contentsOf: file(1))
            content[content.count - 20] ^= 1
            try content.write(to: file(1))
            try Data(contentsOf: file(2)).prefix(100).write(to: file(2))
            let (third, fourth) = try (Data(contentsOf: file(3)), Data(contentsOf: file(4)))
            try third.write(to: file(4))
            try fourth.write(to: file(3))
            try Data("not ours".utf8).write(to: file(5))
            let report = try await outbox.flush()
            #expect(report.delivered.count == 1)
            #expect(try await place.medications() == ["Test 6"])
            let left = try await outbox.items().filter { $0.state.isSetAside }
            #expect(left.count == 5)
            #expect(left.allSatisfy { $0.state.reason?.contains("damaged") == true })
            for item in left { try await outbox.discard(item.id) }
            #expect(try await outbox.items().allSatisfy { !$0.state.isSetAside })
        }
    }

    @Test("an outbox of arbitrary bytes opens or says why not, and trusts no changed file")
    func changedBytes() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("A")
            try await outbox.add(document)
            try await outbox.setLabel("label", of: document)
            try await outbox.flush()
            try await outbox.add(refused("B"), validation: .none)
            try await outbox.flush()
            let before = try await outbox.itemsAndDelivered().map { "\($0) \($0.state)" }
            var generator = SeededGenerator(seed: 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: outbox.location.path)
                .filter { !$0.hasSuffix(".lock") }.sorted()
            #expect(names.count == 5)
            for name in names {
                let file = outbox.location.appending(path: name)
                let content = try Data(contentsOf: file)
                for _ in 0..<30 {
                    try Self.changed(content, using: &generator).write(to: file)
                    do {
                        let opened = try place.outbox()
                        let items = try await opened.itemsAndDelivered()
                        guard items.map({ "\($0) \($0.state)" }) == before else { continue }
                        // What it says is known from the other files.
                        guard name != "queue" else { continue }
                        // Then it is the document that was changed, which is read when it is sent.
                        let last = try #require(items.last)
                        await #expect(throws: OutboxError.self, "a change of \(name) was not noticed") {
                            _ = try await opened.content(of: last)
                        }
                    } catch {
                        #expect(error is OutboxError)
                    }
                }
                try content.write(to: file)
            }
            #expect(try await place.outbox().itemsAndDelivered().map { "\($0) \($0.state)" } == before)
        }
    }

    /// Bytes with some changed, cut off, put in or put elsewhere; not the same as before.
    private static func changed(_ content: Data, using generator: inout SeededGenerator) -> Data {
        var bytes = Array(content)
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
        case 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: 0)
        case 3:
            for index in 8..<min(12, bytes.count) {
                bytes[index] = UInt8.random(in: 200...255, using: &generator)
            }
        default: bytes = (0..<place).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        return Data(bytes)
    }

    @Test("half a file that a killed process left counts for nothing, and goes")
    func leftOver() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            try await outbox.add(medication("A"))
            let left = outbox.location.appending(path: ".new-half-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11")
            try Data("IVOX".utf8).write(to: left)
            #expect(try await place.outbox().items().count == 1)
            #expect(!FileManager.default.fileExists(atPath: left.path))
        }
    }

    @Test("files of an earlier form are refused, and left as they are")
    func earlierForm() async throws {
        try await Place.use { place in
            let folder = try place.outbox().location
            try FileManager.default.removeItem(at: folder.appending(path: "queue"))
            // Magic, version 1, kind, length of the head; the rest was encrypted.
            let old = Data("IVOX".utf8) + [1, 2, 0, 0, 0, 0, 0, 40] + Data(repeating: 7, count: 80)
            for name in ["outbox", "000000000001.item"] { try old.write(to: folder.appending(path: name)) }
            let error = #expect(throws: OutboxError.self) { try place.outbox() }
            guard case .otherFormat(let named)? = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            #expect(named == folder.path && error?.description.contains("earlier version") == true)
            #expect(try Data(contentsOf: folder.appending(path: "000000000001.item")) == old)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "queue").path))
        }
    }
}
