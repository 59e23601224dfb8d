import ArgumentParser
import Foundation
import Indivo
import OrderedJSON

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, choose a record, and keep the session.",
        discussion: """
            Prints the address of the page where to log in, and waits until the browser comes back to this machine. \
            The app's start URL has to be registered with the server as \
            http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}.

            Where no browser can come back, as on a machine far away, --out-of-band asks for the addresses or codes \
            that the browser shows. With --record the choice of a record is left out.

            The session is kept in a file that only you can read, and used by every command until indivo logout. \
            The consumer secret is never kept: it comes from INDIVO_CONSUMER_SECRET or the file of credentials \
            (indivo settings --help).

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The port on 127.0.0.1 to which the browser comes back.")
    var port: UInt16 = 8002

    @Flag(help: "Ask for what the browser shows, instead of waiting for it.")
    var outOfBand = false

    @Flag(help: "Open the page in the browser.")
    var open = false

    func run() async throws {
        let opened = Connection(try connection.settings(), output.talk)
        let server = try await opened.server(needsPages: true)
        let record: IndivoRecord
        let known = opened.settings[.record]
        if outOfBand {
            let receiver = OutOfBandReceiver { step in Self.ask(step) }
            record = try await logIn(to: server, record: known, receiver)
        } else {
            record = try await logIn(to: server, record: known, LoopbackListener(port: port))
        }
        let information = try await record.information()
        try await record.keepSession(label: information.label)
        try output.print(RecordListings.information(information), none: "")
        output.talk.note("You are logged in. The session is kept in \(opened.store.file.path); “indivo logout” forgets it.")
    }

    private func logIn(to server: IndivoServer, record: String?, _ receiver: some CallbackReceiver) async throws -> IndivoRecord {
        if let record { return try await server.authorize(record: record, callback: receiver, open: show) }
        return try await server.selectRecord(callback: receiver, open: show)
    }

    /// Shows the address of a page; among results for programs there is no place for it.
    private func show(_ page: URL) throws {
        output.talk.note("Open this page in a browser:")
        if output.form == nil {
            try StandardStreams.say(page.absoluteString)
        } else {
            StandardStreams.complain(page.absoluteString)
        }
        if open { Browser.open(page) }
    }

    private static func ask(_ step: CallbackSession.Step) -> String? {
        switch step {
        case .record:
            StandardStreams.complain(
                "Log in there and choose a record. Then paste the address that the browser shows, or the record's id:"
            )
        case .authorization: StandardStreams.complain("Agree there. Then paste the address or the code that the browser shows:")
        }
        while let line = readLine() {
            let answer = line.trimmingCharacters(in: .whitespaces)
            if !answer.isEmpty { return answer }
        }
        return nil
    }
}

/// The person's own browser.
enum Browser {
    static func open(_ page: URL) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if canImport(Darwin)
        process.arguments = ["open", page.absoluteString]
        #else
        process.arguments = ["xdg-open", page.absoluteString]
        #endif
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            StandardStreams.complain("warning: no browser could be opened; open the page yourself")
        }
    }
}

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
        try output.print(Self.listing(of: kept), none: "There are no sessions; run “indivo login”.")
    }

    private static func listing(of sessions: [IndivoSession]) -> Listing {
        Listing(
            columns: [
                .init("record", "record"), .init("label", "label"), .init("api", "server"), .init("app", "app"),
                .init("kept_at", "since"),
            ],
            rows: sessions.map { [$0.record, $0.label ?? "", $0.api.absoluteString, $0.app, XMLDateTime($0.keptAt).lexical] },
            json: {
                JSONValue(
                    sessions.map { session in
                        [
                            "record": JSONValue(session.record), "label": JSONValue(session.label),
                            "api": JSONValue(session.api.absoluteString), "app": JSONValue(session.app),
                            "keptAt": JSONValue(XMLDateTime(session.keptAt).lexical),
                        ]
                    }
                ).fileData
            },
            xml: {
                let elements = sessions.map { session in
                    XMLNode(
                        "Session",
                        attributes: [
                            "api": session.api.absoluteString, "app": session.app, "label": session.label ?? "",
                            "record": session.record,
                        ])
                }
                return try RecordListings.list("Sessions", elements).file()
            })
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
