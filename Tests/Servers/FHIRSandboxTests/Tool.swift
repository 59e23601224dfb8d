import Foundation
import OrderedJSON
import Testing

/// The command-line tool, built beside the tests.
enum Tool {
    static let url: URL? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<3 {
            let file = folder.appending(path: "indivo")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Starts `indivo fhir serve` on a free port.
    /// - Parameter token: What clients need, if anything.
    /// - Returns: The process, and the line of JSON that it prints first.
    static func startServer(_ options: [String], token: String? = nil) throws -> (
        process: Process, summary: JSONValue
    ) {
        let process = Process()
        process.executableURL = url
        process.arguments = ["fhir", "serve", "--port", "0", "--json"] + options
        if let token {
            process.environment = ProcessInfo.processInfo.environment.merging(["FHIR_TOKEN": token]) { $1 }
        }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        do {
            let line = try #require(firstLine(of: output.fileHandleForReading))
            return (process, try JSONValue(parsing: line))
        } catch {
            process.terminate()
            throw error
        }
    }

    private static func firstLine(of handle: FileHandle) -> Data? {
        var line = Data()
        while let byte = try? handle.read(upToCount: 1), let first = byte.first {
            if first == UInt8(ascii: "\n") { return line }
            line.append(first)
        }
        return nil
    }
}
