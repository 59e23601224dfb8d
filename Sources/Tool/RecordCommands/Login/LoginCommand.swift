import ArgumentParser
import Foundation
import Indivo

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "login",
        "Log in, choose a record, and keep the session.",
        discussion: """
            Prints the address of the page where to log in, and waits until the browser comes \
            back to this machine. The app's start URL has to be registered with the server as \
            http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}.

            Where no browser can come back, as on a machine far away, --out-of-band asks for the addresses \
            or codes that the browser shows. With --record the choice of a record is left out.

            The session is kept in a file that only you can read, and used by every command until indivo \
            logout. The consumer secret is never kept: it comes from INDIVO_CONSUMER_SECRET or the file of \
            credentials (indivo settings --help).
            """
    )

    @OptionGroup var options: RecordOptions

    @Option(help: "The port on 127.0.0.1 to which the browser comes back.") var port: UInt16 = 8002

    @Flag(help: "Ask for the address or code that the browser shows, instead of waiting for the browser.")
    var outOfBand = false

    @Flag(help: "Open the page in the browser.") var open = false

    @Option(help: .value("minutes", "How long to wait for the browser."))
    var timeout = 10

    func validate() throws {
        guard (1...1440).contains(timeout) else {
            throw ValidationError("--timeout takes 1 to 1440 minutes.")
        }
    }

    func run() async throws {
        let opened = try options.connection.open(options.console)
        let server = try await opened.server(needsPages: true)
        try await server.checkIsThere(withPages: !outOfBand)
        let receiver: any CallbackReceiver =
            outOfBand
            ? OutOfBandReceiver { Self.ask($0) } : DeadlineReceiver(port: port, minutes: timeout)
        let record =
            if let id = opened.settings[.record] {
                try await server.authorize(record: id, callback: receiver, open: show)
            } else {
                try await server.selectRecord(callback: receiver, open: show)
            }
        let information = try await record.information()
        try await record.keepSession(label: information.label)
        try options.output.print(.record(information))
        options.console.note(
            "You are logged in. The session is kept in \(opened.store.file.path); “indivo logout” forgets it."
        )
    }

    /// Shows the address of a page; among results for programs there is no place for it.
    private func show(_ page: URL) throws {
        options.console.note("Open this page in a browser:")
        if options.output.json {
            StandardStreams.printError(page.absoluteString)
        } else {
            try StandardStreams.say(page.absoluteString)
        }
        if open { Self.openBrowser(page) }
        guard !outOfBand else { return }
        options.console.note(
            """
            Waiting up to \(timeout) minutes for the browser to come back to \
            \(DeadlineReceiver(port: port, minutes: timeout).startURL), which the server must have as the \
            app's start URL. Control-C ends it.
            """
        )
    }

    private static func ask(_ step: CallbackSession.Step) -> String? {
        let question =
            switch step {
            case .record:
                """
                Log in there and choose a record. Then paste the address that the browser shows, \
                or the record's id:
                """
            case .authorization: "Agree there. Then paste the address or the code that the browser shows:"
            }
        StandardStreams.printError(question)
        while let line = readLine() {
            let answer = line.trimmingCharacters(in: .whitespaces)
            if !answer.isEmpty { return answer }
        }
        return nil
    }

    private static func openBrowser(_ page: URL) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if canImport(Darwin)
        let opener = "open"
        #else
        let opener = "xdg-open"
        #endif
        process.arguments = [opener, page.absoluteString]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            StandardStreams.printError("warning: no browser could be opened; open the page yourself")
        }
    }
}
