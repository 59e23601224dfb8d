import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import Indivo
import IndivoBase
import IndivoModel
import IndivoSamples
import OrderedJSON
import RecordCommands

struct SamplesConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Print samples as FHIR, as lines of JSON or as documents of an Indivo record.",
        discussion: """
            indivo samples convert export.zip --to fhir \\
                --subject Patient/7 > samples.ndjson
            indivo samples convert export.xml --to jsonl --type HeartRate \\
                --since 2026-01-01 > heart.jsonl

            With --to fhir each line is an Observation, or the Device that measured it, which comes first; \
            a workout's route is a DocumentReference with its GPX. \
            With --to indivo each line is a document of the models VitalSigns and Measurement, \
            or of other models by --table.

            With --output the lines go to a file. While it is not whole, there is a FILE.anchor beside it; \
            the same command then goes on where it was interrupted.

            \(ExitStatus.help)
            """
    )

    /// What samples become.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case fhir, jsonl, indivo
    }

    @OptionGroup var input: SampleInput

    @Option(help: "fhir, jsonl or indivo.")
    var to: Target

    @Option(help: .value("reference", "Whom the samples are about, such as Patient/7."))
    var subject: String?

    @Option(
        help: .value("file", "A table from types to models and fields, for --to indivo."),
        completion: .json
    )
    var table: String?

    @Option(
        name: [.customShort("o"), .long],
        help: .value("file", "A file for the lines, which an interrupted run goes on with."),
        completion: .file()
    )
    var output: String?

    func validate() throws {
        if output != nil, input.file == "-" {
            throw ValidationError(
                "--output needs a file to read, as standard input cannot be gone on with; print with > FILE."
            )
        }
        func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
        // A file may have several names, as by a hard link, or in capitals.
        func identity(_ path: String) -> String { StudyPlace.file(URL(filePath: path)).identity }
        if let output {
            var read = [input.file, table, input.mapping].compactMap { $0 }
            if input.isFolder, let files = FileManager.default.enumerator(atPath: input.file) {
                read += files.compactMap { $0 as? String }.map { input.file + "/" + $0 }
            }
            let own = identity(output)
            if read.contains(where: { identity($0) == own }) {
                throw ValidationError("--output \(output) is the file that is read; choose another one.")
            }
        }
        if let output, input.isFolder, resolved(output).hasPrefix(resolved(input.file) + "/") {
            throw ValidationError("--output \(output) lies in the folder that is read; choose another one.")
        }
        if table != nil, to != .indivo { throw ValidationError("--table goes with --to indivo.") }
        if let subject, to != .fhir || FHIRAddress(argument: subject)?.id == nil {
            throw ValidationError("--subject goes with --to fhir, and is a reference such as Patient/7.")
        }
    }

    func run() async throws {
        let mapping = try input.healthMapping()
        let converter = SampleConverter(mapping: mapping, subject: subject)
        let models = try sampleTable(mapping)
        let selection = try input.selection(mapping)
        let lines = try open(mapping, selection)
        let first = lines.position
        let before = lines.failures
        func parts(of sample: Sample) -> [Sample] {
            switch to {
            case .jsonl: [sample]
            case .fhir: converter.parts(of: sample)
            case .indivo: models?.parts(of: sample) ?? SampleDocuments.parts(of: sample, mapping: mapping)
            }
        }
        var tally = try await input.forEach(selection, parts: parts(of:)) { sample, position in
            guard position >= first else { return }
            try lines.begin(position)
            do {
                switch to {
                case .jsonl: lines.line { sample.json.write(to: &$0) }
                case .indivo:
                    let document =
                        try models?.document(of: sample)
                        ?? SampleDocuments.document(of: sample, mapping: mapping)
                    lines.line { $0 += document }
                case .fhir:
                    let device = converter.device(of: sample)
                    let reference = device?.id.map { Reference<AnyResource>("Device/\($0)") }
                    let resource = try converter.resource(of: sample, device: reference)
                    if let device, let id = device.id, lines.isNew(device: id) {
                        lines.line { device.tree.write(to: &$0) }
                    }
                    lines.line { resource.tree.write(to: &$0) }
                }
            } catch let error as SampleError {
                lines.addFailure()
                throw error
            }
        }
        try lines.finish()
        tally.addShown(before)
        try tally.end()
    }

    private func open(_ mapping: HealthMapping, _ selection: SampleSelection) throws -> ConversionOutput {
        guard let output else { return ConversionOutput() }
        let rules = try table.map { SHA256Sum.hex(try InputFile(path: $0).read()) } ?? ""
        let scope = [
            to.rawValue, subject ?? "", rules, mapping.fingerprint, selection.description,
            try input.fingerprint(),
        ]
        let lines = try ConversionOutput(path: output, scope: scope.joined(separator: "\u{1F}"))
        if lines.isResumed { input.console.note("\(output): going on where the last run was interrupted") }
        return lines
    }

    private func sampleTable(_ mapping: HealthMapping) throws -> SampleTable? {
        try table.map { try SampleInput.table($0) { try SampleTable(parsing: $0, mapping: mapping) } }
    }
}

