import Foundation
import Testing

@Suite("What the tool sends to a terminal")
struct TerminalTests {
    private static let commands = "\u{1B}]0;owned\u{7}\u{9B}31mred\u{8}\u{202E}drawkcab\u{2066}"

    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n"
            && (scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value))
    }

    @Test(
        "no command to the terminal is in a message, whatever a server says",
        arguments: [
            [], ["--verbose"], ["--quiet"],
        ]
    )
    func messages(options: [String]) async throws {
        let server = try SayingServer(status: "400 Bad\u{1B}[31m", body: "refused \(Self.commands) for you")
        try await ClientTool.use { client in
            let tool = client.with(["INDIVO_API": server.url])
            for arguments in [
                ["record"], ["documents", "add", "-"], ["reports", "Medication"],
                ["documents", "label", "d1", "x"],
            ] {
                let result = try await tool.run(arguments + options, input: vitaminC)
                #expect(result.status == 3, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("400"), "\(arguments): \(result.errors)")
                #expect(
                    !result.errors.unicodeScalars.contains(where: Self.isCommand),
                    "\(result.errors.debugDescription)"
                )
                #expect(!result.output.unicodeScalars.contains(where: Self.isCommand))
            }
        }
    }

    @Test("what the tool repeats of its arguments and of files commands no terminal")
    func arguments() throws {
        try Tool.use { tool in
            try tool.write("<a><b\(Self.commands)></a>", to: "a.xml")
            try tool.write("<a>\(Self.commands)</a>", to: "\u{1B}[31m.xml")
            for arguments in [
                ["no-such\(Self.commands)"], ["select", "\(Self.commands)", "a.xml"],
                ["document", "check", "a.xml"],
                ["select", "a", "\u{1B}[31m.xml"], ["document", "check", "\u{1B}[31m.xml"],
                ["format", "nothing\(Self.commands)"],
                ["record", "--api", "\(Self.commands)", "--app-id", "a"],
                ["sandbox", "--address", Self.commands],
            ] {
                let result = try tool.run(arguments)
                #expect(result.status != 0, "\(arguments)")
                let said = result.output + result.errors
                #expect(!said.isEmpty)
                #expect(!said.unicodeScalars.contains(where: Self.isCommand), "\(said.debugDescription)")
            }
        }
    }

    #if os(Linux)
    @Test("what a document holds commands no terminal, and reaches a file as it is")
    func content() throws {
        try Tool.use { tool in
            let content = "<a>\u{9B}31m\u{202E}x\u{85}é</a>"
            try tool.write(content, to: "a.xml")
            let piped = try tool.run("select", "a", "a.xml")
            #expect(piped.output.contains("\u{9B}31m\u{202E}x"))

            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            let path = try Tool.executable().path
            process.arguments = ["script", "-qec", "'\(path)' select a a.xml", "typescript"]
            process.currentDirectoryURL = tool.folder
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            let shown = try tool.read("typescript").split(separator: "\n").filter {
                !$0.hasPrefix("Script ")
            }.joined()
            #expect(shown.contains("31m") && shown.contains("é"))
            #expect(
                !shown.unicodeScalars.contains { $0 != "\r" && Self.isCommand($0) },
                "\(shown.debugDescription)"
            )
        }
    }
    #endif
}

/// A server that says the same to everybody.
private final class SayingServer: Sendable {
    let url: String
    private let listener: Int32

    init(status: String, body: String) throws {
        #if canImport(Glibc)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard listens else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let response = Array(
            ("""
            HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n\
            Connection: close\r\n\r\n
            """
                + body).utf8
        )
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 65_536)
                    _ = recv(connection, &buffer, buffer.count, 0)
                    _ = response.withUnsafeBytes {
                        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    shutdown(connection, Int32(SHUT_WR))
                    while recv(connection, &buffer, buffer.count, 0) > 0 {}
                    close(connection)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
