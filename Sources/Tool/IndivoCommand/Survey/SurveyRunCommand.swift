import ArgumentParser
import FHIR
import FHIRTables
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
        help: .value("file", "Answers in JSON, by linkId."),
        completion: .json
    )
    var answers: String?

    @Option(
        help: .value("file", "A response to go on with."),
        completion: .json
    )
    var response: String?

    @Option(help: .value("reference", "Whom the response is about, as in Patient/7."))
    var subject: String?

    @Option(help: .value("code", "The language of texts that have translations, as in de."))
    var language: String?

    func run() async throws {
        if let subject { try check(subject: subject) }
        let survey = try file.survey()
        let context = try context.context()
        let isInteractive = answers == nil && StandardStreams.inputIsTerminal
        guard isInteractive || answers != nil || response != nil else {
            throw CommandFailure("there is no terminal to ask at; give the answers with --answers FILE")
        }
        var session = SurveySession(survey, context: context)
        if let response, !isInteractive || response.fileExists {
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
            let refused = session.fill(with: json)
            problems += refused
            session.printHidden(of: json)
            problems += session.problems(except: refused)
        } else if isInteractive {
            var conversation = SurveyConversation(session: session, language: language)
            await conversation.hold(
                read: { readLine(strippingNewline: true) },
                write: { StandardStreams.hint($0) },
                save: { try save($0.response(.inProgress)) }
            )
            session = conversation.session
        }
        if answers == nil { problems += session.problems() }
        session.diagnostics.printError()
        problems.printError()
        let hasErrors = problems.contains(where: \.isError)
        let result = finished(session, hasErrors: hasErrors, isInteractive: isInteractive)
        // The file that was written after each answer ends as what is printed.
        if isInteractive { try save(result) }
        try StandardStreams.say(result.tree.text(.pretty))
        try problems.end()
    }

    /// FHIR takes a relative reference, with a type and an id, or an absolute one.
    private func check(subject text: String) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isRelative =
            parts.count > 1 && Definitions.r4.resourceNames.contains(String(parts[0])) && !parts[1].isEmpty
        guard isRelative || text.contains(":") || text.hasPrefix("#") else {
            let id = parts.count == 1 ? text : "7"
            throw CommandFailure("--subject needs a type and an id, as in Patient/\(id.prefix(64))")
        }
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
            // The file that a link leads to was read, and is the one that is written.
            let file = URL(filePath: response).withLinksFollowed
            try PrivateFile(file.path).replace(with: Data(result.json(.pretty)))
        } catch .cannotWrite(let reason) {
            throw CommandFailure("\(response): the file cannot be written: \(reason)")
        } catch {
            throw CommandFailure("\(response): the file cannot be written")
        }
    }
}

extension SurveySession {
    /// Tells which of the given answers are in no response, since their questions are hidden.
    fileprivate func printHidden(of answers: JSONValue) {
        var named: Set<String> = []
        var rest = [answers]
        while let value = rest.popLast() {
            rest += value.elements ?? []
            for member in value.members ?? [] {
                named.insert(member.name)
                rest.append(member.value)
            }
        }
        for item in survey.items where named.contains(item.linkId) {
            let hidden = occurrences(of: item.linkId).contains {
                $0.item == item.index && !isEnabled($0) && !self.answers(of: $0).isEmpty
            }
            guard hidden else { continue }
            StandardStreams.printError(
                "warning: \(item.linkId): the answer is left out, since the question is not asked"
            )
        }
    }

    /// The problems, without that an answer is missing where one was given and refused.
    fileprivate func problems(except refused: [SurveyProblem]) -> [SurveyProblem] {
        var counts = Dictionary(grouping: refused.compactMap(\.linkId)) { $0 }.mapValues(\.count)
        return problems().filter { problem in
            guard problem.reason == .required, let linkId = problem.linkId, let count = counts[linkId],
                count > 0
            else { return true }
            counts[linkId] = count - 1
            return false
        }
    }
}
