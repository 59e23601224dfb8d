import ArgumentParser
import Foundation
import OrderedJSON
import RecordCommands
import StudyServer

struct StudyPagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "Serve a study's web pages for its team, behind a login.",
        discussion: """
            What came in by day, participants and consents, how they keep up by week, the queue and what \
            it gave up, a map by state, and charts of the answers. No answer of a single person is \
            shown: numbers of people are rounded down to multiples of five, and fewer are not counted. \
            indivo study user adds people who may log in.

            The pages are for people at this machine. For others a proxy that ends TLS stands before them, \
            and --host is the name that it serves them under; it has to pass on Host and X-Forwarded-For.
            """
    )

    @OptionGroup var store: StudyStoreOptions
    @OptionGroup var queue: StudyQueueURLOptions

    @Option(
        help: .value("file", "Who may log in; indivo study user makes it."),
        completion: .file()
    )
    var users: String

    @Option(help: .value("name", "The study's name, the title of every page."))
    var title = "Study"

    @Option(
        help: .value(
            "file",
            "The study's schedule: what of it is done, due, late and missed is shown."
        ),
        completion: .json
    )
    var schedule: String?

    @Option(
        help: .value("file", "Write down here who saw, exported and changed what."),
        completion: .file()
    )
    var audit: String?

    @Option(
        parsing: .upToNextOption,
        help: "Questionnaires, which name the columns of tables that are downloaded.",
        completion: .json
    )
    var questionnaires: [String] = []

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8090

    @Option(help: "Listen on this IPv4 address; anything but loopback needs --host.")
    var address = "127.0.0.1"

    @Option(help: .value("name", "The name under which a proxy with TLS serves the pages."))
    var host: String?

    @Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        var configuration = StudyPages.Configuration()
        configuration.address = address
        configuration.port = port
        configuration.host = host
        configuration.title = title
        configuration.schedule = try schedule.map { try StudyDueCommand.schedule(in: $0) }
        configuration.audit = audit.map { AuditLog(URL(filePath: $0)) }
        configuration.questionnaires = try StudyBackEnd.questionnaires(questionnaires)
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
