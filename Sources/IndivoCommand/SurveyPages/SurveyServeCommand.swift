import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import SurveyPages
import Surveys

struct SurveyServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Ask a questionnaire's questions on web pages.",
        discussion: """
            Each response has an address of its own, is saved page by page, and can be gone on with at that address. With \
            --responses they are files of the folder, one each, that only their owner can read, also those in progress. \
            Without it, responses are printed as lines of JSON when they are complete.

            A proxy that ends TLS can stand before it.
            """)

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8082

    @Option(help: "Listen on this IPv4 address; anything but loopback puts the pages on the network.")
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("Keep the responses in this folder.", valueName: "folder"), completion: .directory)
    var responses: String?

    @Option(help: ArgumentHelp("Whom the responses are about, as in Patient/7.", valueName: "reference"))
    var subject: String?

    @ArgumentParser.Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        let survey = try file.survey()
        let context = try context.context()
        for diagnostic in survey.diagnostics where diagnostic.severity == .error {
            StandardStreams.complain(diagnostic.description)
        }
        let store: any SurveyResponseStore
        if let responses {
            store = try SurveyResponseFolder(responses, of: survey)
        } else {
            store = SurveyResponsesInMemory { response in try StandardStreams.say(response.tree.text()) }
        }
        var configuration = SurveyServer.Configuration()
        (configuration.address, configuration.port, configuration.subject) = (address, port, subject)
        configuration.context = { context }
        let server: SurveyServer
        do {
            server = try await SurveyServer.start(survey, store: store, configuration)
        } catch {
            throw CommandFailure(starting: "the server", error)
        }
        let url = server.url.absoluteString
        if json { try StandardStreams.say((["url": JSONValue(url)] as JSONValue).text()) }
        StandardStreams.complain("The survey is at \(url)\nStop it with Control-C.")
        await Interrupt.wait()
        await server.stop()
    }
}
