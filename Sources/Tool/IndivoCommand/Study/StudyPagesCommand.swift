import ArgumentParser
import Foundation
import IndivoBase
import OrderedJSON
import StudyServer

struct StudyPagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "Serve a study's web pages for its team, behind a login.",
        discussion: """
            What came in by day, participants and consents, the queue and what it gave up, \
            a map by state, and charts of the answers. No answer of a single person is shown: \
            numbers of people are rounded down to multiples of five, and fewer are not counted. \
            indivo study user adds people who may log in.

            The pages are for people at this machine. For others a proxy that ends TLS stands before them, \
            and --host is the name that it serves them under; it has to pass on Host and X-Forwarded-For.
            """
    )

    @OptionGroup var store: StudyStoreOptions
    @OptionGroup var queue: StudyQueueURLOptions

    @Option(
        help: ArgumentHelp("Who may log in; indivo study user makes it.", valueName: "file"),
        completion: .file()
    )
    var users: String

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8090

    @Option(help: "Listen on this IPv4 address; anything but loopback needs --host.")
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("The name under which a proxy with TLS serves the pages.", valueName: "name"))
    var host: String?

    @ArgumentParser.Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        var configuration = StudyPages.Configuration()
        configuration.address = address
        configuration.port = port
        configuration.host = host
        let warehouse = try await store.open(makes: false)
        let queue = try await queue.open()
        let pages = try await CommandFailure.starting("the pages") {
            try await StudyPages.start(
                warehouse: warehouse,
                queue: queue,
                users: StudyUserFile(URL(filePath: users)),
                configuration
            )
        }
        let url = pages.url.absoluteString
        if json { try StandardStreams.say((["url": JSONValue(url)] as JSONValue).text()) }
        StandardStreams.printError(
            "The pages are at \(host.map { "https://\($0), from \(url)" } ?? url)\nStop them with Control-C."
        )
        await Interrupt.wait()
        await pages.stop()
    }
}

struct StudyUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Let a person log in to a study’s pages.",
        discussion: """
            The password is a line of standard input, of at least 12 characters. \
            A person who is known gets another password, and has to log in anew. \
            Whoever is to leave is a line that is taken out of the file.
            """
    )

    @Argument(help: "The name.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "The file, which its owner alone can read; made when it is not there.",
            valueName: "file"
        )
    )
    var users: String

    func run() throws {
        if StandardStreams.inputIsTerminal { StandardStreams.hint("Password (it is shown): ") }
        guard let line = readLine(strippingNewline: true) else {
            throw CommandFailure(
                "standard input has no password; type one, or pass a file: indivo study user … < FILE"
            )
        }
        do {
            try StudyUserFile(URL(filePath: users)).setPassword(Secret(line), of: name)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
