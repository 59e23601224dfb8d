import Foundation
import HTTPCalls
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// The openssl tool, where it is at hand, reads what is written here, and writes what is read here.
@Suite(
    "Messages of openssl",
    .enabled(if: FileManager.default.isExecutableFile(atPath: OpenSSL.tool), "there is no openssl")
)
struct OpenSSLTests {
    @Test(
        "openssl decrypts each cipher, also content too large to be authenticated",
        arguments: CMSCipher.allCases
    )
    func decrypts(cipher: CMSCipher) async throws {
        let scratch = try Scratch()
        let certificate = try scratch.file("certificate", Data(TestKeys.first.certificate.pem.utf8))
        let key = try scratch.file("key", Data(TestKeys.first.key.pem.utf8))
        let large = CMSCipher.maximumAuthenticatedLength + 1
        for count in [1, 16, 100_000] + (cipher == .aes256GCM ? [large] : []) {
            let file = try scratch.file("plain", Data(repeating: 7, count: count))
            let message = scratch.folder.appending(path: "message-\(count)")
            let output = scratch.folder.appending(path: "output")
            try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher)
                .encrypt(contentsOf: file, to: message)
            try await OpenSSL.run([
                "cms", "-decrypt", "-binary", "-inform", "DER", "-in", message.path, "-inkey", key.path,
                "-recip", certificate.path, "-out", output.path,
            ])
            #expect(try Data(contentsOf: output) == Data(contentsOf: file), "\(count) bytes")
        }
    }

    @Test("what openssl encrypts is decrypted, in one piece and streamed", arguments: CMSCipher.allCases)
    func encrypts(cipher: CMSCipher) async throws {
        let scratch = try Scratch()
        let certificate = try scratch.file("certificate", Data(TestKeys.first.certificate.pem.utf8))
        for count in [0, 1, 16, 100_000] {
            let file = try scratch.file("plain", .noise(count))
            // openssl streams no authenticated message without content.
            for stream in count == 0 ? ["-nostream"] : ["-nostream", "-stream"] {
                let message = scratch.folder.appending(path: "message")
                let options = stream == "-stream" ? [stream] : []
                try await OpenSSL.run(
                    ["cms", "-encrypt", "-binary", "-\(cipher.rawValue)", "-outform", "DER"] + options
                        + ["-in", file.path, "-out", message.path, certificate.path]
                )
                #expect(try CMSMessage(.file(message)).plain() == .noise(count), "\(count) bytes \(stream)")
            }
        }
    }
}

/// The openssl tool.
enum OpenSSL {
    static let tool = "/usr/bin/openssl"

    static func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        for await status in ends {
            try #require(status == 0, "openssl \(arguments.joined(separator: " "))")
            break
        }
    }
}
