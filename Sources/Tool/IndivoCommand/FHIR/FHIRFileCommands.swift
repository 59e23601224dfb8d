import ArgumentParser
import FHIR
import FHIRTerminology
import Foundation
import OrderedJSON

struct FHIRCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check FHIR resources against the definitions of R4.",
        discussion: """
            indivo fhir check patient.json bundles/
            indivo fhir check --json - < patient.json

            Each issue is a line with its file, line, column, severity, FHIRPath and text. \
            Of a folder all .json and .xml files in it and below are checked; \
            those that are no resources are named on standard error. Profiles, and terminologies outside the \
            specification, are not checked.

            The exit status is 0 when no file has an error (warnings and remarks are printed), \
            1 when one has, 2 when a file cannot be read as JSON or XML, or for wrong use.
            """
    )

    @Argument(help: "The files and folders; standard input when left out or -.", completion: .file())
    var files: [String] = []

    @ArgumentParser.Flag(help: "Print a JSON array with an object for each file: file and issues.")
    var json = false

    @ArgumentParser.Flag(help: "Print errors only.")
    var errorsOnly = false

    @ArgumentParser.Flag(help: "Check recommendations too, such as that a resource has a narrative.")
    var bestPractice = false

    func run() throws {
        var options = ValidationOptions()
        options.includesBestPractice = bestPractice
        var results: [JSONValue] = []
        var hasErrors = false
        var isUnreadable = false
        for source in try Self.sources(files) {
            do {
                let file = try ResourceFile(source.file)
                if source.isFound, file.json.member("resourceType") == nil {
                    StandardStreams.printError("\(source.file.name): skipped, this is no resource")
                    continue
                }
                let issues = ValidationIssue.all(of: file.json, options).filter { $0.isError || !errorsOnly }
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
        if isUnreadable { throw ExitCode(ExitStatus.wrongUse.rawValue) }
        if hasErrors { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    /// The files that arguments name.
    /// - Returns: Each with whether a folder was named, and the file only found in it.
    /// - Throws: ``CommandFailure`` for a folder that cannot be read.
    private static func sources(_ paths: [String]) throws -> [(file: InputFile, isFound: Bool)] {
        var sources: [(file: InputFile, isFound: Bool)] = []
        for file in InputFile.all(paths) {
            var isFolder = false
            if file.path != "-", FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
                isFolder
            {
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

struct FHIRFormatCommand: ParsableCommand {
    /// How the resource is written.
    enum Format: String, EnumerableFlag {
        case json, compact, xml

        static func help(for value: Format) -> ArgumentHelp? {
            switch value {
            case .json: "Print indented JSON. This is the default."
            case .compact: "Print JSON without white space."
            case .xml: "Print indented XML."
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print a FHIR resource in another layout or format, without loss.",
        discussion: """
            indivo fhir format --compact patient.json
            indivo fhir format --xml patient.json > patient.xml
            indivo fhir format patient.xml

            JSON and XML are both read. The order of members, the digits of numbers and unknown members stay \
            as they are; XML has the elements in the order of the definitions, and cannot have unknown ones.

            The exit status is 0 when the resource was printed, 2 when it cannot be read, \
            or not be written in XML.
            """
    )

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @ArgumentParser.Flag(exclusivity: .exclusive)
    var format: Format = .json

    func run() throws {
        let input = InputFile(path: file)
        let resource = try ResourceFile.resource(input)
        switch format {
        case .json: try StandardStreams.say(resource.tree.text(.pretty))
        case .compact: try StandardStreams.say(resource.tree.text(.compact))
        case .xml:
            var xml: Data
            do {
                xml = try resource.xml(.pretty)
            } catch {
                throw CommandFailure(
                    "\(error.path): \(error.reason)",
                    at: input.place(error.line, error.column)
                )
            }
            if xml.last != UInt8(ascii: "\n") { xml.append(UInt8(ascii: "\n")) }
            try StandardStreams.write(xml)
        }
    }
}

struct FHIRPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Evaluate a FHIRPath expression on a resource.",
        discussion: """
            indivo fhir path 'entry.resource.ofType(Observation).value.value' bundle.json
            indivo fhir path 'birthDate <= today() - 18 years' patient.xml

            Each item of the result is printed on a line of its own, as JSON; \
            dates, times and quantities as strings.

            The exit status is 0 when there is a result, 1 when it is empty, 2 for a wrong expression or a \
            file that cannot be read, 3 when the evaluation fails.
            """
    )

    // Not two arguments: an expression may begin with a minus, and would be taken for an option.
    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp(
            "The expression, and the file; standard input when that is left out or -.",
            valueName: "expression> <file"
        ),
        completion: .file()
    )
    var arguments: [String]

    /// Expression and file, without the `--` that may stand before them.
    private var operands: ArraySlice<String> {
        arguments.first == "--" ? arguments.dropFirst() : arguments[...]
    }
    private var expression: String { operands.first ?? "" }

    func validate() throws {
        // What is captured is not searched for options; no expression is one of these.
        if let first = arguments.first, ["--help", "-h"].contains(first) {
            throw CleanExit.helpRequest(self)
        }
        guard (1...2).contains(operands.count) else {
            throw ValidationError(
                "An expression and at most one file are expected; an expression with spaces stands in quotes."
            )
        }
    }

    func run() throws {
        let file = operands.dropFirst().first ?? "-"
        let path = try reporting { () throws(FHIRPathError) in try FHIRPath(expression) }
        let json = try ResourceFile(InputFile(path: file)).json
        var context = FHIRPathContext()
        context.memberOf = Terminology.r4.isMember
        let items = try reporting { () throws(FHIRPathError) in try path.evaluate(on: json, in: context) }
        for item in items { try StandardStreams.say(item.json.text()) }
        if items.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    /// Turns errors of the expression into what the shell and a person are told.
    private func reporting<Value>(_ body: () throws(FHIRPathError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let isWrong = error.kind == .syntax || error.kind == .semantic
            throw CommandFailure(
                error.reason,
                at: "expression:\(position(offset: error.offset)):",
                status: isWrong ? .wrongUse : .evaluationFailed
            )
        }
    }

    /// Line and column of an offset in UTF-8 bytes; columns count Unicode scalars.
    private func position(offset: Int) -> String {
        let before = expression.utf8.prefix(max(0, offset))
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { before.index(after: $0) } ?? before.startIndex
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return "\(line):\(column)"
    }
}

/// A file with FHIR's JSON or XML, read.
struct ResourceFile {
    let json: JSONValue
    /// Of XML where in the file the JSON comes from.
    private let locations: FHIRXMLLocations?

    /// - Throws: ``CommandFailure``, with line and column where the file is neither JSON nor a resource in
    ///   XML.
    init(_ file: InputFile) throws {
        let data = try file.read()
        // No JSON begins with it. Before it may stand white space, byte order marks, and the zeros of UTF-16.
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00].contains($0) }
        do {
            if first == UInt8(ascii: "<") {
                let parsed = try AnyResource.parse(xml: data)
                json = parsed.resource.tree
                locations = parsed.locations
            } else {
                json = try JSONValue(parsing: data)
                locations = nil
            }
        } catch let error as JSONError {
            throw CommandFailure(
                "\(error.reason)",
                at: file.place(error.location.line, error.location.column)
            )
        } catch FHIRParsingError.xml(let error) {
            let path = error.path.isEmpty ? "" : "\(error.path): "
            throw CommandFailure("\(path)\(error.reason)", at: file.place(error.line, error.column))
        } catch {
            throw CommandFailure("\(error)", at: file.place(nil))
        }
    }

    /// The line and column in the file that a part of the JSON comes from.
    func position(of location: JSONLocation) -> (line: Int, column: Int) {
        locations?.position(of: location) ?? (location.line, location.column)
    }

    /// The resource, of whatever type.
    /// - Throws: ``CommandFailure``.
    static func resource(_ file: InputFile) throws -> AnyResource {
        guard let resource = AnyResource(tree: try ResourceFile(file).json) else {
            throw CommandFailure("\(FHIRParsingError.notAResource)", at: file.place(1, 1))
        }
        return resource
    }
}
