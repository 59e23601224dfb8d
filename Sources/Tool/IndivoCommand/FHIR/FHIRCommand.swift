import ArgumentParser

/// The parent of everything that concerns FHIR.
struct FHIRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fhir",
        abstract: "Work with FHIR R4: files, and servers.",
        discussion: """
            indivo fhir check patient.json bundles/
            indivo fhir check --definitions hl7.fhir.us.core-3.1.0.tgz patient.json
            indivo fhir format --compact patient.json
            indivo fhir path 'name.given.first()' patient.json
            indivo fhir export > bundle.json
            indivo fhir serve --load patient.json
            """,
        groupedSubcommands: [
            CommandGroup(name: "Record", subcommands: [FHIRExportCommand.self]),
            CommandGroup(
                name: "Client",
                subcommands: [
                    FHIRCapabilitiesCommand.self, FHIRReadCommand.self, FHIRSearchCommand.self,
                    FHIRHistoryCommand.self,
                    FHIRCreateCommand.self, FHIRUpdateCommand.self, FHIRDeleteCommand.self,
                    FHIRTransactionCommand.self, FHIRLoginCommand.self, FHIRLogoutCommand.self,
                    FHIRExportBulkCommand.self,
                ]
            ),
            CommandGroup(
                name: "File",
                subcommands: [FHIRCheckCommand.self, FHIRFormatCommand.self, FHIRPathCommand.self]
            ),
            CommandGroup(
                name: "Definitions",
                subcommands: [FHIRSnapshotCommand.self, FHIRPackageCommand.self, FHIRViewsCommand.self]
            ),
            CommandGroup(name: "Server", subcommands: [FHIRServeCommand.self]),
        ]
    )
}
