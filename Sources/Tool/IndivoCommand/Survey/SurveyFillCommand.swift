import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
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

            Value sets that the questionnaire does not contain come from the server of the record, or from \
            those of --terminology; other servers are not asked, even where the questionnaire prefers them. \
            Of a value set that is too large to be listed, what you type at the terminal is searched for.

            With --send the response, and the resources that the questionnaire extracts from it, are stored \
            on the server, each once, also when it is run again with the same answers and --now.

            indivo survey fill Q.json --base URL --launch --client-id intake --send

            With --launch a browser logs you in (SMART App Launch) where no session is kept, and the survey \
            is about the patient of the login. The page's address is printed to standard error. The session \
            is kept until “indivo fhir logout”.

            \(FHIRClientHelp.connection)
            """
    )

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions
    @OptionGroup var connection: FHIRConnectionOptions

    @OptionGroup var terminology: SurveyTerminologyOptions

    @OptionGroup var app: SMARTAppOptions

    @Flag(help: "Log in with a browser, unless a session is kept.")
    var launch = false

    @Option(help: "Where the browser comes back to, exactly as it is registered.")
    var redirectURI = SMARTAppOptions.redirectURI

    @Option(
        help: .value(
            "id",
            "The patient's id on the server; with a login the patient of that."
        )
    )
    var patient: String?

    @Option(
        help: .value("file", "Answers in JSON, by linkId."),
        completion: .json
    )
    var answers: String?

    @Option(help: .value("code", "The language of texts that have translations, as in de."))
    var language: String?

    @Flag(help: "Store the response and what it extracts on the server.")
    var send = false

    func run() async throws {
        do {
            try await fill()
        } catch let error as FHIRClientError {
            throw CommandFailure(error)
        }
    }

    private func fill() async throws {
        let (client, patient, launchContexts) = try await record()
        let given = try file.survey()
        // What is given in files is not asked for.
        let isComplete = given.missingValueSets.isEmpty && !given.isModular
        let terminology = try terminology.terminology(connection, own: client)
        let (survey, missing) =
            isComplete ? (given, []) : try await client.survey(given.questionnaire, asking: terminology)
        for definition in missing { StandardStreams.printError("warning: \(definition)") }
        let populated = try await survey.populate(
            using: client,
            subject: "Patient/\(patient)",
            context: context.context(),
            launchContexts: launchContexts
        )
        for problem in populated.problems { StandardStreams.printError("warning: \(problem)") }
        var session = populated.session
        var problems: [SurveyProblem] = []
        if let answers {
            problems += session.fill(with: try InputFile(path: answers).json())
        } else if StandardStreams.inputIsTerminal {
            var conversation = SurveyConversation(
                session: session,
                language: language,
                search: terminology.search
            )
            await conversation.hold(
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
        let now = context.now.flatMap { FHIRDateTime(text: $0) } ?? FHIRDateTime(Date())
        let response = session.response(hasErrors ? .inProgress : .completed, authored: now)
        try StandardStreams.say(response.tree.text(.pretty))
        if send, !hasErrors { try await send(response, of: survey, to: client) }
        try problems.end()
    }

    /// The client of the record, the patient's id, and what the questionnaire's launch contexts are there.
    private func record() async throws -> (FHIRClient, patient: String, launchContexts: [String: String]) {
        let current = try await currentLaunch()
        let client = try current.map { try connection.client(of: $0) } ?? connection.client()
        guard let id = current?.context.patient ?? patient ?? client.patient?.target?.id else {
            throw CommandFailure(
                "whom the survey is about is not known; give --patient ID, or log in with --launch"
            )
        }
        if let patient, let current, patient != id {
            throw CommandFailure(
                """
                the login is for another patient than --patient names; log in again for that one, after \
                “indivo fhir logout”
                """,
                status: current.context.patient == nil ? .wrongUse : .refused
            )
        }
        return (client, id, current?.references ?? [:])
    }

    /// The launch that is asked for: the kept one while it is good, or that of a login now.
    private func currentLaunch() async throws -> SMARTLaunch? {
        guard launch else { return nil }
        if let kept = try connection.keptLaunch(), kept.context.patient != nil,
            (try? await kept.authorization.token()) != nil
        {
            return kept
        }
        let usual = send ? SMARTAppOptions.writingScope : SMARTAppOptions.readingScope
        return try await connection.logIn(app.app(redirectURI: redirectURI, scope: usual)) { page in
            StandardStreams.printError(page.absoluteString)
        }
    }

    private func send(_ response: QuestionnaireResponse, of survey: Survey, to client: FHIRClient)
        async throws
    {
        let submission = try await client.submit(response, of: survey, context: context.context())
        submission.extraction.diagnostics.printError()
        for result in submission.results {
            StandardStreams.printError(
                "\(result.status == 201 ? "stored" : "there already"): \(result.location?.rawValue ?? "")"
            )
        }
    }
}
