import ArgumentParser
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
        defaultSubcommand: DemographicsShowCommand.self
    )
}
