import Foundation
import Testing

@testable import DurableQueue

@Suite("Sealed files")
struct SealedFileTests {
    private let key = QueueKey()

    private func place(_ number: Int, _ queue: String = "test", _ kind: SealedFile.Kind = .item)
        -> SealedFile.Place
    {
        SealedFile.Place(kind: kind, queue: queue.data, number: number)
    }

    private func seal(
        _ head: String,
        _ body: Data?,
        number: Int = 1,
        version: UInt8 = SealedFile.version,
        kind: SealedFile.Kind = .item
    ) throws -> Data {
        var file = Data()
        let source = try body.map { try DurableQueue.Payload.data($0).open() }
        try SealedFile.seal(
            head: head.data,
            mark: SealedFile.Mark(),
            version: version,
            for: place(number, "test", kind),
            key: key,
            body: source?.read
        ) { file.append($0) }
        return file
    }

    private func open(_ file: Data, at place: SealedFile.Place, in folder: URL) throws -> (
        head: Data, body: Data
    ) {
        let path = folder.appending(path: UUID().uuidString).path
        try file.write(to: URL(filePath: path))
        let opened = try #require(try SealedFile(path, for: place, key: key))
        var body = Data()
        try opened.readBody { body.append($0) }
        return (opened.head, body)
    }

    @Test(
        "bodies of all lengths around a chunk's come back",
        arguments: [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20]
    )
    func lengths(count: Int) async throws {
        try await Scratch.use { scratch in
            let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let file = try seal("head", body)
            let opened = try open(file, at: place(1), in: scratch.folder)
            #expect(opened.head == "head".data && opened.body == body)
        }
    }

    @Test("a body that is cut or lengthened, also between two chunks, does not open")
    func cut() async throws {
        try await Scratch.use { scratch in
            let chunk = (1 << 20) + 28
            let file = try seal("head", Data(repeating: 7, count: (2 << 20) + 5))
            let start = 28 + 4 + 28
            let cuts = [
                file.prefix(start), file.prefix(start + chunk), file.prefix(start + 2 * chunk),
                file.dropLast(1),
            ]
            for changed in cuts + [
                file + [0], file + file.suffix(33), file.prefix(start + chunk) + file.suffix(33),
            ] {
                #expect(throws: SealedFile.Failure.damaged) {
                    try open(Data(changed), at: place(1), in: scratch.folder)
                }
            }
            // Chunks exchanged.
            let first = file[start..<start + chunk]
            let second = file[start + chunk..<start + 2 * chunk]
            #expect(throws: SealedFile.Failure.damaged) {
                try open(
                    file.prefix(start) + second + first + file.dropFirst(start + 2 * chunk),
                    at: place(1),
                    in: scratch.folder
                )
            }
        }
    }

    @Test("any changed byte, another's head, body or name, and another queue are noticed")
    func bound() async throws {
        try await Scratch.use { scratch in
            let first = try seal("head", "of A".data)
            let second = try seal("head", "of B".data)
            for index in first.indices {
                var changed = first
                changed[index] ^= 0x21
                #expect(throws: SealedFile.Failure.damaged, "byte \(index)") {
                    try open(changed, at: place(1), in: scratch.folder)
                }
            }
            let headEnd = 28 + 4 + 28
            #expect(throws: SealedFile.Failure.damaged) {
                try open(first.prefix(headEnd) + second.dropFirst(headEnd), at: place(1), in: scratch.folder)
            }
            for other in [place(2), place(1, "other"), place(1, "test", .receipt)] {
                #expect(throws: SealedFile.Failure.damaged) { try open(first, at: other, in: scratch.folder) }
            }
        }
    }

    @Test("a head of another version is named only when it proves to be one")
    func otherVersion() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            try await queue.append("item".data)
            let key = try #require(try scratch.keys.key())
            let head = scratch.location.appending(path: "queue")
            var content = try Data(contentsOf: head)
            content[4] = 9
            try content.write(to: head)
            #expect(try await scratch.queue().items().count == 1)

            var file = Data()
            try SealedFile.seal(
                head: "later".data,
                mark: SealedFile.Mark(),
                version: 9,
                for: place(0, "test", .queue),
                key: key
            ) { file.append($0) }
            try file.write(to: head)
            #expect(throws: QueueError.otherVersion(folder: scratch.location.path, version: 9)) {
                try scratch.queue()
            }
        }
    }

    @Test("the receipt and the progress of one item are not another's")
    func marks() async throws {
        try await Scratch.use { scratch in
            let queue = try scratch.queue()
            let key = try #require(try scratch.keys.key())
            for name in ["A", "B"] { try await queue.append(name.data) }
            func write(_ kind: SealedFile.Kind, _ head: some Encodable, number: Int) throws {
                var file = Data()
                try SealedFile.seal(
                    head: JSONEncoder().encode(head),
                    mark: SealedFile.Mark(),
                    for: place(number, "test", kind),
                    key: key
                ) { file.append($0) }
                try file.write(to: scratch.location.appending(path: "\(place(number, "test", kind))"))
            }
            // Sealed under the right key and for the right number, as files of an older state of the folder
            // are.
            let entry = QueueEntry(id: "old", orderKey: "", queuedAt: 0, header: Data())
            try write(.receipt, QueueReceipt(entry: entry, receipt: Data(), deliveredAt: 0), number: 1)
            try write(.progress, QueueProgress(notes: "old".data), number: 2)
            let states = try await queue.items().map(\.state)
            guard case .damaged = states[0], case .setAside = states[1] else {
                Issue.record("taken for its own: \(states)")
                return
            }
            #expect(try await queue.deliver { _ in .delivered() }.delivered.isEmpty)
        }
    }
}
