import ArgumentParser
import FHIR
import FHIRTerminology
import FHIRValidation
import Foundation
import OrderedJSON
import RecordCommands
import Surveys

struct FHIRCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check FHIR resources against the definitions of R4, and against profiles.",
        discussion: """
            indivo fhir check patient.json bundles/
            indivo fhir check --definitions hl7.fhir.us.core-3.1.0.tgz \\
              --profile http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient \\
              patient.json
            indivo fhir check --json - < patient.json

            Each issue is a line with its file, line, column, severity, FHIRPath and text. \
            Of a folder all .json and .xml files in it and below are checked; \
            those that are no resources are named on standard error. Checked are the profiles that a \
            resource claims in meta.profile, those that --profile names, those of vital signs, extensions \
            by their definitions, and a QuestionnaireResponse by its questionnaire where --definitions has \
            it. What cannot be checked, an unknown profile or value set, is said.

            The exit status is 0 when no file has an error (warnings and remarks are printed), \
            1 when one has, 2 when a file cannot be read as JSON or XML, or for wrong use.
            """
    )

    @Argument(help: "The files and folders; standard input when left out or -.", completion: .file())
    var files: [String] = []

    @Flag(help: "Print a JSON array with an object for each file: file and issues.")
    var json = false

    @Flag(help: "Print errors only.")
    var errorsOnly = false

    @OptionGroup var known: DefinitionOptions

    @Option(
        name: .customLong("profile"),
        help: .value(
            "url",
            "The canonical URL of a profile that the resources must conform to; may be repeated. One that "
                + "is not known is an error."
        )
    )
    var profiles: [String] = []

    @Flag(
        name: .customLong("no-profiles"),
        help: "Check by R4's types and --profile alone, not by the profiles that resources claim."
    )
    var omitsProfiles = false

    @Flag(help: "Make an extension an error when its definition is not known.")
    var knownExtensionsOnly = false

    @Flag(help: "Check recommendations too, such as that a resource has a narrative.")
    var bestPractice = false

    func run() throws {
        var options = ValidationOptions()
        options.includesBestPractice = bestPractice
        options.definitions = try known.definitions()
        options.profiles = profiles
        options.appliesProfiles = !omitsProfiles
        options.validateCode = { Terminology.r4.validate($0, system: $1, in: $2) }
        options.unknownExtensions = knownExtensionsOnly ? .error : .remark
        options.checkResponses()
        var results: [JSONValue] = []
        var hasErrors = false
        var hasIssues = false
        var isUnreadable = false
        for source in try Self.sources(files) {
            do {
                let file = try ResourceFile(source.file)
                if source.isFound, file.json.member("resourceType") == nil {
                    StandardStreams.printError("\(source.file.name): skipped, this is no resource")
                    continue
                }
                let issues = ValidationIssue.all(of: file.json, options).filter { $0.isError || !errorsOnly }
                hasIssues = hasIssues || !issues.isEmpty
                hasErrors = hasErrors || issues.contains(where: \.isError)
                if json {
                    results.append([
                        "file": JSONValue(source.file.name),
                        "issues": JSONValue(issues.map { $0.json(in: file) }),
                    ])
                } else {
                    for issue in issues { try StandardStreams.say(issue.line(in: file, named: source.file)) }
                }
            } catch let failure as CommandFailure {
                StandardStreams.printError("\(failure)")
                isUnreadable = true
            }
        }
        if json { try StandardStreams.say(JSONValue(results).text(.pretty)) }
        if isUnreadable { throw ExitCode.wrongUse }
        // For people alone: programs take an empty output for it.
        if !hasIssues, !json, StandardStreams.errorIsTerminal { StandardStreams.printError("no problems") }
        if hasErrors { throw ExitCode.nothingFound }
    }

    /// The files that arguments name.
    /// - Returns: Each with whether a folder was named, and the file only found in it.
    /// - Throws: ``CommandFailure`` for a folder that cannot be read.
    private static func sources(_ paths: [String]) throws -> [(file: InputFile, isFound: Bool)] {
        var sources: [(file: InputFile, isFound: Bool)] = []
        for file in InputFile.all(paths) {
            if file.path != "-", file.path.isFolder {
                guard let found = FileManager.default.enumerator(atPath: file.path) else {
                    throw CommandFailure("\(file.path): the folder cannot be read")
                }
                let names = found.compactMap { $0 as? String }.filter {
                    $0.hasSuffix(".json") || $0.hasSuffix(".xml")
                }.sorted()
                sources += names.map {
                    (InputFile(path: (file.path as NSString).appendingPathComponent($0)), true)
                }
            } else {
                sources.append((file, false))
            }
        }
        return sources
    }
}

extension ValidationIssue {
    /// `FILE:LINE:COLUMN: SEVERITY: EXPRESSION: TEXT`.
    fileprivate func line(in file: ResourceFile, named input: InputFile) -> String {
        let position = location.map(file.position(of:))
        let subject = expression.isEmpty ? "" : "\(expression): "
        return "\(input.place(position?.line, position?.column)) \(severity): \(subject)\(text)"
    }

    fileprivate func json(in file: ResourceFile) -> JSONValue {
        var object: JSONValue = [
            "severity": JSONValue(severity.code), "code": JSONValue(code.code),
            "expression": JSONValue(expression),
        ]
        if let position = location.map(file.position(of:)) {
            object["line"] = JSONValue(position.line)
            object["column"] = JSONValue(position.column)
        }
        if let rule { object["rule"] = JSONValue(rule) }
        object["text"] = JSONValue(text)
        return object
    }
}
