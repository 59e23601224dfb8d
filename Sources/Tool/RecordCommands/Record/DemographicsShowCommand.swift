import ArgumentParser
import Foundation
import Indivo

struct DemographicsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "show",
        "Show who the patient is.",
        discussion: "--json prints what the server gives as SDMJ."
    )

    @OptionGroup var options: RecordOptions

    @Flag(help: "Print the document that indivo demographics set takes.") var xml = false

    func validate() throws {
        if xml && options.output.json { throw ValidationError("--xml and --json exclude each other.") }
    }

    func run() async throws {
        let record = try await options.open()
        if xml {
            let document = try await record.demographics().xml().document
            return try StandardStreams.write(document.data(.pretty))
        }
        var sdmj = Data()
        if options.output.json {
            let path = "/records/\(record.id)/demographics"
            sdmj = try await record.call(.get, path, query: ["response_format": "application/json"]).data
        }
        try options.output.print(.demographics(try await record.demographics(), sdmj: sdmj))
    }
}
