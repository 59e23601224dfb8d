import ArgumentParser
import ProfileGenerator
import RecordCommands

struct FHIRViewsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "views",
        abstract: "Write a Swift view for each profile of FHIR definitions.",
        usage: "indivo fhir views [options] <file-folder-or-package> … --output <folder>",
        discussion: """
            The same as profile2swift: every option is handed on. indivo fhir views --help lists them.

            indivo fhir views hl7.fhir.us.core-3.1.0.tgz --output Sources/App/Views
            indivo fhir views --output Views \\
                --profile http://hl7.org/fhir/StructureDefinition/bp
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of profile2swift.")
    var arguments: [String] = []

    func run() throws {
        try ProfileCommand.run(arguments).say(as: "indivo fhir views", insteadOf: "profile2swift")
    }
}
