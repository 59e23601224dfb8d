import Foundation

/// A process that is run to its end, and what it took.
struct MeasuredProcess {
    /// User and system time, in seconds.
    let processorTime: Double
    /// From its start to its end, in seconds.
    let time: Double
    /// The most memory that it had at once, in bytes.
    let memory: Int

    static var own: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// - Throws: ``Failure`` when it does not end with status 0.
    init(_ executable: String, _ arguments: [String]) throws {
        let start = ContinuousClock.now
        let identifier = try Self.start(executable, arguments)
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(identifier, &status, 0, &usage) == identifier, status == 0 else {
            throw Failure(description: "\(executable) \(arguments.first ?? "") ended with \(status)")
        }
        let duration = (ContinuousClock.now - start).components
        time = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        processorTime = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        #if canImport(Darwin)
        memory = usage.ru_maxrss
        #else
        memory = usage.ru_maxrss << 10
        #endif
    }

    /// Starts a process that is found by its name or path.
    static func start(_ executable: String, _ arguments: [String]) throws -> pid_t {
        var pointers = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, executable, nil, nil, &pointers, environ)
        guard code == 0 else {
            throw Failure(description: "cannot start \(executable): \(String(cString: strerror(code)))")
        }
        return identifier
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

/// A folder that is gone afterwards.
func withScratchFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(
        path: "delivery-benchmark-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Writes so many mebibytes that no packer makes smaller, as of a recording.
func writeNoise(_ file: URL, mebibytes: Int) throws {
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<mebibytes {
        let words = (0..<1 << 17).map { _ in generator.next() }
        try handle.write(contentsOf: words.withUnsafeBytes { Data($0) })
    }
    try handle.close()
}
