import Foundation
import HTTPCalls
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Content up to a bound is encrypted whole, with authentication; what is larger in pieces, without.
@Suite("The length of a message's content")
struct ContentLengthTests {
    private static let bound = CMSCipher.maximumAuthenticatedLength

    private func encryption(_ cipher: CMSCipher = .aes256GCM) throws -> CMSEncryption {
        try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher)
    }

    /// Bytes of which no two pieces are the same.
    private static func content(_ count: Int) -> Data {
        var data = Data(count: count)
        for (number, offset) in stride(from: 0, to: count, by: 4093).enumerated() {
            data[offset] = UInt8(truncatingIfNeeded: number)
            data[min(offset + 1, count - 1)] = UInt8(truncatingIfNeeded: number >> 8)
        }
        return data
    }

    @Test(
        "content of the bound is authenticated; a byte more is in CBC, and both come back",
        arguments: [(0, CMSCipher.aes128GCM), (1, .aes128CBC)]
    )
    func bound(more: Int, expected: CMSCipher) throws {
        let scratch = try Scratch()
        let content = Self.content(Self.bound + more)
        let file = try scratch.file("plain", content)
        let output = scratch.folder.appending(path: "message")
        let encryption = try encryption(.aes128GCM)
        try encryption.encrypt(contentsOf: file, to: output)
        let written = try encryption.encrypt(in: scratch.folder) {
            try BodySource.data(content).forEachPiece($0)
        }
        for source in [written, try BodySource.file(output)] {
            let message = try CMSMessage(source)
            #expect(message.cipher == expected)
            #expect(try message.plain() == content)
        }
    }

    @Test("authenticated content beyond the bound is refused and the bound named")
    func beyondTheBound() throws {
        let source = try CMSEnvelope(encryption()).sealed(Data(count: Self.bound + 1), by: .aes256GCM)
        let error = #expect(throws: StudyError.self) { try CMSMessage(source).plain() }
        guard case .tooLarge(_, Self.bound) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect("\(try #require(error))".contains("smaller packages"))
    }

    @Test("each cipher has one without authentication, of the same length of keys")
    func withoutAuthentication() {
        for cipher in CMSCipher.allCases {
            #expect(!cipher.withoutAuthentication.isAuthenticated)
            #expect(cipher.withoutAuthentication.keyLength == cipher.keyLength)
        }
    }

    #if os(Linux)
    @Test("400 MiB are encrypted and decrypted in little more memory than the bound")
    func memoryOfLargeContent() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let piece = Data.noise(1 << 20)
            let encryption = try CMSEncryption(for: [TestKeys.first.certificate])
            let before = Self.peak()
            let source = try encryption.encrypt(in: scratch.folder) { write in
                for _ in 0..<400 { try write(piece) }
            }
            var count = 0
            try CMSMessage(source).decrypt(with: TestKeys.first.key) { count += $0.count }
            let grown = Self.peak() - before
            precondition(count == 400 << 20, "\(count) bytes came back")
            precondition(before > 0 && grown < Self.bound + 48 << 20, "\(grown) bytes of memory")
        }
    }

    @Test("content of the bound takes not much more than three times its memory")
    func memoryOfAuthenticatedContent() async {
        await #expect(processExitsWith: .success) {
            let encryption = try CMSEncryption(for: [TestKeys.first.certificate])
            let before = Self.peak()
            var count = 0
            let source = try encryption.encrypt { write in
                for _ in 0..<Self.bound >> 20 { try write(Data(count: 1 << 20)) }
            }
            let encrypting = Self.peak() - before
            try CMSMessage(source).decrypt(with: TestKeys.first.key) { count += $0.count }
            let both = Self.peak() - before
            precondition(count == Self.bound, "\(count) bytes came back")
            precondition(before > 0 && encrypting < 3 * Self.bound + 48 << 20, "\(encrypting) bytes")
            // The message itself is in memory, too.
            precondition(both < 4 * Self.bound + 48 << 20, "\(both) bytes")
        }
    }

    /// The most memory that the process had at any time, in bytes.
    private static func peak() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let number = status.firstMatch(of: #/VmHWM:\s*(\d+) kB/#).flatMap({ Int($0.1) })
        else { return 0 }
        return number * 1024
    }
    #endif
}
