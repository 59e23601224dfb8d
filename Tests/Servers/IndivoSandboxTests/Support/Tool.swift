import Foundation
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

    /// Starts `indivo sandbox` on free ports.
    /// - Returns: The process, and the line of JSON that it prints first.
    static func startSandbox(_ options: [String]) throws -> (process: Process, summary: [String: Any]) {
        let process = Process()
        process.executableURL = url
        process.arguments = ["sandbox", "--port", "0", "--ui-port", "0", "--json"] + options
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = try #require(firstLine(of: output.fileHandleForReading))
        return (process, try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any]))
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
