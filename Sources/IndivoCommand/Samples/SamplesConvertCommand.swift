import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import HealthUpload
import IndivoModel
import OrderedJSON

struct SamplesConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Print samples as FHIR, as lines of JSON or as documents of an Indivo record.",
        discussion: """
            indivo samples convert export.zip --to fhir \\
                --subject Patient/7 > samples.ndjson
            indivo samples convert export.xml --to jsonl --type HeartRate \\
                --since 2026-01-01 > heart.jsonl

            With --to fhir each line is an Observation, or the Device that measured it, which comes first. With --to indivo \
            each line is a document of the models VitalSigns and Measurement, or of other models by --table.

            With --output the lines go to a file. While it is not whole, there is a FILE.anchor beside it; the same command \
            then goes on where it was interrupted.

            \(ExitStatus.help)
            """)

    /// What samples become.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case fhir, jsonl, indivo
    }

    @OptionGroup var input: SampleInput

    @Option(help: "fhir, jsonl or indivo.")
    var to: Target

    @Option(help: ArgumentHelp("Whom the samples are about, such as Patient/7.", valueName: "reference"))
    var subject: String?

    @Option(
        help: ArgumentHelp("A table from types to models and fields, for --to indivo.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var table: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("A file for the lines, which an interrupted run goes on with.", valueName: "file"), completion: .file())
    var output: String?

    func validate() throws {
        if output != nil, input.file == "-" {
            throw ValidationError("--output needs a file to read, as standard input cannot be gone on with; print with > FILE.")
        }
        func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
        if let output, resolved(output) == resolved(input.file) {
            throw ValidationError("--output \(output) is the file that is read; choose another one.")
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
        let (first, before) = (lines.position, lines.failures)
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
                    let document = try models?.document(of: sample) ?? SampleDocuments.document(of: sample, mapping: mapping)
                    lines.line { $0 += document }
                case .fhir:
                    let device = converter.device(of: sample)
                    let reference = device?.id.map { Reference<AnyResource>("Device/\($0)") }
                    let resource = try converter.resource(of: sample, device: reference)
                    if let device, let id = device.id, lines.isNew(device: id) { lines.line { device.tree.write(to: &$0) } }
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
        let rules = try table.map { SHA256.hex(try InputFile(path: $0).read()) } ?? ""
        let scope = [to.rawValue, subject ?? "", rules, mapping.fingerprint, selection.description, try input.fingerprint()]
        let lines = try ConversionOutput(path: output, scope: scope.joined(separator: "\u{1F}"))
        if lines.isResumed { input.talk.note("\(output): going on where the last run was interrupted") }
        return lines
    }

    private func sampleTable(_ mapping: HealthMapping) throws -> SampleTable? {
        guard let table else { return nil }
        let input = InputFile(path: table)
        do {
            return try SampleTable(parsing: input.read(), mapping: mapping)
        } catch let error as HealthMappingError {
            throw CommandFailure(error.message, at: input.place(error.location?.line, error.location?.column))
        }
    }
}
