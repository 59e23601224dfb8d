#if !canImport(Darwin)
import Foundation
import HTTPTypes
import Indivo
import Testing

/// A server with a certificate that nobody vouches for, made with the openssl tool where that is at hand.
@Suite(
    "Transport: certificates",
    .enabled(if: FileManager.default.isExecutableFile(atPath: OpenSSLServer.tool), "there is no \(OpenSSLServer.tool)"))
struct TransportCertificateTests {
    @Test("a certificate that no authority vouches for is refused, and nothing is sent; one from a named authority is taken, for its host only")
    func certificates() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        func answer(_ transport: CurlTransport, host: String) async throws -> HTTPAnswer {
            try await transport.send(
                HTTPRequest(method: .get, scheme: "https", authority: "\(host):\(server.port)", path: "/"))
        }
        let unknown = await #expect(throws: HTTPTransportError.self) {
            try await answer(CurlTransport(), host: "127.0.0.1")
        }
        #expect(unknown?.kind == .tls && unknown?.mayHaveReachedServer == false)

        let trusting = CurlTransport(authorityFile: server.certificate.path)
        #expect(try await answer(trusting, host: "127.0.0.1").response.status.code == 200)
        let otherHost = await #expect(throws: HTTPTransportError.self) { try await answer(trusting, host: "localhost") }
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
        let making = Process()
        making.executableURL = URL(filePath: Self.tool)
        making.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key.path, "-out", certificate.path,
        ]
        making.standardError = FileHandle.nullDevice
        try making.run()
        making.waitUntilExit()

        let output = Pipe()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate.path, "-key", key.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        // It says on which port it listens.
        while text.firstMatch(of: #/ACCEPT 127\.0\.0\.1:(\d+)\n/#) == nil {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        port = try #require(text.firstMatch(of: #/ACCEPT 127\.0\.0\.1:(\d+)\n/#).flatMap { Int($0.1) })
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
#endif
