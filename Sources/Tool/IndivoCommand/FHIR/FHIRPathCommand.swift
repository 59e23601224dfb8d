import ArgumentParser
import FHIR
import FHIRPathEngine
import FHIRTerminology
import FHIRXML
import Foundation
import OrderedJSON
import RecordCommands

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
        help: .value(
            "expression> <file",
            "The expression, and the file; standard input when that is left out or -."
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
        if items.isEmpty { throw ExitCode.nothingFound }
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
        } catch let error as FHIRXMLError {
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
