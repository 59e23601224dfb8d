import Foundation
import HTTPCalls
import IndivoBase
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// The corpora of the fuzz targets: each file whose name begins with `bad-` ends in an error that names what
/// is wrong.
@Suite("Malformed packages")
struct MalformedCorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzzing/Corpus").standardizedFileURL

    /// Bytes changed, cut out, doubled and joined at random.
    private static func mutated(_ data: Data, _ generator: inout SeededGenerator) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, index + Int.random(in: 1...20, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(index..<end)
            case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
            default:
                bytes[index] =
                    [0x00, 0x30, 0x80, 0xFF, 0x7F, 0x84, 0x0A, 0x22].randomElement(using: &generator) ?? 0
            }
        }
        return Data(bytes)
    }

    @Test("of changed packages each is read, or ends in an error of this library", arguments: 0..<4)
    func mutations(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func tryMutations(of target: String, _ body: (Data) throws -> Void) throws {
            for (_, data) in try Self.files(target, isBad: false) + Self.files(target) {
                for _ in 0..<12 {
                    let changed = Self.mutated(data, &generator)
                    do { try body(changed) } catch is StudyError {} catch {
                        Issue.record("\(error) of \(changed.base64EncodedString())")
                    }
                }
            }
        }
        try tryMutations(of: "FuzzStudyMessage") { data in
            let message = try CMSMessage(.data(data))
            _ = message.recipients.map(\.description)
            try message.decrypt(with: TestKeys.first.key) { _ in }
            #expect(!message.cipher.isAuthenticated)
        }
        try tryMutations(of: "FuzzStudyEnvelope") { data in
            let envelope = try C3ProEnvelope(parsing: data)
            #expect(try C3ProEnvelope(parsing: envelope.data) == envelope)
            _ = try envelope.open(with: TestKeys.first.key)
        }
        try tryMutations(of: "FuzzStudyArchive") { data in
            for read in [PackedArchive.read, MIMEArchive.read] {
                do {
                    for file in try read(.data(data), ArchiveLimits()).files {
                        #expect(!file.info.name.contains("/") && file.info.name != "..")
                        try file.read { _ in }
                    }
                } catch is StudyError {}
            }
        }
    }

    private static func files(_ target: String, isBad: Bool = true) throws -> [(name: String, data: Data)] {
        let folder = corpus.appending(path: target)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix("bad-") == isBad
        }.sorted()
        #expect(names.count >= (isBad ? 10 : 2))
        return try names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
    }

    /// Whose text says more than that something failed.
    private func names(_ file: String, _ body: () throws -> Void) {
        let error = #expect(throws: StudyError.self, "\(file)") { try body() }
        guard let error else { return }
        #expect(error != .wrongKeyOrDamaged && "\(error)".utf8.count > 20, "\(file): \(error)")
        if case .storage = error { Issue.record("\(file): \(error)") }
    }

    @Test("messages")
    func messages() throws {
        for (name, data) in try Self.files("FuzzStudyMessage") {
            names(name) { try CMSMessage(.data(data)).decrypt(with: TestKeys.first.key) { _ in } }
        }
        for (name, data) in try Self.files("FuzzStudyMessage", isBad: false) {
            #expect(throws: Never.self, "\(name)") { try CMSMessage(.data(data)) }
        }
    }

    @Test("envelopes")
    func envelopes() throws {
        for (name, data) in try Self.files("FuzzStudyEnvelope") {
            names(name) { _ = try C3ProEnvelope(parsing: data) }
        }
        for (name, data) in try Self.files("FuzzStudyEnvelope", isBad: false) {
            #expect(throws: Never.self, "\(name)") { try C3ProEnvelope(parsing: data) }
        }
    }

    @Test("archives in ResearchKit’s older forms")
    func archives() throws {
        func read(_ data: Data) throws {
            let source = BodySource.data(data)
            let contents =
                try PackedArchive.isPacked(source)
                ? PackedArchive.read(source, limits: ArchiveLimits())
                : MIMEArchive.read(source, limits: ArchiveLimits())
            for file in contents.files { try file.read { _ in } }
        }
        for (name, data) in try Self.files("FuzzStudyArchive") { names(name) { try read(data) } }
        for (name, data) in try Self.files("FuzzStudyArchive", isBad: false) {
            #expect(throws: Never.self, "\(name)") { try read(data) }
        }
    }
}
