#if canImport(CLibCurl)
import Foundation
import HTTPCalls
import HTTPTypes
import Testing

/// A server with a certificate that nobody vouches for, made with the openssl tool where that is at hand.
@Suite(
    "Transport: certificates",
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: OpenSSLServer.tool),
        "there is no \(OpenSSLServer.tool)"
    )
)
struct TransportCertificateTests {
    @Test("an untrusted certificate is refused; a named authority's counts for one host")
    func certificates() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        func answer(_ transport: CurlTransport, host: String) async throws -> HTTPAnswer {
            try await transport.send(
                HTTPRequest(method: .get, scheme: "https", authority: "\(host):\(server.port)", path: "/")
            )
        }
        let unknown = await #expect(throws: HTTPTransportError.self) {
            try await answer(CurlTransport(), host: "127.0.0.1")
        }
        #expect(unknown?.kind == .tls && unknown?.mayHaveReachedServer == false)

        let trusting = CurlTransport(authorityFile: server.certificate.path)
        #expect(try await answer(trusting, host: "127.0.0.1").response.status.code == 200)
        let otherHost = await #expect(throws: HTTPTransportError.self) {
            try await answer(trusting, host: "localhost")
        }
        #expect(otherHost?.kind == .tls && otherHost?.mayHaveReachedServer == false)
    }
}

private final class OpenSSLServer {
    static let tool = "/usr/bin/openssl"

    let port: Int
    let certificate: URL
    private let folder: URL
    private let process = Process()

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem")
        let key = folder.appending(path: "key.pem")
        try await Self.run([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key.path, "-out", certificate.path,
        ])

        let output = Pipe()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate.path, "-key", key.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { piece.finish() } else { piece.yield(data) }
        }
        try process.run()
        // It says on which port it listens.
        var text = ""
        for await data in pieces {
            text += String(decoding: data, as: UTF8.self)
            if text.contains(#/ACCEPT 127\.0\.0\.1:\d+\n/#) { break }
        }
        output.fileHandleForReading.readabilityHandler = nil
        port = try #require(text.firstMatch(of: #/ACCEPT 127\.0\.0\.1:(\d+)\n/#).flatMap { Int($0.1) })
    }

    /// Runs the tool and waits for its end, without keeping a thread.
    private static func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        for await status in ends {
            try #require(status == 0, "openssl made no certificate")
            break
        }
    }

    func stop() {
        // It does not heed a request to end.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
#endif
