import Foundation
import Testing

/// The built tool at work: what it prints can be read meanwhile, and nothing waits for it on a thread.
final class RunningTool: Sendable {
    private let process: Process
    private let input: FileHandle
    private let output: Collected
    private let errors: Collected
    private let ended: AsyncStream<Int32>

    /// What came out of a pipe.
    private final class Collected: Sendable {
        let chunks: AsyncStream<Data>

        init(_ pipe: Pipe) {
            let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
            self.chunks = chunks
            // A thread of its own for each, as a pipe has to be emptied whatever else is going on.
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread {
                // What is there already: a read for so many bytes would wait for all of them.
                while case let data = handle.availableData, !data.isEmpty { continuation.yield(data) }
                continuation.finish()
            }
        }
    }

    init(_ tool: Tool, _ arguments: [String], environment: [String: String]) throws {
        let process = Process()
        process.executableURL = try Tool.executable()
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = tool.folder
        let input = Pipe()
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            continuation.yield(
                process.terminationReason == .exit
                    ? process.terminationStatus : 128 + process.terminationStatus
            )
            continuation.finish()
        }
        try process.run()
        // What the tool does not read is no error of ours.
        signal(SIGPIPE, SIG_IGN)
        self.process = process
        self.input = input.fileHandleForWriting
        self.output = Collected(output)
        self.errors = Collected(errors)
        self.ended = ended
    }

    var processIdentifier: Int32 { process.processIdentifier }

    func write(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }

    func endInput() { try? input.close() }

    /// The next addresses that the tool prints, one for each line that is one.
    /// - Parameter isError: Whether they are looked for on standard error, which ``result()`` then lacks.
    func addresses(onError isError: Bool = false) -> AsyncStream<URL> {
        let chunks = isError ? errors.chunks : output.chunks
        let (addresses, continuation) = AsyncStream.makeStream(of: URL.self)
        Task {
            var rest = ""
            for await chunk in chunks {
                rest += String(decoding: chunk, as: UTF8.self)
                var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
                rest = String(lines.removeLast())
                for line in lines {
                    if line.hasPrefix("http://"), let url = URL(string: String(line)) {
                        continuation.yield(url)
                    }
                }
            }
            continuation.finish()
        }
        return addresses
    }

    /// Waits for the end.
    func result() async -> Tool.Result {
        async let output = Self.text(output.chunks)
        async let errors = Self.text(errors.chunks)
        var status: Int32 = -1
        for await ended in ended { status = ended }
        return Tool.Result(status: status, output: await output, errors: await errors)
    }

    private static func text(_ chunks: AsyncStream<Data>) async -> String {
        var data = Data()
        for await chunk in chunks { data += chunk }
        return String(decoding: data, as: UTF8.self)
    }

    func terminate() { process.terminate() }
}
