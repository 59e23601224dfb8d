import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import IndivoModel
import OrderedJSON

struct SamplesConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Print samples as FHIR, as lines of JSON or as documents of an Indivo record.",
        discussion: """
            indivo samples convert export.zip --to fhir --subject Patient/7 > samples.ndjson
            indivo samples convert export.xml --to jsonl --type HeartRate --since 2026-01-01 > heart.jsonl

            With --to fhir each line is an Observation, or the Device that measured it, which comes first. With --to indivo \
            each line is a document of the models VitalSigns and Measurement, or of other models by --table.

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

    func validate() throws {
        if table != nil, to != .indivo { throw ValidationError("--table goes with --to indivo.") }
        if let subject, to != .fhir || FHIRAddress(argument: subject)?.id == nil {
            throw ValidationError("--subject goes with --to fhir, and is a reference such as Patient/7.")
        }
    }

    func run() async throws {
        let mapping = try input.healthMapping()
        let converter = SampleConverter(mapping: mapping, subject: subject)
        let models = try sampleTable(mapping)
        var devices: Set<String> = []
        var buffer: [UInt8] = []
        func line(_ write: (inout [UInt8]) -> Void) throws {
            write(&buffer)
            buffer.append(10)
            if buffer.count >= 64 << 10 {
                try StandardStreams.write(Data(buffer))
                buffer.removeAll(keepingCapacity: true)
            }
        }
        let tally = try await input.forEach(input.selection(mapping)) { sample, _ in
            switch to {
            case .jsonl: try line { sample.json.write(to: &$0) }
            case .indivo:
                let document = try models?.document(of: sample) ?? SampleDocuments.document(of: sample, mapping: mapping)
                try line { $0 += document }
            case .fhir:
                let device = converter.device(of: sample)
                let reference = device?.id.map { Reference<AnyResource>("Device/\($0)") }
                let resource = try converter.resource(of: sample, device: reference)
                // There are few devices; should there be many, they are printed again.
                if devices.count >= 10_000 { devices = [] }
                if let device, let id = device.id, devices.insert(id).inserted { try line { device.tree.write(to: &$0) } }
                try line { resource.tree.write(to: &$0) }
            }
        }
        try StandardStreams.write(Data(buffer))
        try tally.end()
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
