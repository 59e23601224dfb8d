import ArgumentParser
import Foundation
import Indivo

struct DemographicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demographics",
        abstract: "Show or set who the patient is.",
        discussion: """
            indivo demographics --xml > me.xml
            indivo demographics set me.xml
            """,
        subcommands: [DemographicsShowCommand.self, DemographicsSetCommand.self],
        defaultSubcommand: DemographicsShowCommand.self)
}

struct DemographicsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show who the patient is.",
        discussion: """
            --xml prints the document that indivo demographics set takes, --json what the server gives as SDMJ.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        var sdmj = Data()
        if output.form == .json {
            let path = "/records/\(record.id)/demographics"
            sdmj = try await record.call(.get, path, query: ["response_format": "application/json"]).data
        }
        let demographics = try await record.demographics()
        try output.print(RecordListings.demographics(demographics, sdmj: { [sdmj] in sdmj }), none: "")
    }
}

struct DemographicsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set who the patient is, from a Demographics document.",
        discussion: "Prints what the server says of the new document. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The XML file; - for standard input.", completion: .file(extensions: ["xml"]))
    var file: String

    func run() async throws {
        let input = InputFile(path: file)
        let root = try input.parse()
        let demographics: Demographics
        do {
            demographics = try Demographics.read(from: root)
        } catch let error as DocumentError {
            throw CommandFailure(
                "\(error); what it should be, “indivo demographics --xml” shows", at: input.place(error.line))
        }
        let record = try await connection.openRecord(output.talk)
        try await record.setDemographics(demographics)
        try output.print(demographics.metadata)
    }
}
