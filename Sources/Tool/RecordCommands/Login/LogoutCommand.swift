import ArgumentParser

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget the kept session.",
        discussion: """
            The token stays good on the server until the app is taken from the record there. \
            So that the next login asks for the password, log out on the server's pages too.

            The exit status is 0 when a session was forgotten, 1 when there was none, \
            2 when something is wrong.
            """
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: MessageOptions

    @Flag(help: "Forget all sessions: of all records, apps and servers.") var all = false

    func run() async throws {
        let opened = try connection.open(console)
        let kept = try opened.keptSessions()
        guard !kept.isEmpty else {
            console.note("There is no session to forget; “indivo sessions” lists those that are kept.")
            throw ExitCode.nothingFound
        }
        for session in all ? try opened.store.sessions() : [try opened.choose(from: kept)] {
            try opened.store.forget(session)
            console.note("Logged out of \(session.label ?? session.record).".onOneLine)
        }
        if let pages = opened.settings[.ui] { console.note("On the server's pages: \(pages)/logout") }
    }
}
