import Foundation
import HTTPCalls
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Whoever changes bytes of a message that nothing authenticates, and sees how opening it fails, learns
/// nothing.
@Suite("One error for whatever fails in a message without authentication")
struct OneErrorTests {
    private func package(_ cipher: CMSCipher, _ transport: CMSKeyTransport, _ text: String = "secret") throws
        -> Data
    {
        var archive = try StudyArchive(ArchiveInfo(study: "s", item: "i"))
        try archive.add("a.txt", Data(String(repeating: text, count: 40).utf8))
        var plain = Data()
        try archive.write { plain.append($0) }
        return try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher, keyTransport: transport)
            .message(plain)
    }

    /// What comes of opening a package and reading its files.
    private func outcome(_ data: Data, _ scratch: borrowing Scratch, _ pair: TestKeys.Pair = TestKeys.first)
        -> StudyError?
    {
        do {
            let contents = try StudyPackage(contentsOf: scratch.file("p.cms", data)).open(with: [
                StudyPackage.Key(pair.key)
            ])
            for file in contents.files { try file.read { _ in } }
            return nil
        } catch let error as StudyError {
            return error
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test(
        "each changed byte of the ciphertext is the one error or goes unnoticed",
        arguments: CMSKeyTransport.allCases
    )
    func changedCiphertext(transport: CMSKeyTransport) throws {
        let scratch = try Scratch()
        let message = try package(.aes128CBC, transport)
        var errors: Set<StudyError> = []
        for back in 1...400 {
            for bit in [0x01, 0x80] as [UInt8] {
                var changed = message
                changed[changed.endIndex - back] ^= bit
                if let error = outcome(changed, scratch) { errors.insert(error) }
            }
        }
        #expect(errors == [.wrongKeyOrDamaged])
    }

    @Test("every guess of a padding attack on the last block is the one error")
    func paddingSearch() throws {
        let scratch = try Scratch()
        let message = try package(.aes256CBC, .pkcs1)
        for guess in UInt8.min...UInt8.max where guess != 0 {
            var changed = message
            changed[changed.endIndex - 17] ^= guess
            #expect(outcome(changed, scratch) == .wrongKeyOrDamaged)
        }
    }

    @Test(
        "a wrong content key, a wrong key and content that is no archive are one error",
        arguments: CMSKeyTransport.allCases
    )
    func others(transport: CMSKeyTransport) throws {
        let scratch = try Scratch()
        #expect(outcome(try package(.aes128CBC, transport), scratch, TestKeys.second) == .wrongKeyOrDamaged)
        let encryption = try CMSEncryption(
            for: [TestKeys.first.certificate],
            cipher: .aes128CBC,
            keyTransport: transport
        )
        for content in ["no archive", "PK\u{3}\u{4}", "BZh9"] {
            #expect(outcome(try encryption.message(Data(content.utf8)), scratch) == .wrongKeyOrDamaged)
        }
        let authenticated = try CMSEncryption(for: [TestKeys.first.certificate], keyTransport: transport)
        let error = outcome(try authenticated.message(Data("PK\u{3}\u{4}".utf8)), scratch)
        guard case .malformed = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test(
        "bytes behind a message are an error, and none are lost silently",
        arguments: [CMSCipher.aes128CBC, .aes256GCM]
    )
    func trailing(cipher: CMSCipher) throws {
        let message = try package(cipher, .oaepSHA256) + [0]
        let error = #expect(throws: StudyError.self) { try CMSMessage(.data(message)).plain() }
        #expect("\(try #require(error))".contains("bytes behind the message"))
    }

    @Test(
        "a file of any length is encrypted into a message",
        arguments: [0, 1, 16, (1 << 20) - 1, (1 << 20) + 5]
    )
    func files(count: Int) throws {
        let scratch = try Scratch()
        let file = try scratch.file("plain", .noise(count))
        for cipher in CMSCipher.allCases {
            let output = scratch.folder.appending(path: cipher.rawValue)
            try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher).encrypt(
                contentsOf: file,
                to: output
            )
            #expect(try CMSMessage(.data(Data(contentsOf: output))).plain() == .noise(count))
            #expect(throws: StudyError.self) {
                try CMSEncryption(for: [TestKeys.first.certificate]).encrypt(contentsOf: file, to: output)
            }
        }
    }
}
