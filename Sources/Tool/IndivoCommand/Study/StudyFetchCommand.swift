import ArgumentParser
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch what a study publishes to its phones, checked as a phone checks it.",
        discussion: """
            indivo study fetch https://study.example.org/c3pro \\
                --study org.example.sleep --signer signing/certificate.pem

            Listed are the files with what they are, URL and version. --store DIR keeps the last good list \
            as a phone does: an older one is refused then, and without a network the stored one is listed. \
            --output DIR writes the files; “indivo study due DIR/schedule.json --enrolled 2026-03-01 \
            --notifications” lists the reminders of a schedule. \(ExitStatus.help)
            """
    )

    @Argument(help: "The receiver’s root, such as https://study.example.org/c3pro.")
    var url: String

    @Option(help: "The study’s identifier.")
    var study: String

    @Option(help: "The certificate of the key that signs the study’s lists.", completion: .file())
    var signer: String

    @Option(help: "A folder that keeps the last good list.", completion: .directory)
    var store: String?

    @Option(name: .shortAndLong, help: "A new folder for the files.", completion: .directory)
    var output: String?

    @Option(
        help: .value(
            "host",
            "A host to use without TLS; everybody on the way can change what is sent."
        )
    )
    var allowHttp: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var console: MessageOptions

    func run() async throws {
        guard let url = URL(string: url) else { throw CommandFailure("“\(url)” is no URL") }
        let scratch = FileManager.default.temporaryDirectory.appending(path: "study-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let published = try PublishedStudyStore(
            in: store.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? scratch,
            study: study,
            signedBy: StudyCertificate(StudyFile.read(signer, limit: 1 << 20)),
            from: url,
            plainHTTPHosts: Set(allowHttp)
        )
        do {
            let (study, isNew) = try await published.fetch()
            if !isNew { console.note("Nothing has changed.") }
            try show(study)
        } catch let error as HTTPTransportError {
            do {
                if let study = try published.stored() { try show(study) }
            } catch {
                StandardStreams.printError("error: \(error)")
            }
            throw CommandFailure("\(error.message)", status: .notReached)
        } catch let error as StudyServerProblem {
            throw CommandFailure("\(error)", status: .refused)
        }
    }

    private func show(_ study: PublishedStudy) throws {
        let contents = study.contents
        let rows = contents.files.map { file -> [JSONValue] in
            [
                JSONValue(file.kind.rawValue), JSONValue(file.url), JSONValue(file.version),
                JSONValue(file.size), JSONValue(file.digest),
            ]
        }
        let columns: Listing.Columns = [
            "kind": "KIND", "url": "URL", "version": "VERSION", "size": "BYTES", "sha256": "SHA-256",
        ]
        try Listing(columns, rows).print(asJSON: json)
        let consent = contents.consent.map { consent in
            let from = consent.requiredFrom.map { ", required from \($0) on" } ?? ""
            return "; the consent in force is \(consent.document) version \(consent.version)\(from)"
        }
        console.note(
            "Version \(contents.version), signed \(contents.issued), taken until \(contents.expires)"
                + "\(consent ?? "")."
        )
        guard let output else { return }
        var count = 0
        let files = contents.files.map { file -> (String, Data) in
            if file.kind == .questionnaire { count += 1 }
            let name = file.kind == .questionnaire ? "questionnaire-\(count).json" : "\(file.kind).json"
            return (name, study.content(of: file) ?? Data())
        }
        try NewFile.write(files, in: URL(filePath: output, directoryHint: .isDirectory))
    }
}
