import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import SurveyExchange
import Surveys

struct SurveyFillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill",
        abstract: "Fill a questionnaire from a patient's record, complete it, and send what it extracts.",
        discussion: """
            Launch contexts, queries, population contexts, initial expressions and earlier Observations are \
            followed, in as few requests as possible. What could not be had is printed to standard error. At \
            a terminal the questions are then asked, with what was filled in as answers; elsewhere --answers \
            has those of the person. The QuestionnaireResponse is printed.

            With --send the response, and the resources that the questionnaire extracts from it, are stored \
            on the server, each once, also when the command is run again with the same response.

            \(FHIRClientHelp.connection)
            """
    )

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions
    @OptionGroup var connection: FHIRConnectionOptions

    @Option(help: ArgumentHelp("The patient's id on the server.", valueName: "id"))
    var patient: String

    @Option(
        help: ArgumentHelp("Answers in JSON, by linkId.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var answers: String?

    @Option(help: ArgumentHelp("The language of texts that have translations, as in de.", valueName: "code"))
    var language: String?

    @ArgumentParser.Flag(help: "Store the response and what it extracts on the server.")
    var send = false

    func run() async throws {
        do {
            try await fill()
        } catch let error as FHIRClientError {
            throw CommandFailure(error)
        }
    }

    private func fill() async throws {
        let client = try connection.client()
        let given = try file.survey()
        // What is given in files is not asked for.
        let isComplete = given.missingValueSets.isEmpty && !given.isModular
        let (survey, missing) = isComplete ? (given, []) : try await client.survey(given.questionnaire)
        for definition in missing { StandardStreams.hint("warning: \(definition)") }
        let populated = try await survey.populate(
            using: client,
            subject: "Patient/\(patient)",
            context: context.context()
        )
        for problem in populated.problems { StandardStreams.hint("warning: \(problem)") }
        var session = populated.session
        session.header.subject = Reference("Patient/\(patient)")
        var problems: [SurveyProblem] = []
        if let answers {
            problems += session.fill(with: try InputFile(path: answers).json())
        } else if StandardStreams.inputIsTerminal {
            var conversation = SurveyConversation(session: session, language: language)
            conversation.hold(
                read: { readLine(strippingNewline: true) },
                write: { StandardStreams.hint($0) },
                save: { _ in }
            )
            session = conversation.session
        }
        problems += session.problems()
        session.diagnostics.printError()
        problems.printError()
        let hasErrors = problems.contains(where: \.isError)
        let response = session.response(hasErrors ? .inProgress : .completed)
        try StandardStreams.say(response.tree.text(.pretty))
        if send, !hasErrors { try await send(response, of: survey, to: client) }
        try problems.end()
    }

    private func send(_ response: QuestionnaireResponse, of survey: Survey, to client: FHIRClient)
        async throws
    {
        let extraction = survey.extract(from: response, context: try context.context())
        extraction.diagnostics.printError()
        let results = try await client.send(extraction, of: response)
        for result in results {
            StandardStreams.hint(
                "\(result.status == 201 ? "stored" : "there already"): \(result.location?.rawValue ?? "")"
            )
        }
    }
}
