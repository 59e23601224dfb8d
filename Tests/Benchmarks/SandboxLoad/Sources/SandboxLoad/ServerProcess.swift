import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A server in a process of its own, so that its memory is told apart from that of the clients.
final class ServerProcess: Sendable {
    enum Kind: String {
        /// The sandbox.
        case sandbox
        /// A handler that answers every request with the same few bytes.
        case trivial
    }

    /// What a client needs to know.
    struct Access: Codable {
        var record: String
        var token: String
        var secret: String
    }

    struct Greeting: Codable {
        var port: Int
        var accesses: [Access]
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let kind: Kind
    let greeting: Greeting
    private let identifier: Int32

    /// Starts a server with so many records of the same content.
    init(_ kind: Kind, records: Int, database: URL? = nil) throws {
        self.kind = kind
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments =
            ["serve", kind.rawValue, "--records", "\(records)"]
            + (database.map { ["--database", $0.path] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        identifier = process.processIdentifier
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
            line += byte
        }
        guard let greeting = try? JSONDecoder().decode(Greeting.self, from: line) else {
            throw Failure(description: "the server did not start")
        }
        self.greeting = greeting
    }

    func stop() {
        kill(identifier, SIGTERM)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }

    /// The memory that the process holds of its own, in megabytes; where the system does not tell it apart,
    /// all it holds.
    var ownMegabytes: Double {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? psOutput
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? status[...]
        let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        return Double(kilobytes) * 1024 / 1_000_000
    }

    private var psOutput: String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/ps")
        process.arguments = ["-o", "rss=", "-p", "\(identifier)"]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return "" }
        return String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
