#if Tool && Sandbox
import Foundation

/// The process's standard input, output and error.
enum StandardStreams {
    /// Everything up to the end of standard input.
    static func readInput() throws -> Data { try FileHandle.standardInput.readToEnd() ?? Data() }

    /// Writes bytes to standard output just as they are.
    static func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw CommandFailure("standard output cannot be written: \(error.localizedDescription)")
        }
    }

    /// Writes a line to standard output.
    static func say(_ line: String) throws { try write(Data("\(line)\n".utf8)) }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        // There is nowhere left to tell that this failed.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}
#endif
