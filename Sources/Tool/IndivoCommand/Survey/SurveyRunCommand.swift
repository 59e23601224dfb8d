import ArgumentParser
import FHIR
import Foundation
import Indivo
import IndivoBase
import OrderedJSON
import RecordCommands
import Surveys

struct SurveyRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Ask a questionnaire's questions, and print the QuestionnaireResponse.",
        discussion: """
            Asks at the terminal, or takes the answers from a file: \
            a JSON object from linkIds to values, each what FHIR holds (a string, number, \
            boolean, an object for a Coding, Quantity or Attachment), or an array of them. \
            A code alone will do where it is unambiguous among the options. The value of a group is an \
            object with what is in it, that of a repeating group an array of objects.

            With --response it goes on where a response was left. At the terminal, the file is written after \
            each answer, and need not be there at first.

            The exit status is 0 when the response is complete, 1 when there are problems, \
            which are printed to standard error, 2 when a file is not what it should be.
            """
    )

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions

    @Option(
        help: ArgumentHelp("Answers in JSON, by linkId.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var answers: String?

    @Option(
        help: ArgumentHelp("A response to go on with.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var response: String?

    @Option(help: ArgumentHelp("Whom the response is about, as in Patient/7.", valueName: "reference"))
    var subject: String?

    @Option(help: ArgumentHelp("The language of texts that have translations, as in de.", valueName: "code"))
    var language: String?

    func run() async throws {
        let survey = try file.survey()
        let context = try context.context()
        let isInteractive = answers == nil && StandardStreams.inputIsTerminal
        guard isInteractive || answers != nil || response != nil else {
            throw CommandFailure("there is no terminal to ask at; give the answers with --answers FILE")
        }
        var session = SurveySession(survey, context: context)
        if let response, !isInteractive || FileManager.default.fileExists(atPath: response) {
            let read = try InputFile(path: response).resource(QuestionnaireResponse.self)
            session = SurveySession(survey, restoring: read, context: context)
        }
        if let subject { session.header.subject = Reference(subject) }
        var problems = session.restorationProblems
        if let answers {
            let json = try InputFile(path: answers).json()
            guard json.kind == .object else {
                throw CommandFailure("\(answers): this is no JSON object from linkIds to values")
            }
            problems += session.fill(with: json)
        } else if isInteractive {
            var conversation = SurveyConversation(session: session, language: language)
            await conversation.hold(
                read: { readLine(strippingNewline: true) },
                write: { StandardStreams.hint($0) },
                save: { try save($0.response(.inProgress)) }
            )
            session = conversation.session
        }
        problems += session.problems()
        session.diagnostics.printError()
        problems.printError()
        let hasErrors = problems.contains(where: \.isError)
        let result = finished(session, hasErrors: hasErrors, isInteractive: isInteractive)
        // The file that was written after each answer ends as what is printed.
        if isInteractive { try save(result) }
        try StandardStreams.say(result.tree.text(.pretty))
        try problems.end()
    }

    /// The response: complete, or in progress while there are problems. One that was only read stays as it
    /// was.
    private func finished(_ session: SurveySession, hasErrors: Bool, isInteractive: Bool)
        -> QuestionnaireResponse
    {
        guard
            session.isChanged || session.header.authored == nil || subject != nil
                || (isInteractive && session.header.status == .inProgress && !hasErrors)
        else {
            return session.response(session.header.status ?? .completed)
        }
        let now = context.now.flatMap { FHIRDateTime(text: $0) } ?? FHIRDateTime(Date())
        return session.response(hasErrors ? .inProgress : .completed, authored: now)
    }

    private func save(_ result: QuestionnaireResponse) throws {
        guard let response else { return }
        do {
            try PrivateFile(response).replace(with: Data(result.json(.pretty)))
        } catch .cannotWrite(let reason) {
            throw CommandFailure("\(response): the file cannot be written: \(reason)")
        } catch {
            throw CommandFailure("\(response): the file cannot be written")
        }
    }
}
