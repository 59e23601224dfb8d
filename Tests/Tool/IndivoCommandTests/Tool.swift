import Foundation
import Testing

/// The built tool, run as a user runs it.
struct Tool {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// A folder of its own, in which the tool runs and the test writes files.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "indivo-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Calls `body` with a tool whose folder is removed afterwards.
    static func use<Value>(_ body: (Tool) throws -> Value) throws -> Value {
        let tool = try Tool()
        defer { try? FileManager.default.removeItem(at: tool.folder) }
        return try body(tool)
    }

    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Result
    {
        try run(arguments, input: input, environment: environment)
    }

    /// - Parameters:
    ///   - blocks: The most blocks, of 512 bytes or 1024 as the shell has it, that a file may have: the
    ///     system ends the tool when it writes one more.
    ///   - program: Another program of the build.
    func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        blocks: Int? = nil,
        program: String = "indivo"
    ) throws -> Result {
        // Files, not pipes: a pipe that nobody empties would stop the tool.
        let output = "output-\(UUID().uuidString)"
        try write(input, to: output + ".in")
        for name in ["\(output).out", "\(output).err"] { try write("", to: name) }
        let process = Process()
        process.executableURL = try Self.executable(program)
        process.arguments = arguments
        if let blocks {
            process.executableURL = URL(filePath: "/bin/sh")
            let limited = #"ulimit -f \#(blocks); exec "$0" "$@""#
            process.arguments = ["-c", limited, try Self.executable(program).path] + arguments
        }
        process.currentDirectoryURL = folder
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        }
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: output + ".in"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: output + ".out"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: output + ".err"))
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try read(output + ".out"),
            errors: try read(output + ".err")
        )
    }

    /// The tool, which the build puts beside the test bundle.
    static func executable(_ name: String = "indivo") throws -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL
        let tool = folder.appending(path: name)
        try #require(
            FileManager.default.isExecutableFile(atPath: tool.path),
            "there is no \(tool.path); swift build makes it"
        )
        return tool
    }
}

/// JSON that the tool printed.
func json(_ text: String) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
}

let medications = """
    <?xml version="1.0" encoding="UTF-8"?>
    <Models xmlns="http://indivo.org/vocab/xml/documents#">
      <Model name="Medication">
        <Field name="drugName_title">Aspirin 500 MG</Field>
        <Field name="drugName_system">http://purl.bioontology.org/ontology/RXNORM/</Field>
        <Field name="drugName_identifier">198466</Field>
        <Field name="startDate">2012-03-01</Field>
        <Field name="fulfillments">
          <Models>
            <Model name="Fill">
              <Field name="date">2012-03-02T10:00:00Z</Field>
              <Field name="dispenseDaysSupply">30.0</Field>
            </Model>
          </Models>
        </Field>
      </Model>
      <Model name="Medication">
        <Field name="drugName_title">Ibuprofen 200 MG</Field>
        <Field name="drugName_system">http://purl.bioontology.org/ontology/RXNORM/</Field>
        <Field name="drugName_identifier">310965</Field>
        <Field name="startDate">2012-04-01</Field>
      </Model>
    </Models>

    """
