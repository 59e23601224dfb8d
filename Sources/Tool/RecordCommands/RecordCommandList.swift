import ArgumentParser

/// The commands that need no FHIR: what works on a record, its documents and the sandbox.
package enum RecordCommandList {
    private typealias Group = (name: String, commands: KeyValuePairs<String, any ParsableCommand.Type>)

    /// The names stand here, too: to find a command, none has to describe itself.
    private static let table: [Group] = [
        (
            "Login",
            [
                "login": LoginCommand.self, "logout": LogoutCommand.self, "sessions": SessionsCommand.self,
                "settings": SettingsCommand.self,
            ]
        ),
        (
            "Record",
            [
                "record": RecordCommand.self, "reports": ReportsCommand.self,
                "documents": DocumentsCommand.self, "app-documents": AppDocumentsCommand.self,
                "demographics": DemographicsCommand.self, "message": MessageCommand.self,
                "notify": NotifyCommand.self, "audit": AuditCommand.self, "outbox": OutboxCommand.self,
            ]
        ),
        ("Call", ["call": CallCommand.self, "calls": CallsCommand.self]),
        (
            "File",
            [
                "document": DocumentCommand.self, "select": SelectCommand.self, "format": FormatCommand.self,
                "generate": GenerateCommand.self,
            ]
        ),
        ("Sandbox", ["sandbox": SandboxCommand.self]),
    ]

    /// The commands as the help groups them.
    package static var groups: [CommandGroup] {
        table.map { CommandGroup(name: $0.name, subcommands: $0.commands.map(\.value)) }
    }

    /// The command of a name.
    package static func command(named name: String) -> (any ParsableCommand.Type)? {
        table.lazy.flatMap(\.commands).first { $0.key == name }?.value
    }

    /// The names by which ``command(named:)`` finds them.
    static var names: [String] { table.flatMap { $0.commands.map(\.key) } }
}
