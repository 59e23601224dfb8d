import ArgumentParser

struct DocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "List, read, add and change the record's documents.",
        discussion: """
            indivo documents list
            indivo documents get ID > document.xml
            indivo documents add medication.xml
            indivo documents replace ID medication.xml
            indivo documents status ID void --reason 'entered twice'

            To look at files before they are sent: indivo document check.
            """,
        subcommands: [
            DocumentsListCommand.self, DocumentsGetCommand.self, DocumentsAddCommand.self,
            DocumentsReplaceCommand.self,
            DocumentsLabelCommand.self, DocumentsStatusCommand.self, DocumentsMetaCommand.self,
            DocumentsHistoryCommand.self, DocumentsVersionsCommand.self, DocumentsRelateCommand.self,
            DocumentsRelatedCommand.self, DocumentsCarenetsCommand.self,
        ])
}
