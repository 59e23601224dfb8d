import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import Surveys

struct SurveyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Ask what a FHIR Questionnaire asks, and check what was answered.",
        discussion: """
            Works on files, and serves pages; nothing is sent. A questionnaire is a FHIR R4 Questionnaire in JSON, with the extensions of \
            Structured Data Capture.
            """,
        subcommands: [
            SurveyCheckCommand.self, SurveyRunCommand.self, SurveyValidateCommand.self, SurveyScoreCommand.self,
            SurveyServeCommand.self, SurveyExtractCommand.self, SurveyTaskCommand.self, SurveyResultCommand.self,
            SurveyFormatCommand.self,
        ])
}

/// The questionnaire of a command, with what is given beside it.
struct SurveyFile: ParsableArguments {
    @Argument(help: "A Questionnaire in JSON; - for standard input.", completion: .file(extensions: ["json"]))
    var questionnaire: String

    @Option(
        name: .customLong("value-set"),
        help: ArgumentHelp("A ValueSet that the questionnaire names and does not contain.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var valueSets: [String] = []

    /// - Throws: ``CommandFailure`` where the file is no Questionnaire.
    func survey() throws -> Survey {
        let questionnaire = try InputFile(path: questionnaire).resource(Questionnaire.self)
        var byURL: [String: ValueSet] = [:]
        for path in valueSets {
            let valueSet = try InputFile(path: path).resource(ValueSet.self)
            if let url = valueSet.url { byURL[url.rawValue] = valueSet }
        }
        return Survey(questionnaire) { url in byURL[url] ?? byURL[String(url.prefix { $0 != "|" })] }
    }
}

/// What expressions can ask for.
struct SurveyContextOptions: ParsableArguments {
    @Option(
        name: .customLong("context"),
        help: ArgumentHelp(
            "A resource for the questionnaire's expressions, as in patient=Patient.json.", valueName: "name=file"))
    var resources: [String] = []

    @Option(help: ArgumentHelp("The time for now() and today(), as in 2026-11-22T09:30:00+01:00.", valueName: "time"))
    var now: String?

    func context() throws -> SurveyContext {
        var context = SurveyContext(now: now)
        if let now, FHIRDateTime(text: now)?.time == nil {
            throw ValidationError("--now needs a date and time with a zone, as in 2026-11-22T09:30:00+01:00.")
        }
        for resource in resources {
            let parts = resource.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--context needs name=file, as in patient=Patient.json.") }
            context.resources[parts[0], default: []].append(try InputFile(path: parts[1]).json())
        }
        return context
    }
}

extension InputFile {
    /// The file's JSON.
    /// - Throws: ``CommandFailure``, with line and column where it is not JSON.
    func json() throws -> JSONValue {
        do {
            return try JSONValue(parsing: read())
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        }
    }

    /// The file's resource of a type.
    /// - Throws: ``CommandFailure`` where it is none.
    func resource<Resource: FHIRResource>(_ type: Resource.Type) throws -> Resource {
        let json = try json()
        guard let resource = Resource(tree: json) else {
            let found = json["resourceType"]?.string
            throw CommandFailure(
                "\(name): this is not a \(Resource.typeName) of FHIR" + (found.map { ", but a \($0.prefix(40))" } ?? ""))
        }
        return resource
    }
}