/// The lines that a conversion makes, on standard output or in a file.
///
/// Beside a file an anchor says how much of it is whole until all is: a run that was interrupted goes on
/// there.
final class ConversionOutput {
    /// The positions before it are done; earlier ones are not given to ``line(_:)`` again.
    private(set) var position = 0
    /// How many samples before it could not be converted.
    private(set) var failures = 0
    /// The devices that were written.
    private(set) var devices: Set<String> = []

    private var bytes = 0
    private var buffer: [UInt8] = []
    private let file: File?

    private struct File {
        var path: String
        var handle: FileHandle
        var scope: String
        var anchor: PrivateFile { PrivateFile(path + ".anchor") }
    }

    /// How much is lost at most when a run is interrupted.
    private static let step = 1 << 20
    /// There are few devices; should there be many, they are written again.
    private static let deviceLimit = 10_000

    /// Standard output.
    init() { file = nil }

    /// A file, which is gone on with if it has an anchor.
    /// - Parameter scope: What the lines are made of; an anchor of something else does not count.
    init(path: String, scope: String) throws {
        do {
            if !path.fileExists {
                // As private as what is in it.
                guard
                    FileManager.default.createFile(
                        atPath: path,
                        contents: nil,
                        attributes: [.posixPermissions: 0o600]
                    )
                else {
                    throw CommandFailure("\(path): the file cannot be made; does its folder exist?")
                }
            }
            let handle = try FileHandle(forUpdating: URL(filePath: path))
            file = File(path: path, handle: handle, scope: SHA256Sum.hex(Array(scope.utf8)))
            try resume(size: Int(clamping: try handle.seekToEnd()))
            try handle.truncate(atOffset: UInt64(bytes))
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("\(path): the file cannot be written: \(error.localizedDescription)")
        }
    }

    /// Whether a run was interrupted and this one goes on.
    var isResumed: Bool { position > 0 }

    private func resume(size: Int) throws {
        guard let file else { return }
        let data: Data?
        do { data = try file.anchor.read() } catch {
            throw CommandFailure(
                """
                \(file.anchor.path): the anchor cannot be read: \(error); \
                remove it, and the conversion begins anew
                """
            )
        }
        guard let data, let json = try? JSONValue(parsing: data), json["version"]?.integer == 1,
            json["scope"]?.string == file.scope, let position = json["position"]?.integer, position >= 0,
            let bytes = json["bytes"]?.integer, 0...size ~= bytes, let failures = json["failures"]?.integer,
            0...1 << 40 ~= failures,
            let devices = json["devices"]?.elements?.compactMap(\.string)
        else { return }
        self.position = position
        self.bytes = bytes
        self.failures = failures
        self.devices = Set(devices)
    }

    /// Whether a device has to be written, which it is once.
    func isNew(device id: String) -> Bool {
        if devices.count >= Self.deviceLimit { devices = [] }
        return devices.insert(id).inserted
    }

    /// Says which position the next lines are of.
    func begin(_ position: Int) throws {
        guard position > self.position else { return }
        self.position = position
        if buffer.count >= (file == nil ? 64 << 10 : Self.step) { try flush() }
    }

    /// Counts a sample that could not be converted.
    func addFailure() { failures += 1 }

    /// Adds a line.
    func line(_ write: (inout [UInt8]) -> Void) {
        write(&buffer)
        buffer.append(10)
    }

    /// Writes what is left. The file is whole then, and its anchor goes.
    func finish() throws {
        try flush(isLast: true)
        if let file { try? FileManager.default.removeItem(atPath: file.anchor.path) }
    }

    private func flush(isLast: Bool = false) throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard let file else { return try StandardStreams.write(Data(buffer)) }
        do {
            try file.handle.seekToEnd()
            try file.handle.write(contentsOf: Data(buffer))
            bytes += buffer.count
            // The anchor never speaks of bytes that a failing machine has not kept.
            try file.handle.synchronize()
            // An anchor at the last position would have its lines written again, should the run end here.
            if isLast { return }
            let json: JSONValue = [
                "version": 1, "scope": JSONValue(file.scope), "position": JSONValue(position),
                "bytes": JSONValue(bytes),
                "failures": JSONValue(failures), "devices": JSONValue(devices.sorted().map { JSONValue($0) }),
            ]
            try file.anchor.replace(with: Data(json.utf8()))
        } catch {
            throw CommandFailure("\(file.path): the file cannot be written: \(error.localizedDescription)")
        }
    }
}
