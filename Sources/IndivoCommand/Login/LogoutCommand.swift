import ArgumentParser
import Indivo

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget the kept session.",
        discussion: """
            The token stays good on the server until the app is taken from the record there. So that the next login \
            asks for the password, log out on the server's pages too.

            The exit status is 0 when a session was forgotten, 1 when there was none, 2 when something is wrong.
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: TalkOptions

    @Flag(help: "Forget all sessions: of all records, apps and servers.")
    var all = false

    func run() async throws {
        let settings = try connection.settings()
        let opened = Connection(settings, talk)
        let kept = try opened.store.sessions().filter { opened.settings.fit($0) }
        guard !kept.isEmpty else {
            talk.note("There is no session to forget; “indivo sessions” lists those that are kept.")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        for session in all ? try opened.store.sessions() : [try opened.choose(from: kept)] {
            try opened.store.forget(session)
            talk.note("Logged out of \(session.label ?? session.record).".onOneLine)
        }
        if let pages = settings[.ui] { talk.note("On the server's pages: \(pages)/logout") }
    }
}

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the records that indivo login has opened.",
        discussion: "Without their tokens. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let opened = Connection(try connection.settings(), output.talk)
        let kept = try opened.store.sessions().filter { opened.settings.fit($0) }
        try output.print(SessionListing.listing(of: kept), none: "There are no sessions; run “indivo login”.")
    }
}

extension Settings {
    /// Whether a session is for the server, app and record that are named, as far as they are.
    fileprivate func fit(_ session: IndivoSession) -> Bool {
        let app = self[.appID] ?? self[.consumerKey]
        let sameAPI = self[.api].map { $0.trimmingSlash == session.api.absoluteString.trimmingSlash } ?? true
        return sameAPI && app.map { $0 == session.app } ?? true
            && self[.record].map { $0 == session.record } ?? true
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
