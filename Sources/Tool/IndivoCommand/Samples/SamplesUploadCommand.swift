import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import HealthSamples
import Indivo
import IndivoBase
import IndivoModel
import OrderedJSON
import RecordCommands

struct SamplesUploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Send samples to a FHIR server; sending them again changes nothing.",
        discussion: """
            indivo samples upload export.zip --base https://fhir.example.org/r4 \\
                --patient 'urn:oid:1.2.3|4711'

            The patient is found by an identifier, which the server must have once. \
            With --anchor a file remembers how far the upload was, and the next run goes on there; \
            samples that were refused are sent again. An anchor holds for one file, patient, server, \
            mapping and choice of samples; with another one the upload begins anew.

            \(FHIRClientHelp.connection) It is 1 when samples were refused or skipped, \
            or when there were none.
            """
    )

    @OptionGroup var input: SampleInput
    @Option(help: .value("url", "The base URL of the FHIR server (FHIR_BASE)."))
    var base: String?

    @Option(
        help: .value(
            "host",
            "A host to use without TLS; everybody on the way can read what is sent."
        )
    )
    var allowHttp: [String] = []

    @Option(help: .value("identifier", "The patient's identifier, as system|value."))
    var patient: String

    @Option(
        help: .value("file", "A file that remembers how far the upload was."),
        completion: .file()
    )
    var anchor: String?

    @Option(help: "How many samples a request has.")
    var batch = 100

    func validate() throws {
        guard 1...1000 ~= batch else { throw ValidationError("--batch is between 1 and 1000.") }
        if anchor != nil, input.file == "-" {
            throw ValidationError(
                "--anchor needs a file: what standard input gives cannot be told from what it gave before."
            )
        }
        if PatientIdentifier(patient) == nil {
            throw ValidationError("--patient needs an identifier, as system|value.")
        }
    }

    /// What was done so far.
    private struct Counts {
        var created = 0
        var existing = 0
        var refused = 0
    }

    func run() async throws {
        guard let identifier = PatientIdentifier(patient) else { return }
        let mapping = try input.healthMapping()
        let selection = try input.selection(mapping)
        let client = try FHIRConnectionOptions.client(
            base: base,
            allowHTTP: allowHttp,
            console: input.console
        )
        let found: Patient
        do {
            found = try await client.patient(identifiedBy: identifier)
        } catch let error as PatientLookupError {
            throw CommandFailure("\(error)", status: .nothingFound)
        }
        guard let id = found.id else {
            throw CommandFailure("the server gave a patient without an id", status: .refused)
        }
        let upload = SampleUpload(client: client, patientID: id, mapping: mapping)
        var position = try loadAnchor("\(client.base.absoluteString) \(id)", mapping, selection)
        var counts = Counts()
        var waiting: [(index: Int, sample: Sample)] = []
        let isResumed = (position?.position ?? 0) > 0
        let begin = position?.position ?? 0
        var refusedAtFirst = 0

        func send(upTo end: Int) async throws {
            let outcomes = try await upload.send(waiting.map(\.sample))
            var results: [(index: Int, isRefused: Bool)] = []
            for (item, outcome) in zip(waiting, outcomes) {
                var isRefused = false
                switch outcome {
                case .created: counts.created += 1
                case .existing: counts.existing += 1
                case .refused(let reason):
                    isRefused = true
                    counts.refused += 1
                    if counts.refused <= 20 || input.console.verbose {
                        StandardStreams.printError(
                            """
                            \(InputFile(path: input.file).name): sample \(item.index + 1) \
                            (\(item.sample.type)): refused: \(reason)
                            """
                        )
                    }
                }
                results.append((item.index, isRefused))
            }
            // What an earlier run remembered as refused says nothing about the samples that it did not reach.
            refusedAtFirst += results.count { $0.isRefused && $0.index >= begin }
            waiting.removeAll(keepingCapacity: true)
            position?.advance(to: end, outcomes: results)
            try storeAnchor(position)
            // A server that refuses everything does not want a million requests.
            if counts.created + counts.existing == 0, refusedAtFirst >= 500 {
                throw CommandFailure(
                    "the first \(refusedAtFirst) samples were refused; nothing more is sent",
                    status: .refused
                )
            }
        }

        var last = -1
        let tally = try await input.forEach(selection, parts: upload.converter.parts(of:)) { sample, index in
            last = index
            guard position?.needs(index) ?? true else { return }
            // All members of one sample stand at one position: a batch ends between positions.
            if waiting.count >= batch, waiting.last?.index != index { try await send(upTo: index) }
            waiting.append((index, sample))
        }
        try await send(upTo: last + 1)
        input.console.note(
            "\(counts.created) created, \(counts.existing) there already, \(counts.refused) refused"
        )
        if counts.refused > 0 { throw ExitCode.nothingFound }
        try tally.end()
        guard counts.created + counts.existing == 0 else { return }
        if isResumed { return input.console.note("all samples were sent before") }
        StandardStreams.printError(
            "nothing was sent: --type, --since and --until choose no sample of the file"
        )
        throw ExitCode.nothingFound
    }

    // MARK: Anchor

    private func loadAnchor(_ target: String, _ mapping: HealthMapping, _ selection: SampleSelection) throws
        -> UploadAnchor?
    {
        guard let path = anchor else { return nil }
        var result = UploadAnchor(
            target: target,
            mapping: mapping,
            selection: selection.description,
            file: try input.fingerprint()
        )
        do {
            guard let data = try PrivateFile(path).read() else { return result }
            guard let json = try? JSONValue(parsing: data), result.resume(from: json) else {
                input.console.note(
                    """
                    \(path): the anchor is of another file, patient, server, mapping or choice; \
                    the upload begins anew
                    """
                )
                return result
            }
        } catch {
            throw CommandFailure("\(path): the anchor cannot be read: \(error)")
        }
        return result
    }

    private func storeAnchor(_ position: UploadAnchor?) throws {
        guard let position, let path = anchor else { return }
        do { try PrivateFile(path).replace(with: Data(position.json.utf8())) } catch {
            throw CommandFailure("\(path): the anchor cannot be written: \(error)")
        }
    }
}
